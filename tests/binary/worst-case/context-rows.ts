// The worst that a caller can ask of each route of the context server that takes text or grows with data, on a server that is furnished
// with much. A new route needs a row here, or a reason why its input and its answer are small (tests/house/worst-cases.test.ts).

import { join } from "node:path";
import { capabilities, type AclRule } from "../../../src/context/access/schema.ts";
import { LINKS_PER_DOCUMENT_MAX } from "../../../src/context/versioned-store/links.ts";
import { BATCH_OPERATIONS_MAX } from "../../../src/context/versioned-store/schema.ts";
import { contextClient, contextServer, type ContextClient } from "../../kit/context/context-server.ts";
import { measuredServer, type MeasuredServer } from "../../kit/service/measured-server.ts";
import { addVersions } from "./many-versions.ts";

type ContextCase = (server: Furnished) => Promise<void>;

export interface Furnished extends AsyncDisposable {
  readonly measured: MeasuredServer;
  readonly admin: ContextClient;
  /** A contributor with many rules, each of which is looked at for each path. */
  readonly ruled: ContextClient;
}

const MIB = 1024 * 1024;
const SPACE = "/spaces/team";
/** Each is a file, a version, a change, an event and a record of the audit file. */
const FILES = 6_000;
const FILES_PER_PUSH = BATCH_OPERATIONS_MAX;
const RULES = 1_000;
const LINES = 10_000;
const PASSWORD_CHARACTERS_MAX = 1_000;

const lines = (mark: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${mark} ${index} ${mark}${index}`).join("\n");
const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const nothingButLinks = (mark: number) =>
  Array.from({ length: LINKS_PER_DOCUMENT_MAX }, (_, index) => `[[${mark}-${index}]]`).join(" ");
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function send(client: ContextClient, method: string, path: string, body?: string | Uint8Array) {
  const isContent = path.startsWith(`${SPACE}/files/`);
  const json: Record<string, string> = isContent ? {} : { "Content-Type": "application/json" };
  const init = body === undefined ? {} : { body, headers: json };
  const response = await client.raw(method, path, init);
  await response.arrayBuffer();
  return response.status;
}

/** The request, and the status that shows that it came as far as meant. */
const asks =
  (
    method: string,
    path: string,
    status: number,
    body?: (attempt: number) => string | Uint8Array,
  ): ContextCase =>
  async ({ admin }) => {
    attempts += 1;
    const answered = await send(admin, method, path, body?.(attempts));
    if (answered !== status) throw new Error(`${method} ${path}: ${answered}, not ${status}`);
  };
/** As `asks`, by the user with many rules. */
const asksRuled =
  (method: string, path: string, status: number, body?: (attempt: number) => string): ContextCase =>
  (server) =>
    asks(method, path, status, body)({ ...server, admin: server.ruled });
/** So that each try writes something else. */
let attempts = 0;

const get = (path: string): ContextCase => asks("GET", path, 200);
const put =
  (name: string, text: string): ContextCase =>
  (server) =>
    asks("PUT", `${SPACE}/files/new/${attempts}-${name}`, 201, () => text)(server);

function pushOf(files: number, textOf: (index: number) => string): (attempt: number) => string {
  return (attempt) =>
    JSON.stringify({
      ops: Array.from({ length: files }, (_, index) => ({
        op: "put",
        path: `pushed/${attempt}/${index % 20}/${index}.md`,
        content_b64: base64(textOf(index)),
      })),
    });
}

/** Other contents for the files of one of the pushes that furnished the space. */
function rewriteOf(push: number): string {
  return pushOf(FILES_PER_PUSH, (index) => `# ${index} after ${attempts}\n\nSee [[${index}]]\n`)(push);
}

const smallDocument = (index: number) =>
  `---\nnumber: ${index}\nstale-after: 90d\n---\n# ${index}\n\nSee [[${index}]] and other/${index}.md\n`;

