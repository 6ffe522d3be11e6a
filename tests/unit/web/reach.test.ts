// Goal: a problem that says that the server is unreachable can be read, and ends by itself once the server answers; others stay.

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createRoot } from "solid-js";
import { offline, Problem } from "../../../web/api/problem.ts";
import { createProblem, reached, unreached } from "../../../web/api/reach.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  reached();
  jest.useRealTimers();
});

const nobody = () => Promise.reject(new Error("nobody answers"));

test("stays to be read when another answer arrives right behind the failure", () => {
  const [problem, setProblem] = createRoot(createProblem);
  unreached(nobody);
  setProblem(offline());
  reached();
  jest.advanceTimersByTime(3_900);
  expect(problem()?.code).toBe("offline");
  jest.advanceTimersByTime(200);
  expect(problem()).toBeUndefined();
});

test("ends with the first answer when it was read long ago", () => {
  const [problem, setProblem] = createRoot(createProblem);
  unreached(nobody);
  setProblem(offline());
  jest.advanceTimersByTime(60_000);
  expect(problem()?.code).toBe("offline");
  reached();
  expect(problem()).toBeUndefined();
});

test("is not ended by the wait of an earlier problem, nor is a refusal ended by an answer", () => {
  const [problem, setProblem] = createRoot(createProblem);
  unreached(nobody);
  setProblem(offline());
  setProblem(new Problem("The name is taken.", "conflict", { status: 409 }));
  reached();
  jest.advanceTimersByTime(60_000);
  expect(problem()?.code).toBe("conflict");
});
