// The API client. Its types come from the service's routes, so a renamed field is a type error here. Only event streams (stream.ts) call
// `fetch` themselves.

import { treaty } from "@elysiajs/eden";
import type { Routes } from "../../src/service/server.ts";
import { asProblem, offline, type Problem, problemOf, refusalOf } from "./problem.ts";
import { STORED_HEADER } from "./offline/rules.ts";
import { answeredFromStore, reached, unreached } from "./reach.ts";
import { hearDate } from "./server-clock.ts";

/** Routes under /api/v1: `api.workspaces({ id }).blueprint.get()`. Times stay strings, as the server sends them. */
export const api = treaty<Routes>(location.origin, {
  parseDate: false,
  fetch: { credentials: "same-origin" },
  onResponse: (response) => {
    const time = response.headers.get(STORED_HEADER);
    if (time === null) {
      hearDate(response.headers.get("date"));
      hearStatus(response.status);
    } else answeredFromStore(time, () => api.health.get());
  },
}).api.v1;

const signedOut = new Set<() => void>();

/** Calls `hear` at every 401. Returns a function that unsubscribes. */
export function onSignedOut(hear: () => void): () => void {
  signedOut.add(hear);
  return () => signedOut.delete(hear);
}

const forbidden = new Set<() => void>();

/** Calls `hear` at every 403. */
export function onForbidden(hear: () => void): void {
  forbidden.add(hear);
}

/** Every response status passes through here, including those of event streams. */
export function hearStatus(status: number): void {
  reached();
  if (status === 401) signedOut.forEach((hear) => hear());
  if (status === 403) forbidden.forEach((hear) => hear());
}

type Answer<T> = { data: T; error: null } | { data: null; error: { status: unknown; value: unknown } };

/** A request or a stream found no server. */
export function hearNothing(): Problem {
  unreached(() => api.health.get());
  return offline();
}

/** Returns the data of a response. Raises `Problem` with the server's error, a lost connection, or an ended session. */
export async function take<T>(asked: Promise<Answer<T>>): Promise<T> {
  return takeAs(asked, refusalOf);
}

/** For the login, whose 401 is about the user name and password. */
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
  // The client wraps the error of a failed `fetch` in an answer.
  if (value instanceof Error) throw hearNothing();
  throw refused(Number(status), value);
}
