// Goal: a response in another shape than the server's, such as a proxy's page, says in words what happened and what to do.

import { expect, test } from "bun:test";
import { problemOf } from "../../../web/api/problem.ts";

test.each([
  [413, "A proxy in front of the server responded with status 413: the request is larger than it allows."],
  [
    429,
    "A proxy in front of the server responded with status 429: too many requests. Wait a moment and try again.",
  ],
  [
    503,
    "A proxy in front of the server responded with status 503: the server is unavailable. Try again in a moment.",
  ],
  [418, "The server responded with status 418."],
])("says what a page with status %d means", (status, message) => {
  const { message: said, code } = problemOf(status, "<html>");
  expect([said, code]).toEqual([message, "internal"]);
});

test("keeps the server's own words and code", () => {
  const error = { message: "too many attempts", code: "rate_limited", details: { retry_after_seconds: 3 } };
  const { message, code, status } = problemOf(429, { error });
  expect([message, code, status]).toEqual(["too many attempts", "rate_limited", 429]);
});
