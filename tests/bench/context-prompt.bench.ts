// The cost of memory for a turn: from the person's message to the request at the model, with 200 bound documents and without any, for a space in a folder
// and for a context server 50 ms away. Beside them the least programs that could do it: the same texts from one SQLite table, and one request to
// bare Bun.serve through the same delay.

import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import type { SpaceDoor } from "../../src/context/space/door.ts";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import { RemoteSpace } from "../../src/context/space/remote.ts";
import { atEnd } from "../kit/at-end.ts";
import { runContext } from "../kit/context/running-context.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { benchService, type BenchService } from "./programs.ts";
import { figure, median, type Row } from "./row.ts";

const DOCUMENTS = 200;
/** Together just below what a prompt takes. */
const DOCUMENT = "word ".repeat(180);
const ROUND_TRIP_MS = 50;
const TURNS = 15;
const WARM_UP_TURNS = 3;
const ADDED_MS_MAX = 10;
/** One round trip, and the work. */
const FAR_MS_MAX = 1.5 * ROUND_TRIP_MS;
const ANSWER = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
]
  .map(
    (chunk) =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "m", ...chunk })}\n\n`,
  )
  .concat("data: [DONE]\n\n")
  .join("");
const names = Array.from({ length: DOCUMENTS }, (_, index) => `team/document-${index}.md`);

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "cairn-bench-"));
  await using _ = atEnd(() => rm(folder, { recursive: true, force: true }));
  return [...(await inFolder(folder)), ...(await onServer(folder))];
}

async function inFolder(folder: string): Promise<Row[]> {
  const directory = join(folder, "space");
  const space = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  await fill(space);
  await using service = await benchService(Bun.YAML.stringify({ memory: { space: directory } }, null, 2));
  const { plain, bound } = await startsOf(service);
  const limit = rawReads(join(folder, "raw.db"));
  return [
    figure(`added to a turn's start by ${DOCUMENTS} bound documents in a folder`, bound.added, {
      limit,
      atMost: ADDED_MS_MAX,
    }),
    figure("  the same, the first turn, which reads them", bound.first - plain.typical, { limit }),
    figure("  a turn's start without documents", plain.typical),
  ];
}

async function onServer(folder: string): Promise<Row[]> {
  await using server = await runContext();
  await fill(new RemoteSpace(new Client(networkTransport(server.url, server.bootstrap)), "team"));
  await using far = farAway(server.url);
  const tokenFile = join(folder, "token");
  await Bun.write(tokenFile, server.bootstrap);
  const memory = { server: { url: far.url, space: "team", token_file: tokenFile } };
  await using service = await benchService(Bun.YAML.stringify({ memory }, null, 2));
  const { plain, bound } = await startsOf(service, far);
  const limit = await bareRoundTrip();
  const where = `a context server ${ROUND_TRIP_MS} ms away`;
  const { added, asked } = bound;
  return [
    figure(`${where}: a turn's start with ${DOCUMENTS} bound documents`, bound.typical, {
      limit,
      atMost: FAR_MS_MAX,
    }),
    figure("  requests to it for one turn", asked, { unit: "", atMost: 1 }),
    figure("  added by the documents to a turn's start", added, { limit }),
    figure("  the same, the first turn, which reads them", bound.first, { limit }),
    figure("  a turn's start without documents", plain.typical, { limit }),
  ];
}

async function fill(space: SpaceDoor): Promise<void> {
  for (const path of names) await space.write(path, new TextEncoder().encode(`${path} ${DOCUMENT}`), null);
  await space.close();
}

/** The same conversation in two workspaces, one after the other, so that both find the machine in the same state. */
async function startsOf({ client, url }: BenchService, far?: FarAway) {
  let arrived = 0;
  await using model = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      arrived = performance.now();
      await request.text();
      return new Response(ANSWER, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  const [plain, bound] = await providedWorkspaces(client, `${String(model.url)}v1`, "plain", "bound");
  for (const path of names) await client.post(`/workspaces/${bound.id}/context`, { path });
  const turn = async ({ id }: { id: number }) => {
    const before = performance.now();
    const response = await fetch(`${url}/api/v1/workspaces/${id}/chat`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({ text: "go" }),
    });
    await response.text();
    return arrived - before;
  };
  await turn(plain);
  const first = await turn(bound);
  for (let round = 0; round < WARM_UP_TURNS; round++) for (const one of [plain, bound]) await turn(one);
  const times = { plain: [] as number[], bound: [] as number[] };
  let asked = 0;
  for (let round = 0; round < TURNS; round++) {
    times.plain.push(await turn(plain));
    const before = far?.requests ?? 0;
    times.bound.push(await turn(bound));
    asked = Math.max(asked, (far?.requests ?? 0) - before);
  }
  const [without, within] = [median(times.plain), median(times.bound)];
  return {
    plain: { typical: without },
    bound: { typical: within, added: within - without, first, asked },
  };
}

/** The texts as rows of a table, read one by one and put together. */
function rawReads(path: string): number {
  using db = new Database(path);
  db.run("CREATE TABLE document (path TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT");
  const insert = db.query<never, [string, Uint8Array]>("INSERT INTO document (path, content) VALUES (?, ?)");
  for (const name of names) insert.run(name, new TextEncoder().encode(`${name} ${DOCUMENT}`));
  const select = db.query<{ content: Uint8Array }, [string]>("SELECT content FROM document WHERE path = ?");
  const times: number[] = [];
  for (let round = 0; round < TURNS; round++) {
    const before = performance.now();
    const decoder = new TextDecoder();
    const prompt = names.map((name) => decoder.decode(select.get(name)!.content)).join("\n\n");
    if (prompt.length < DOCUMENTS * DOCUMENT.length) throw new Error("the raw reads lost something");
    times.push(performance.now() - before);
  }
  return median(times);
}

interface FarAway extends AsyncDisposable {
  readonly url: string;
  readonly requests: number;
}

/** Passes requests on after a round trip's time. */
function farAway(origin: string): FarAway {
  let requests = 0;
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      requests += 1;
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("Host");
      const body = await request.arrayBuffer();
      await Bun.sleep(ROUND_TRIP_MS);
      const { method } = request;
      return fetch(`${origin}${pathname}${search}`, { method, headers, ...(method !== "GET" && { body }) });
    },
  });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: () => proxy.stop(true),
  };
}

/** One request to bare Bun.serve, through the same delay. */
async function bareRoundTrip(): Promise<number> {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({ ok: true }) });
  await using far = farAway(`http://127.0.0.1:${server.port}`);
  const times: number[] = [];
  for (let round = 0; round < TURNS; round++) {
    const before = performance.now();
    await (await fetch(far.url, { method: "POST", body: "{}" })).text();
    times.push(performance.now() - before);
  }
  return median(times);
}
