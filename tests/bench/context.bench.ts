// The compiled context server over real HTTP, its rate limits off: durable writes with compare and swap, reads, what a whole space costs, the
// check of the audit record, a cold command, start and memory. Beside them bare Bun.serve, for writes with a durable insert for each request.

import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { atEnd } from "../kit/at-end.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { firstLines, processorMs, residentMb, type LoadResult } from "./programs.ts";
import { rate, writes } from "./context-writes.ts";
import { inTurn } from "./requests.ts";
import { figure, medianOf, timed, type Row } from "./row.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

const MANY = 64;
const PUSHED_FILES = 10_000;
const PUSHED_BYTES = 2048;
const POLL_MS = 20;
const REST_MS = 5_000;
const REST_SHARE_MAX = 0.005;
/** Sequential measurements: the median of this many. */
const SINGLE_RUNS = 9;

export async function run(): Promise<Row[]> {
  await using server = await runContext();
  await server.end("SIGTERM");
  const startMs = await timed(async () => {
    await server.start();
    await fetch(`${server.url}/health`);
  });
  const idleMb = await residentMb(server.pid);
  const atRest = await rest(server);
  const limits = await bareWrites(join(server.directory, ".."));
  // The first seconds of a server go into compiling it.
  await writes(server.url, server.bootstrap, MANY);
  const one = await writes(server.url, server.bootstrap, 1);
  const many = await writes(server.url, server.bootstrap, MANY);
  return [
    rate("durable CAS writes of 2 KB, 64 at once", many.rate, 8000, limits.many.rate),
    figure("  the same, p99", many.p99, { atMost: 20, limit: limits.many.p99 }),
    rate("durable CAS writes of 2 KB, one after the other", one.rate, 2000, limits.one.rate),
    ...(await reads(server)),
    ...(await wholeSpace(server)),
    ...(await audit(server)),
    rate(
      "durable writes of 2 KB to new paths, 64 at once",
      (await writes(server.url, server.bootstrap, MANY, "files")).rate,
      9000,
      // Measured beside it: what a new file costs depends on how many were deleted in the last minutes.
      (await bareWrites(join(server.directory, ".."), "files")).many.rate,
    ),
    figure("cairn file get, cold", await coldGet(server), { atMost: 40 }),
    figure("start to healthy", startMs, { atMost: 80 }),
    atRest,
    figure("memory of an idle server", idleMb, { unit: "MB", atMost: 60 }),
  ];
}

/** After a page of the console was opened, whose code is loaded with it. */
async function rest({ url, pid }: RunningContext): Promise<Row> {
  await (await fetch(`${url}/console/login`)).text();
  await Bun.sleep(1_000);
  const before = await processorMs(pid);
  await Bun.sleep(REST_MS);
  const share = ((await processorMs(pid)) - before) / REST_MS;
  const bound = { unit: "%", atMost: REST_SHARE_MAX * 100 };
  return figure("processor at rest, with the console", share * 100, bound);
}

/**
 * Bare Bun.serve and bare SQLite: each body is a row, and each row a commit that is on disk before it is answered. `files`: and then a file,
 * which gets its name when it is whole.
 */
const BARE_WRITER = `
const { Database } = await import("bun:sqlite");
const { mkdirSync, renameSync, writeFileSync } = await import("node:fs");
const [folder, what] = process.argv.slice(1);
mkdirSync(folder + "/raw", { recursive: true });
let count = 0;
const db = new Database(folder + "/raw-" + what + ".db");
db.run("PRAGMA locking_mode = EXCLUSIVE");
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = FULL");
db.run("CREATE TABLE version (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT");
const insert = db.query("INSERT INTO version (content) VALUES (?)");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const body = new Uint8Array(await request.arrayBuffer());
    insert.run(body);
    if (what === "files") {
      const path = folder + "/raw/" + (count += 1);
      writeFileSync(path + ".new", body);
      renameSync(path + ".new", path);
    }
    return Response.json({ ok: true });
  },
});
console.log(server.port);`;

