// Goal: nothing that one caller asks of the context server keeps the others waiting for more than 50 ms.
// Runs late: it judges how long a request waits, in processor time.

import { afterAll, describe, expect, test } from "bun:test";
import { CONTEXT_ROWS, furnishedContext } from "./context-rows.ts";
import { expectNobodyWaits, readers } from "./nobody-waits.ts";

const LIMIT_MS = 60_000;
const server = await furnishedContext();
afterAll(() => server[Symbol.asyncDispose]());

for (const [route, cases] of Object.entries(CONTEXT_ROWS))
  describe(route, () => {
    for (const [name, act] of Object.entries(cases))
      test(name, () => expectNobodyWaits(server.measured, () => act(server)), LIMIT_MS);
  });

describe("several readers at once", () => {
  test.each([
    ["GET /spaces/{space}/files", "by a user with many rules"],
    ["GET /spaces/{space}/history/{path}", "ten thousand versions"],
    ["GET /audit/stats", "of a long record"],
    ["POST /spaces/{space}/pull", "many files"],
    ["POST /spaces/{space}/pull", "large files"],
    ["PUT /users/{user}/acl", "as many segments as there may be"],
    ["GET /acl", "as many rules as a page may have"],
    ["GET /acl/explain", "as many segments as there may be"],
  ])(
    "%s: %s",
    (route, name) => expectNobodyWaits(server.measured, () => readers(CONTEXT_ROWS, route, name)(server)),
    LIMIT_MS,
  );
});

test("the measurement finds what keeps others waiting", async () => {
  const blocked = await server.measured.longestStretch(() => {
    server.measured.block(80);
    return Promise.resolve();
  });
  expect(blocked).toBeGreaterThan(70);
});
