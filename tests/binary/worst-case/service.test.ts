// Goal: nothing that one caller asks of the service keeps the others waiting for more than 50 ms.
// Runs late: it judges how long a request waits, in processor time.

import { afterAll, describe, test } from "bun:test";
import { expectNobodyWaits, readers } from "./nobody-waits.ts";
import { furnishedService } from "./furnished-service.ts";
import { SERVICE_ROWS } from "./service-rows.ts";

const LIMIT_MS = 60_000;
const service = await furnishedService();
afterAll(() => service[Symbol.asyncDispose]());

for (const [route, cases] of Object.entries(SERVICE_ROWS))
  describe(route, () => {
    for (const [name, act] of Object.entries(cases))
      test(name, () => expectNobodyWaits(service.measured, () => act(service)), LIMIT_MS);
  });

describe("several readers at once", () => {
  test.each([
    ["GET /agents/{id}/prompt", "a long conversation"],
    ["GET /turns/{id}/calls", "of a turn"],
    ["GET /turns/{id}/steps", "of a turn with many calls"],
    ["GET /workspaces/{id}/entries", "long messages"],
    ["GET /workspaces/{id}/turns", "of long messages"],
    ["GET /workspaces/{id}/turns/summaries", "of long messages"],
    ["GET /workspaces/{id}/blueprint", "as many agents and wires as there may be"],
    ["GET /workspaces/{id}/agents", "as many as there may be"],
    ["POST /gears", "much code"],
  ])(
    "%s: %s",
    (route, name) => expectNobodyWaits(service.measured, () => readers(SERVICE_ROWS, route, name)(service)),
    LIMIT_MS,
  );
});
