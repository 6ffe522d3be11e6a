// The worst that a caller can ask of each route of the service that takes text or grows with data, on a service that is furnished with
// much. A new route needs a row here, or a reason why its input and its answer are small (tests/house/worst-cases.test.ts).

import type { Database } from "bun:sqlite";
import type { Backup } from "../../../src/service/backup/schema.ts";
import { MEMORY_DOCUMENT_BYTES_MAX } from "../../../src/service/memory/schema.ts";
import { rangeOf } from "../../../src/service/search/index-ids.ts";
import { FILE_TEXT_BYTES_MAX } from "../../../src/service/search/schema.ts";
import { lookAtCopy } from "../../kit/service/database-copy.ts";
import { eventually } from "../../kit/eventually.ts";
import { FINDING_ROWS } from "./finding-rows.ts";
import { BUSY } from "../../kit/service/large-memory.ts";
import { LONG_EVENTS } from "./furnished-service.ts";
import { LIBRARY_ROWS } from "./library-rows.ts";
import { MESSAGE_ROWS } from "./message-rows.ts";
import { WORKSPACE_ROWS } from "./workspace-rows.ts";
import { asks, get, own, type ServiceCase } from "./service-asks.ts";

const EVENTS = 10_000;
const PASSWORD_CHARACTERS_MAX = 1_000;
const INSTRUCTION_CHARACTERS_MAX = 100_000;
const FILE_BYTES = 2 * 1024 * 1024;
const NAME_CHARACTERS = 8;

let attempts = 0;
const newName = () => `${"name".slice(0, NAME_CHARACTERS)} ${(attempts += 1)}`;

/** Of as many parts as there may be. */
const largeSchema = JSON.stringify({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 290 }, (_, index) => [
      `p${index}`,
      { type: "string", maxLength: index, pattern: "^a+b+$" },
    ]),
  ),
});
/** A reference costs a compiler as much as what it refers to. */
const repeatingSchema = JSON.stringify({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`q${index}`, { $ref: "#/$defs/big" }]),
  ),
  $defs: {
    big: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 95 }, (_, index) => [`p${index}`, { type: "string", pattern: "^a+b+$" }]),
      ),
    },
  },
});
/** Arguments are checked three times as often with each level. */
const branchingSchema = JSON.stringify({
  type: "object",
  properties: { x: { $ref: "#/$defs/n" } },
  $defs: {
    n: {
      type: "object",
      properties: { a: { anyOf: Array.from({ length: 3 }, () => ({ $ref: "#/$defs/n" })) } },
      required: ["a"],
    },
  },
});
const LEVELS = 30;
const RUNS_AT_ONCE = 5;
const gear = (fields: object) => ({
  name: `gear_${(attempts += 1)}`,
  description: "A gear.",
  runtime: "python",
  args_schema: JSON.stringify({ type: "object", properties: {} }),
  code: "print(1)",
  ...fields,
});

const SAVED_AT_ONCE = 64;
/** More would slow down each merge, and with it each write. */
const INDEX_PARTS_MAX = 24;
const WORD_RADIX = 36;

function differentWords(seed: number): string {
  const count = FILE_TEXT_BYTES_MAX / 16;
  const word = (index: number) => (seed * count + index).toString(WORD_RADIX).split("").toReversed().join("");
  return Array.from({ length: count }, (_, index) => `${word(index)} w${index}`).join(" ");
}

/** No file waits to be indexed, and the parts of the index are merged. */
function isIndexed(db: Database): boolean {
  const { parts, left } = db
    .query<{ parts: number; left: number }, [number]>(
      "SELECT (SELECT count(DISTINCT segid) FROM search_index_idx) AS parts, (SELECT count(*) FROM search_queue WHERE id >= ?) AS left",
    )
    .get(rangeOf("file")[0])!;
  return left === 0 && parts <= INDEX_PARTS_MAX;
}

const MEMORY = "/context/file?path=large.md";

