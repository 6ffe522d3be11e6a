// Short forms of routes and of what they do with a form.

import { notFound } from "../../kit/error.ts";
import type { Answer, PageRoute } from "./area.ts";
import { failureOf, type Failure } from "./failure.ts";

/** Changes nothing. `query`: the parameters that it knows. */
export function get(path: string, answer: PageRoute["answer"], query: readonly string[] = []): PageRoute {
  return { method: "GET", path, answer, query };
}

export function post(path: string, answer: PageRoute["answer"]): PageRoute {
  return { method: "POST", path, answer };
}

/** Does what a form asks for, or shows the form `again` with what is wrong. `field` as for `failureOf`. */
export async function attempt(
  act: () => Promise<Answer>,
  again: (failure: Failure) => Answer | Promise<Answer>,
  field?: string,
): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    return again(failureOf(error, field));
  }
}

/** The `:id` of the address. Raises `not_found` for what is no id. */
export function idOf(noun: string, params: Readonly<Record<string, string>>): number {
  const text = params["id"] ?? "";
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw notFound(noun, text);
  return Number(text);
}