export const CONTEXT_ROWS: Readonly<Record<string, Readonly<Record<string, ContextCase>>>> = {
  "GET /spaces/{space}/files": {
    "all of many files": get(`${SPACE}/files?deleted=1`),
    "as it was": async (server) => get(`${SPACE}/files?at=${await headOf(server)}`)(server),
    "by a user with many rules": asksRuled("GET", `${SPACE}/files`, 200),
  },
  "PUT /spaces/{space}/files/{path}": {
    "5 MiB of lines": put("lines.txt", filled("word ".repeat(15) + "\n", 5 * MIB - MIB / 8)),
    "nothing but links": put("links.md", filled("[[a]] [x](y.md) z/q.md ", 2 * MIB)),
    "nothing but beginnings of links": put("brackets.md", filled("[](<", 2 * MIB)),
    "nothing but addresses": put("addresses.md", filled("[ ://a/b ", 2 * MIB)),
    "aliases that grow": put(
      "aliases.md",
      `---\na0: &a0 [x, x]\n${Array.from({ length: 200 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join("\n")}\n---\n`,
    ),
    "nothing but links, by many at once": async (server) => {
      const puts = Array.from({ length: 20 }, (_, index) =>
        put(`links-${index}.md`, nothingButLinks(index))(server),
      );
      await Promise.all(puts);
    },
    "what is nearly a key": put("key.txt", filled(`SG.a.${"_".repeat(258)}\n`, 4 * MIB)),
    "nothing but beginnings of keys": put("keys.txt", filled("https://a:b@ eyJ glc_ ops_ey ", 4 * MIB)),
  },
  "GET /spaces/{space}/files/{path}": { "5 MiB": get(`${SPACE}/files/large.txt`) },
  "GET /spaces/{space}/history/{path}": { "ten thousand versions": get(`${SPACE}/history/often.md`) },
  "GET /spaces/{space}/diff/{path}": {
    "ten thousand lines, all new": get(`${SPACE}/diff/rewritten.txt`),
    "two of 5 MiB, all new": get(`${SPACE}/diff/large.txt`),
    "millions of lines, all new": get(`${SPACE}/diff/feeds.txt`),
    "of a file with ten thousand versions": get(`${SPACE}/diff/often.md`),
  },
  "GET /spaces/{space}/search": {
    "a word of every file, all that may be shown": get(`${SPACE}/search?q=see&limit=1000&lines=20`),
    "a word of every file, for few of them": get(`${SPACE}/search?q=see&path=pushed/0/0/*7.md`),
    "what was just written, in many files": async (server) => {
      await asks("POST", `${SPACE}/push`, 200, () => rewriteOf(0))(server);
      await get(`${SPACE}/search?q=after*`)(server);
    },
    "a line of every file": get(`${SPACE}/search?q=.%2B&regex=1&limit=1000&lines=20`),
    "an expression that runs away elsewhere": get(
      `${SPACE}/search?q=${encodeURIComponent("((a*)*|(o|old|.)*)*$")}&regex=1&path=large.txt`,
    ),
  },
  "GET /spaces/{space}/changes": {
    "all there ever were": async (server) =>
      get(`${SPACE}/changes?since=${(await headOf(server)).replace(/\..*/, ".0")}`)(server),
    "by a user with many rules": async (server) =>
      asksRuled("GET", `${SPACE}/changes?since=${(await headOf(server)).replace(/\..*/, ".0")}`, 200)(server),
  },
  "POST /spaces/{space}/documents": {
    "as many as there may be": asks("POST", `${SPACE}/documents`, 200, () =>
      JSON.stringify({ prefixes: ["pushed"] }),
    ),
    "many by name": asks("POST", `${SPACE}/documents`, 200, () =>
      JSON.stringify({ paths: Array.from({ length: 1_000 }, (_, index) => furnishedPath(index)) }),
    ),
  },
  "GET /spaces/{space}/freshness": { "of many files": get(`${SPACE}/freshness`) },
  "GET /spaces/{space}/graph": {
    "totals of many files": get(`${SPACE}/graph`),
    "after a change, with as many links as one document may have": async (server) => {
      await server.admin.write("links.md", filled(`[[${attempts}]] [[none]] `, MIB / 8));
      await get(`${SPACE}/graph?path=links.md`)(server);
    },
    "every link": get(`${SPACE}/graph?only=links`),
    "every rank": get(`${SPACE}/graph?only=ranks`),
    "the core of many files, and of the part around one": async (server) => {
      await get(`${SPACE}/graph?only=core`)(server);
      await get(`${SPACE}/graph?only=core&path=${furnishedPath(0)}`)(server);
    },
  },
  "POST /spaces/{space}/adopt": { "nothing, in many files": asks("POST", `${SPACE}/adopt`, 200, () => "{}") },
  "POST /spaces/{space}/snapshots/{id}/restore": {
    "one file of many": async (server) => {
      await server.admin.write("pushed/0/0/0.md", `changed ${attempts}`);
      await asks("POST", `${SPACE}/snapshots/1/restore`, 200, () => "{}")(server);
    },
    "one file of many, while others write thousands": async (server) => {
      const pushes = [0, 1].map((push) => asks("POST", `${SPACE}/push`, 200, () => rewriteOf(push))(server));
      await Promise.all([...pushes, asks("POST", `${SPACE}/snapshots/1/restore`, 200, () => "{}")(server)]);
    },
    "thousands of files that are all others": async (server) => {
      for (let push = 0; push < FILES / FILES_PER_PUSH; push += 1)
        await asks("POST", `${SPACE}/push`, 200, () => rewriteOf(push))(server);
      await asks("POST", `${SPACE}/snapshots/1/restore`, 200, () => "{}")(server);
    },
  },
  "POST /spaces/{space}/push": {
    "many small documents": asks("POST", `${SPACE}/push`, 200, pushOf(FILES_PER_PUSH, smallDocument)),
    "many small documents, while the files of others are still written": async (server) => {
      const push = asks("POST", `${SPACE}/push`, 200, pushOf(FILES_PER_PUSH, smallDocument));
      for (let pushes = 0; pushes < 3; pushes += 1) await push(server);
    },
    "by a user with many rules": asksRuled(
      "POST",
      `${SPACE}/push`,
      200,
      pushOf(FILES_PER_PUSH, smallDocument),
    ),
    "large documents": asks(
      "POST",
      `${SPACE}/push`,
      200,
      pushOf(2, (index) => filled(`word ${index} and another/one.md\n`, 2 * MIB)),
    ),
    "many documents of nothing but links": asks("POST", `${SPACE}/push`, 200, pushOf(30, nothingButLinks)),
    "content in nothing but escapes": asks("POST", `${SPACE}/push`, 200, (attempt) =>
      pushOf(1, () => " ".repeat(2 * MIB))(attempt).replace(/[A-Za-z0-9+/]{1000,}=*/, (content) =>
        content.replaceAll(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
      ),
    ),
    "JSON without an end": asks("POST", `${SPACE}/push`, 400, () => "[".repeat(4 * MIB)),
  },
  "POST /spaces/{space}/pull": {
    "many files": asks("POST", `${SPACE}/pull`, 200, () =>
      JSON.stringify({
        paths: Array.from({ length: 2_000 }, (_, index) => furnishedPath(index)),
      }),
    ),
    "many files, as they are stored": asks("POST", `${SPACE}/pull`, 200, () =>
      JSON.stringify({
        paths: Array.from({ length: 2_000 }, (_, index) => furnishedPath(index)),
        form: "contents",
      }),
    ),
    "large files": asks("POST", `${SPACE}/pull`, 200, () =>
      JSON.stringify({ paths: ["large.txt", "feeds.txt"] }),
    ),
    "by a user with many rules": asksRuled("POST", `${SPACE}/pull`, 200, () =>
      JSON.stringify({ paths: Array.from({ length: 2_000 }, (_, index) => furnishedPath(index)) }),
    ),
  },
  "GET /audit": { "the newest": get("/audit?limit=1"), "what nobody did": get("/audit?action=never.done") },
  "GET /audit/stats": { "of a long record": get("/audit/stats") },
  "GET /audit/verify": { "of a long record": get("/audit/verify") },
  "GET /audit/export": { "a long record": get("/audit/export") },
  "GET /events": {
    "all there ever were": async ({ admin }) => {
      await using stream = await admin.events("/events", { headers: { "Last-Event-ID": "1" } });
      for (let seen = 0; seen < FILES; seen += 1) await stream.next();
    },
  },
  "POST /auth/login": {
    "a password as long as it may be": asks("POST", "/auth/login", 401, () =>
      JSON.stringify({ name: `nobody ${attempts}`, password: "p".repeat(PASSWORD_CHARACTERS_MAX) }),
    ),
  },
  "PUT /users/{user}/password": {
    "as long as it may be": asks("PUT", "/users/worst/password", 204, () =>
      JSON.stringify({ password: "p".repeat(PASSWORD_CHARACTERS_MAX) }),
    ),
  },
  "PUT /users/{user}/acl": {
    "as many patterns as there may be, each of which could run away": asks(
      "PUT",
      "/users/worst/acl",
      200,
      () =>
        JSON.stringify({
          rules: Array.from({ length: RULES }, () => ({
            effect: "deny",
            path: `team/${"**/*a*/".repeat(40)}b`,
            capabilities: ["read"],
          })),
        }),
    ),
    // The pattern that is compiled for the longest, at its length, in a body as large as it may be.
    "as many segments as there may be": asks("PUT", "/users/worst/acl", 200, () =>
      JSON.stringify({
        rules: Array.from({ length: RULES }, () => ({
          effect: "deny",
          path: `other/${"a/".repeat(480)}b`,
          capabilities: ["read"],
        })),
      }),
    ),
  },
  "GET /acl": { "as many rules as a page may have": get("/acl") },
  "GET /acl/explain": {
    "a long path, many patterns": get(
      `/acl/explain?user=worst&capability=read&path=${encodeURIComponent(`team/${"a/".repeat(400)}b`)}`,
    ),
    "as many segments as there may be": get("/acl/explain?user=worst&capability=read&path=other/b"),
  },
  "PUT /spaces/{space}/sync": {
    "as many rules as there may be": asks("PUT", `${SPACE}/sync`, 200, () =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`never${index}`, "never"])),
      ),
    ),
  },
  "GET /spaces/{space}/sync": {
    "as many rules as there may be, by a user with many": asksRuled("GET", `${SPACE}/sync`, 200),
  },
  "DELETE /spaces/{space}": {
    "of many files": async (server) => {
      const name = `gone-${(attempts += 1)}`;
      await asks("POST", "/spaces", 201, () => JSON.stringify({ name }))(server);
      for (let push = 0; push < FILES / FILES_PER_PUSH; push += 1)
        await asks("POST", `/spaces/${name}/push`, 200, () => pushOf(FILES_PER_PUSH, smallDocument)(push))(
          server,
        );
      await asks("DELETE", `/spaces/${name}?confirm=${name}`, 200)(server);
    },
  },
  "GET /openapi.json": { "all of it": get("/openapi.json") },
};