export const SERVICE_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  ...WORKSPACE_ROWS,
  ...FINDING_ROWS,
  ...LIBRARY_ROWS,
  "GET /context/files": { "of many": get(() => "/context/files") },
  "GET /context/file": { "as large as it may be": get(() => MEMORY) },
  "GET /context/history": { "of a document": get(() => "/context/history?path=large.md") },
  "GET /context/search": { "of many": get(() => "/context/search?q=note") },
  "POST /context/restore": {
    "as large as it may be": asks(
      "POST",
      () => "/context/restore",
      200,
      () => ({ path: "large.md", version: 1 }),
    ),
  },
  "PUT /context/file": {
    "as large as it may be": asks(
      "PUT",
      () => MEMORY,
      200,
      () => `${(attempts += 1)} word `.repeat(MEMORY_DOCUMENT_BYTES_MAX / 16),
    ),
  },
  "GET /workspaces/{id}/memory": { "of many": get(own("/memory")) },
  "GET /workspaces/{id}/memory/file": {
    "one of many": get((service) => own(`/memory/file?path=${service.branch}/shared/note-0.md`)(service)),
  },
  "GET /workspaces/{id}/memory/history": {
    "of many versions": get((service) =>
      own(`/memory/history?limit=500&path=${service.branch}/${BUSY}`)(service),
    ),
  },
  "POST /backups": {
    "of everything": async ({ admin }) => {
      const { id } = await admin.post<Backup>("/backups");
      const state = async () => (await admin.get<Backup>(`/backups/${id}`)).state;
      await eventually(async () => (await state()) !== "running", true);
      if ((await state()) !== "done") throw new Error("the backup failed");
    },
  },
  "GET /workspaces/{id}/turns": {
    "the newest of many": get(own("/turns?limit=50")),
    "of long messages": get(({ longId }) => `/workspaces/${longId}/turns?limit=500`),
  },
  "POST /workspaces/{id}/clear-taint": {
    "a long conversation": asks("POST", own("/clear-taint"), 200, () => ({ through: 1_000_000 })),
  },
  "POST /workspaces/{id}/clone": {
    "as many agents and wires as there may be": asks(
      "POST",
      ({ crowdedId }) => `/workspaces/${crowdedId}/clone`,
      201,
      () => ({ name: newName() }),
    ),
  },
  "DELETE /workspaces/{id}": {
    "a long conversation, until its last row is gone": async (service) => {
      const id = service.spareIds.pop();
      await asks("DELETE", () => `/workspaces/${id}`, 204)(service);
      const left = (db: Database) => db.query("SELECT 1 FROM workspace_rows WHERE state <> 'live'").all();
      await eventually(() => lookAtCopy(service.data, left), []);
    },
  },
  "GET /agents/{id}/prompt": {
    "a long conversation": get(({ agentId }) => `/agents/${agentId}/prompt`),
    // The service keeps one conversation of this size in memory, so the other prompt makes it read this one again.
    "of long messages": async (service) => {
      await get(({ agentId }) => `/agents/${agentId}/prompt`)(service);
      await get(({ longAgentId }) => `/agents/${longAgentId}/prompt`)(service);
    },
  },
  "GET /calls/{id}": {
    "a long conversation": get(({ calls }) => `/calls/${calls[0]}`),
    "of long messages": get(({ longCallId }) => `/calls/${longCallId}`),
  },
  "GET /workspaces/{id}/decisions": { "of many events": get(own("/decisions?limit=500")) },
  "GET /calls/{id}/diff": {
    "two long conversations that share their beginning": get(
      ({ calls }) => `/calls/${calls[1]}/diff?to=${calls[0]}`,
    ),
    "two of which one lacks the first entry": get(
      ({ calls }) => `/calls/${calls[0]}/diff?to=${calls[0] + 1}`,
    ),
  },
  "GET /turns/{id}/calls": { "of a turn": get(({ turnId }) => `/turns/${turnId}/calls`) },
  "GET /turns/{id}/steps": {
    "of a turn with many calls": get(({ turnId }) => `/turns/${turnId}/steps`),
    "with long arguments": get(({ longTurnId }) => `/turns/${longTurnId}/steps`),
  },
  "GET /workspaces/{id}/usage": { "of many calls": get(own("/usage")) },
  "GET /workspaces/{id}/usage/days": { "of many calls": get(own("/usage/days?days=90&by=model")) },
  "GET /workspaces/{id}/blueprint": {
    "as it is": get(own("/blueprint")),
    "as it was": get((service) => own(`/blueprint?at=${service.turnId}`)(service)),
    "as many agents and wires as there may be": get(({ crowdedId }) => `/workspaces/${crowdedId}/blueprint`),
  },
  "GET /workspaces": { "of many": get(() => "/workspaces") },
  "GET /workspaces/{id}/agents": {
    "as many as there may be": get(({ crowdedId }) => `/workspaces/${crowdedId}/agents`),
  },
  "POST /instructions": {
    "as long as it may be": asks(
      "POST",
      () => "/instructions",
      201,
      () => ({ name: newName(), text: "*_`[".repeat(INSTRUCTION_CHARACTERS_MAX / 4) }),
    ),
  },
  "POST /gears": {
    "a large schema of arguments": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ args_schema: largeSchema }),
    ),
    "a schema whose references repeat a large part": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ args_schema: repeatingSchema }),
    ),
    "much code": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ code: "#\n".repeat(FILE_BYTES / 2) }),
    ),
    "code in nothing but escapes": asks(
      "POST",
      () => "/gears",
      400,
      () => gear({ code: '"'.repeat(3_000_000) }),
    ),
    "code with as many escapes as are read": asks(
      "POST",
      () => "/gears",
      201,
      () => gear({ code: `${"#".repeat(2_900_000)}${"\n".repeat(1_190_000)}` }),
    ),
  },
  "POST /gears/{id}/run": {
    "arguments that take long to check": async (service) => {
      const { id } = await service.admin.post("/gears", gear({ args_schema: branchingSchema }));
      const args = JSON.parse(`{"x":${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}}`) as object;
      const run = asks(
        "POST",
        () => `/gears/${id}/run?dry=1`,
        400,
        () => ({ args }),
      );
      await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => run(service)));
    },
  },
  "PUT /workspaces/{id}/file": {
    "as large as it may be": async (service) => {
      const path = own(`/file?path=large-${(attempts += 1)}.txt`);
      await asks("PUT", path, 201, () => "x\n".repeat(FILE_BYTES / 2 - 1))(service);
    },
    "many at once, of words that all differ, until they are indexed": async (service) => {
      const saves = Array.from({ length: SAVED_AT_ONCE }, async (_, index) => {
        const path = own(`/file?path=indexed-${index}.txt`)(service);
        const body = differentWords((attempts += 1));
        const answer = await service.admin.raw("PUT", path, { body });
        if (!answer.ok) throw new Error(`save: ${answer.status} ${await answer.text()}`);
      });
      await Promise.all(saves);
      await eventually(() => lookAtCopy(service.data, isIndexed), true);
    },
  },
  ...MESSAGE_ROWS,
  "GET /workspaces/{id}/file": { "as large as it may be": get(own("/file?path=read.txt")) },
  "GET /turns/{id}/events": {
    "all of a turn": async (service) => {
      const stream = await service.admin.events(`/turns/${service.turnId}/events?after=0`);
      await stream.all();
    },
  },
  "GET /workspaces/{id}/events": {
    "all there ever were": async (service) => {
      await using stream = await service.admin.events(own("/events?after=0")(service));
      for (let seen = 0; seen < EVENTS; seen += 1) await stream.next();
    },
    "of long messages": async ({ admin, longId }) => {
      await using stream = await admin.events(`/workspaces/${longId}/events?after=0`);
      for (let seen = 0; seen < LONG_EVENTS; seen += 1) await stream.next();
    },
  },
  "POST /login": {
    "a password as long as it may be": asks(
      "POST",
      () => "/login",
      401,
      () => ({ user: newName(), password: "p".repeat(PASSWORD_CHARACTERS_MAX) }),
    ),
  },
  "PUT /users/{id}/password": {
    "as long as it may be": asks(
      "PUT",
      ({ userId }) => `/users/${userId}/password`,
      204,
      () => ({ password: "p".repeat(PASSWORD_CHARACTERS_MAX) }),
    ),
  },
  "GET /audit": {
    "the newest": get(() => "/audit?limit=50"),
    "what nobody did": get(() => "/audit?action=never.done"),
  },
  "GET /audit/export": {
    "all of it": get(() => "/audit/export"),
    "what nobody did": get(() => "/audit/export?action=never.done"),
  },
  "GET /audit/verify": { "of a record that someone added to": get(() => "/audit/verify") },
  "GET /openapi.json": { "all of it": get(() => "/openapi.json") },
};

