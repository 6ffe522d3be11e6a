// Goal: nothing that one caller asks of the context server keeps the others waiting for more than 50 ms.
// Runs late: it judges how long a request waits, in processor time.

import { afterAll, describe, expect, test } from "bun:test";
import { CONTEXT_ROWS, furnishedContext } from "./context-rows.ts";
import { expectNobodyWaits } from "./nobody-waits.ts";

const LIMIT_MS = 60_000;
const server = await furnishedContext();
afterAll(() => server[Symbol.asyncDispose]());

for (const [route, cases] of Object.entries(CONTEXT_ROWS))
  describe(route, () => {
    for (const [name, act] of Object.entries(cases))
      test(name, () => expectNobodyWaits(server.measured, () => act(server)), LIMIT_MS);
  });

test("the measurement finds what keeps others waiting", async () => {
  const blocked = await server.measured.longestStretch(() => {
    server.measured.block(80);
    return Promise.resolve();
  });
  expect(blocked).toBeGreaterThan(70);
});
