// The one client: its types are those of the service's routes, so a renamed field is a type error here. Nothing else calls `fetch` but
// the event streams (stream.ts).

import { treaty } from "@elysiajs/eden";
import type { Routes } from "../../src/service/server.ts";
import { asProblem, offline, type Problem, problemOf, sessionOver } from "./problem.ts";

/** Routes under /api/v1: `api.workspaces({ id }).blueprint.get()`. Times stay the text that the server sent. */
export const api = treaty<Routes>(location.origin, {
  parseDate: false,
  fetch: { credentials: "same-origin" },
  onResponse: (response) => hearStatus(response.status),
}).api.v1;

const signedOut = new Set<() => void>();

/** Called at every 401. Returns how to stop it. */
export function onSignedOut(hear: () => void): () => void {
  signedOut.add(hear);
  return () => signedOut.delete(hear);
}

/** Every answer's status passes here, also those of event streams. */
export function hearStatus(status: number): void {
  if (status === 401) signedOut.forEach((hear) => hear());
}

type Answer<T> = { data: T; error: null } | { data: null; error: { status: unknown; value: unknown } };

/** The data of an answer. Raises `Problem` with what the server said, or that it could not be reached, or that nobody is signed in. */
export async function take<T>(asked: Promise<Answer<T>>): Promise<T> {
  return takeAs(asked, (status, body) => (status === 401 ? sessionOver() : problemOf(status, body)));
}

/** For the login: its 401 is about what was typed. */
export function takeSignIn<T>(asked: Promise<Answer<T>>): Promise<T> {
  return takeAs(asked, problemOf);
}

async function takeAs<T>(
  asked: Promise<Answer<T>>,
  refused: (status: number, body: unknown) => Problem,
): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await asked;
  } catch (error) {
    throw asProblem(error);
  }
  if (answer.error === null) return answer.data;
  const { status, value } = answer.error;
  // The client reports a server that it did not reach as a status with what `fetch` raised.
  if (value instanceof Error) throw offline();
  throw refused(Number(status), value);
}