/** Why a route needs no row. */
export const SERVICE_BOUNDED: Readonly<Record<string, readonly string[]>> = {
  "one row by its key, nothing else": [
    "POST /logout",
    "GET /whoami",
    "GET /backups/{id}",
    "DELETE /backups/{id}",
    "DELETE /users/{id}/tokens",
    "DELETE /teams/{id}",
    "PUT /teams/{id}/members/{user_id}",
    "DELETE /teams/{id}/members/{user_id}",
    "DELETE /providers/{id}",
    "DELETE /models/{id}",
    "GET /workspaces/{id}",
    "POST /workspaces/{id}/archive",
    "POST /workspaces/{id}/unarchive",
    "PUT /workspaces/{id}/teams/{team_id}",
    "DELETE /workspaces/{id}/teams/{team_id}",
    "DELETE /agents/{id}",
    "DELETE /wires/{id}",
    "GET /turns/{id}",
    "POST /turns/{id}/cancel",
    "POST /turns/{id}/resume",
    "GET /entries/{id}",
    "DELETE /entries/{id}",
    "POST /entries/{id}/restore",
    "POST /entries/{id}/clear-taint",
    "GET /context/status",
    "DELETE /context/file",
    "DELETE /context-bindings/{id}",
    "GET /instructions/{id}",
    "DELETE /instructions/{id}",
    "GET /instruction-proposals/{id}",
    "POST /instruction-proposals/{id}/decision",
    "DELETE /instruction-bindings/{id}",
    "GET /gears/{id}",
    "DELETE /gears/{id}",
    "GET /gear-runs/{id}",
    "POST /gear-runs/{id}/cancel",
    "DELETE /gear-bindings/{id}",
    "GET /egress/status",
    "GET /gears/isolation",
    "POST /egress/off",
    "POST /egress/requests/{id}/decision",
    "DELETE /egress-grants/{id}",
    "GET /terminal/status",
  ],
  "a list that limits of its own keep short, or a page of one": [
    "GET /backups",
    "GET /users",
    "GET /teams",
    "GET /providers",
    "GET /models",
    "GET /workspaces/{id}/wires",
    "GET /workspaces/{id}/files",
    "GET /workspaces/{id}/context",
    "GET /workspaces/{id}/memory/writes",
    "GET /gears",
    "GET /gears/{id}/versions",
    "GET /gears/{id}/runs",
    "GET /workspaces/{id}/gears",
    "GET /egress/pending",
    "GET /egress/log",
    "GET /workspaces/{id}/egress",
  ],
  "a small body by its schema": [
    "POST /users",
    "PATCH /users/{id}",
    "DELETE /users/{id}",
    "POST /users/{id}/tokens",
    "POST /teams",
    "PATCH /teams/{id}",
    "POST /providers",
    "PATCH /providers/{id}",
    "POST /providers/{id}/test",
    "POST /models",
    "PATCH /models/{id}",
    "POST /workspaces",
    "PATCH /workspaces/{id}",
    "POST /workspaces/{id}/agents",
    "PATCH /agents/{id}",
    "POST /workspaces/{id}/wires",
    "POST /workspaces/{id}/instructions",
    "POST /workspaces/{id}/context",
    "PATCH /gears/{id}",
    "POST /workspaces/{id}/gears",
    "POST /workspaces/{id}/egress",
  ],
  "the same work as in a row: saving is creating, a test is a run": [
    "PUT /instructions/{id}",
    "PUT /gears/{id}",
    "POST /gears/{id}/tests/run",
  ],
  "a part of the work of a row: the parts of a call": ["GET /calls/{id}/receipt"],
  "a connection of its own": ["GET /terminal", "GET /workspaces/{id}/terminal"],
  "asks the database whether it is there": ["GET /health"],
};