/** Why a route needs no row. */
export const CONTEXT_BOUNDED: Readonly<Record<string, readonly string[]>> = {
  "one row by its key, nothing else": [
    "DELETE /auth/token",
    "GET /auth/whoami",
    "GET /users/{user}",
    "PATCH /users/{user}",
    "DELETE /users/{user}",
    "POST /users/{user}/disable",
    "POST /users/{user}/enable",
    "DELETE /users/{user}/tokens",
    "DELETE /users/{user}/tokens/{id}",
    "GET /spaces/{space}",
    "PUT /spaces/{space}/quotas",
    "DELETE /spaces/{space}/files/{path}",
    "POST /spaces/{space}/undelete/{path}",
    "DELETE /spaces/{space}/versions/{path}",
    "POST /audit/acknowledge",
    "PATCH /webhooks/{id}",
    "DELETE /webhooks/{id}",
    "POST /webhooks/{id}/secret",
    "POST /webhooks/{id}/test",
    "POST /deliveries/{delivery}/redeliver",
    "DELETE /backups/{id}",
    "GET /backups/{id}",
  ],
  "a list that limits of its own keep short, or a page of one": [
    "GET /users",
    "GET /users/{user}/tokens",
    "GET /users/{user}/acl",
    "DELETE /users/{user}/acl",
    "GET /spaces",
    "GET /spaces/{space}/snapshots",
    "GET /audit/breaks",
    "GET /webhooks",
    "GET /webhooks/dead-letter",
    "GET /webhooks/{id}/deliveries",
  ],
  "a small body by its schema": [
    "POST /users",
    "POST /users/{user}/tokens",
    "POST /spaces",
    "POST /spaces/{space}/snapshots",
    "POST /webhooks",
  ],
  "asks the database whether it is there": ["GET /health"],
  "on the machine of the server only; archives are read and written with pauses": ["POST /backups"],
};