async function bareWrites(
  folder: string,
  what: "versions" | "files" = "versions",
): Promise<{ many: LoadResult; one: LoadResult }> {
  const bare = Bun.spawn([process.execPath, "-e", BARE_WRITER, folder, what], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await using _ = atEnd(() => bare.kill());
  const url = `http://127.0.0.1:${(await firstLines(bare.stdout, /\n/)).trim()}`;
  const one = await writes(url, "-", 1);
  return { one, many: await writes(url, "-", MANY) };
}

async function reads(server: RunningContext): Promise<Row[]> {
  const content = "word ".repeat(400);
  await server.admin.write("read.md", content);
  const bare = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const s = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(${JSON.stringify(content)}) }); console.log(s.port)`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await using _ = atEnd(() => bare.kill());
  const { limit, ours } = await inTurn(
    { pid: bare.pid, port: Number(await firstLines(bare.stdout, /\n/)), path: "/" },
    {
      pid: server.pid,
      port: Number(new URL(server.url).port),
      path: "/api/v1/spaces/team/files/read.md",
      headers: [`Authorization: Bearer ${server.bootstrap}`],
    },
  );
  return [
    rate("reads of 2 KB, 64 at once", ours.rate, 30_000, limit.rate),
    figure("  the same, processor for one", ours.cost, { unit: "µs", limit: limit.cost }),
  ];
}

async function wholeSpace(server: RunningContext): Promise<Row[]> {
  const content_b64 = Buffer.alloc(PUSHED_BYTES, "text ").toString("base64");
  const pathOf = (index: number) => `many/${index % 100}/${index}.md`;
  const put = (index: number) => ({ op: "put", path: pathOf(index), content_b64 });
  const last = pathOf(PUSHED_FILES - 1);
  const send = (ops: object[]) => server.admin.post("/spaces/team/push", { ops });
  const push = (ops: object[]) => timed(() => send(ops));
  const begun = performance.now();
  const all = await timed(async () => {
    for (let from = 0; from < PUSHED_FILES; from += BATCH_OPERATIONS_MAX)
      await send(Array.from({ length: BATCH_OPERATIONS_MAX }, (_, index) => put(from + index)));
  });
  // Files follow in the order in which they were written.
  while (!existsSync(join(server.directory, "spaces", "team", last))) await Bun.sleep(POLL_MS);
  const shown = performance.now() - begun;
  const { head } = await server.admin.get("/spaces/team");
  let round = 0;
  const changed = () => Buffer.from(`changed ${++round}`).toString("base64");
  const single = await medianOf(SINGLE_RUNS, () => push([{ ...put(1), content_b64: changed() }]));
  const changes = await medianOf(SINGLE_RUNS, () =>
    timed(() => server.admin.get(`/spaces/team/changes?since=${head}`)),
  );
  const space = await medianOf(SINGLE_RUNS, () => timed(() => server.admin.get("/spaces/team")));
  return [
    figure("10,000 files, 20 MB, in pushes of 1,000", all, { atMost: 2000 }),
    figure("  until the working tree shows them all", shown, { atMost: 2000 }),
    figure("push of one among 10,000", single, { atMost: 20 }),
    figure("one change among 10,000", changes, { atMost: 2 }),
    figure("GET /spaces/{space}, 10,000 files", space, { atMost: 1 }),
  ];
}

async function audit(server: RunningContext): Promise<Row[]> {
  let entries = 0;
  const ms = await timed(async () => {
    ({ entries } = await server.admin.get("/audit/verify"));
  });
  return [rate("audit verify, entries", (entries / ms) * 1000, 100_000)];
}

async function coldGet(server: RunningContext): Promise<number> {
  const get = async () => {
    const { exitCode, stderr } = await server.cairn("file", "get", "read.md");
    if (exitCode !== 0) throw new Error(stderr);
  };
  return medianOf(SINGLE_RUNS, () => timed(get));
}
