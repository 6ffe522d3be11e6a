// Runs a gear's stored tests for a review, as dry runs, and reports each outcome with the expected one.

import { AppError } from "../../kit/error.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import type { Caller } from "../identity/caller.ts";
import type { SandboxResult } from "../sandbox/sandbox.ts";
import type { Gears } from "./gears.ts";
import { NOT_ISOLATED_NOTICE, type Isolation } from "./isolation.ts";
import { resultFields } from "./run-records.ts";
import type { GearRuns } from "./runs.ts";
import type { GearTest, TestOutcome, TestReport } from "./schema.ts";

/**
 * Anyone who may dry-run. Runs the tests in order. Raises `unauthenticated` and `forbidden`, also after the last test; `refused` when there are none;
 * `conflict` when the gear changes meanwhile.
 */
export async function runTests(
  { gears, runs, isolation }: { gears: Gears; runs: GearRuns; isolation: Isolation },
  caller: Caller,
  gearId: number,
): Promise<TestReport> {
  await runs.ready();
  runs.requireMayTry(caller);
  const gear = gears.get(caller, gearId);
  if (gear.tests.length === 0) throw new AppError("refused", "the gear has no tests");
  const outcomes: TestOutcome[] = [];
  for (const test of gear.tests) outcomes.push(await runTest(runs, caller, gearId, test));
  // The caller's credential or right may have ended while the tests ran.
  runs.requireMayTry(caller);
  if (gears.existing(gearId).hash !== gear.content_hash)
    throw new AppError("conflict", "the gear was changed while its tests ran; run them again");
  return {
    passed: outcomes.every((outcome) => outcome.passed),
    version: gear.version,
    content_hash: gear.content_hash,
    isolated: isolation.isolated,
    ...(isolation.isolated ? {} : { notice: NOT_ISOLATED_NOTICE }),
    tests: outcomes,
  };
}

async function runTest(runs: GearRuns, caller: Caller, gearId: number, test: GearTest): Promise<TestOutcome> {
  const { name, expected } = test;
  try {
    const { result } = await runs.execute(
      await runs.dryOrder(caller, gearId, { args: test.args }, "test"),
      () => {},
    );
    const problem = problemOf(result, expected);
    return { name, passed: problem === null, problem, expected, result: resultFields(result) };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid")
      return { name, passed: false, problem: error.message, expected, result: null };
    throw error;
  }
}

function problemOf(result: SandboxResult, expected: string): string | null {
  if (result.timedOut) return "timed out";
  if (result.exitCode !== 0) return `exit code ${result.exitCode}`;
  if (result.truncated) return "too much output";
  return isExpected(result.stdout, expected) ? null : "unexpected output";
}

/** Compares the exact text, or the JSON value when both are JSON. */
export function isExpected(stdout: string, expected: string): boolean {
  if (stdout === expected) return true;
  const [actual, wanted] = [parsedJson(stdout), parsedJson(expected)];
  return actual !== undefined && Bun.deepEquals(actual, wanted, true);
}