async function headOf({ admin }: Pick<Furnished, "admin">): Promise<string> {
  return (await admin.get(SPACE)).head;
}

function furnishedPath(index: number): string {
  const push = Math.floor(index / FILES_PER_PUSH);
  const file = index % FILES_PER_PUSH;
  return `pushed/${push}/${file % 20}/${file}.md`;
}

export async function furnishedContext(): Promise<Furnished> {
  const server = await contextServer();
  const { admin, directory, bootstrap } = server;
  const furnish = pushOf(FILES_PER_PUSH, smallDocument);
  for (let push = 0; push < FILES / FILES_PER_PUSH; push += 1)
    await send(admin, "POST", `${SPACE}/push`, furnish(push));
  await admin.write("often.md", "again");
  for (const mark of ["old", "new"]) {
    await admin.write("rewritten.txt", lines(mark, LINES));
    await admin.write("large.txt", lines(mark, 240_000));
    await admin.write("feeds.txt", (mark === "old" ? "\n" : "a\n").repeat(2 * MIB));
  }
  await server.user("worst", "viewer");
  const { token } = await admin.post("/users", { name: "ruled", role: "contributor" });
  const rules = Array.from({ length: RULES }, (_, index): AclRule => ({
    effect: "deny",
    path: `team/**/x*y*${index}*/**`,
    capabilities: [...capabilities],
  }));
  await server.rules("ruled", ...rules);
  await admin.post(`${SPACE}/snapshots`, { name: "furnished" });
  // Started once more, since what it has in the database is another.
  await server.stop();
  addVersions(join(directory, "spaces", "team", ".cairn", "space.db"));
  const measured = await measuredServer("context", directory);
  return {
    measured,
    admin: contextClient(measured.url, bootstrap),
    ruled: contextClient(measured.url, token),
    async [Symbol.asyncDispose]() {
      await measured[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
