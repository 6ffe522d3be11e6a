// Searching everything in a service with 100,000 entries: over HTTP, one query after the other, beside bare FTS5 on the same texts in this process.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startService } from "../../src/service/main.ts";
import { atEnd } from "../kit/at-end.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { createClient, type Client } from "../kit/http/client.ts";
import { say, startModel } from "../kit/model/index.ts";
import { providedWorkspaces } from "../kit/service/provided.ts";
import { figure, percentile, type Row } from "./row.ts";

const ENTRIES = 100_000;
const WORDS_PER_ENTRY = 100;
const WORDS = 20_000;
const QUERIES = 1_000;
const BATCH = 5_000;
const WARM_QUERIES = 50;
/** As typed: whole words, beginnings of two to five letters, and pairs of frequent and of rare words. */
const LETTERS_MIN = 2;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  await using model = await startModel({});
  const data = join(folder.path, "data");
  const start = () =>
    startService({
      flags: { data, listen: "127.0.0.1:0", logLevel: "error" },
      environment: { HOME: folder.path, PATH: "/nonexistent" },
      log: { format: "json", write: () => {} },
    });
  const first = await start();
  await furnish(createClient(first.url), model);
  await first.stop("filling");
  const texts = fill(join(data, "service.db"));
  const service = await start();
  await using _end = atEnd(() => service.stop("measured"));
  const client = createClient(service.url);
  const began = performance.now();
  while ((await client.get("/search?q=nothing")).indexing > 0) await Bun.sleep(200);
  const indexed = performance.now() - began;
  const queries = Array.from({ length: QUERIES }, (_, index) => queryOf(index));
  const own = await timesOf(queries, (q) => client.get(`/search?q=${encodeURIComponent(q)}`));
  const bare = await bareTimes(texts, queries);
  return [
    figure(`indexing ${ENTRIES} entries after an upgrade, in the background`, indexed / 1_000, { unit: "s" }),
    figure("search of everything, p50", percentile(own, 0.5), { atMost: 20 }),
    figure("  the same, p99", percentile(own, 0.99), { atMost: 20 }),
    figure("  beside bare FTS5 with bm25, p99", percentile(own, 0.99), {
      atMost: 20,
      limit: percentile(bare, 0.99),
    }),
  ];
}

async function furnish(client: Client, model: Awaited<ReturnType<typeof startModel>>) {
  model.on("m", () => say("ok"));
  const [{ id }] = await providedWorkspaces(client, model.openaiUrl, "large");
  await using events = await client.events(`/workspaces/${id}/chat`, {
    method: "POST",
    body: { text: "go" },
  });
  await events.all();
}

/** Returns the texts. */
function fill(path: string): string[] {
  const db = new Database(path);
  const insert = db.prepare(
    `INSERT INTO entries (workspace_id, turn_id, run_id, agent_id, thread, kind, text, created_at)
     SELECT workspace_id, turn_id, run_id, agent_id, 0, 'agent', ?, created_at + ? FROM entries ORDER BY id LIMIT 1`,
  );
  const texts: string[] = [];
  for (let from = 0; from < ENTRIES; from += BATCH)
    db.transaction(() => {
      for (let index = from; index < from + BATCH; index += 1) {
        texts.push(textOf(index));
        insert.run(texts.at(-1)!, index * 1_000);
      }
    })();
  insert.finalize();
  db.close();
  return texts;
}

async function bareTimes(texts: readonly string[], queries: readonly string[]): Promise<number[]> {
  using db = new Database(":memory:");
  db.run(
    "CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
  );
  const insert = db.query("INSERT INTO texts (text) VALUES (?)");
  db.transaction(() => {
    for (const text of texts) insert.run(text);
  })();
  const find = db.query(
    "SELECT rowid, snippet(texts, 0, '[', ']', '…', 20) FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 8",
  );
  return await timesOf(queries, (q) => {
    const words = q.split(" ").map((word) => `"${word}"`);
    return Promise.resolve(find.all(`${words.join(" AND ")}*`));
  });
}

async function timesOf(queries: readonly string[], ask: (q: string) => Promise<unknown>): Promise<number[]> {
  for (const query of queries.slice(0, WARM_QUERIES)) await ask(query);
  const times: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await ask(query);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}

/** Words that occur as unevenly as those of a language. */
function textOf(number: number): string {
  const words = Array.from({ length: WORDS_PER_ENTRY }, (_, index) => {
    const random = Number(Bun.hash(`${number} ${index}`) % 1_000_003n) / 1_000_003;
    return wordOf(Math.floor(random ** 3 * WORDS));
  });
  return words.join(" ");
}

function wordOf(number: number): string {
  return Bun.hash(`word ${number}`)
    .toString(36)
    .replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)
    .slice(0, 3 + (number % 6));
}

function queryOf(index: number): string {
  const word = wordOf((index * 37) % WORDS);
  if (index % 4 === 0) return word;
  if (index % 4 === 1) return word.slice(0, LETTERS_MIN + (Math.floor(index / 4) % 4));
  if (index % 4 === 2) return `${wordOf(index % 20)} ${wordOf((index * 7) % 20)}`;
  return `${wordOf((index * 31) % WORDS)} ${wordOf((index * 17) % 500)}`;
}
