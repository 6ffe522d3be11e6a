// Goal: a caller whose right ended while the last stored test ran does not get its outcome.

import { expect, test } from "bun:test";
import { runTests } from "../../../src/service/gears/review.ts";
import { AppError } from "../../../src/kit/error.ts";
import { refusal } from "../../kit/http/refusal.ts";

type Parts = Parameters<typeof runTests>[0];

test("refuses the report of a caller whose token was revoked during the last test", async () => {
  let isRevoked = false;
  let ran = 0;
  const gear = {
    tests: [{ name: "one", args: {}, expected: "" }],
    content_hash: "hash",
    hash: "hash",
    version: 1,
  };
  const parts = {
    gears: { get: () => gear, existing: () => gear },
    runs: {
      ready: () => Promise.resolve(),
      requireMayTry() {
        if (isRevoked) throw new AppError("unauthenticated", "the token is not valid");
      },
      dryOrder: () => Promise.resolve({}),
      execute() {
        ran += 1;
        isRevoked = true;
        const result = { exitCode: 0, stdout: "", stderr: "", timedOut: false, truncated: false };
        return Promise.resolve({ result });
      },
    },
    isolation: { isolated: true },
  } as unknown as Parts;
  await refusal(runTests(parts, {} as never, 1), "unauthenticated", "the token is not valid");
  expect(ran).toBe(1);
});
