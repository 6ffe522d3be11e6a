// Searching and listing 50,000 documents of 4 KB, 200 MB: as a command in a folder, from a cold process, beside ripgrep (or grep where there is none)
// on the same files; and inside a server, over HTTP.

import { join } from "node:path";
import { openSqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { parseDocumentPath } from "../../src/kit/text/paths.ts";
import { binaryPath } from "../kit/binaries.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { figure, medianOf, percentile, timedCommand, type Row } from "./row.ts";
import { silent } from "../kit/silent.ts";

const FILES = 50_000;
const FILE_BYTES = 4_100;
const BATCH = 1_000;
const WORDS = 20_000;
/** Documents with the word that is searched for. */
const EVERY = 500;
const COLD_RUNS = 9;
const QUERIES = 500;
const WARM_QUERIES = 20;

export async function run(): Promise<Row[]> {
  await using server = await runContext();
  await server.end("SIGTERM");
  const space = join(server.directory, "spaces", "team");
  await fill(space);
  const cairn = (...args: string[]) => [binaryPath("cairn"), ...args, "--quiet", "--dir", space];
  const built = await timedCommand(cairn("search", "zebrafish"));
  await writtenOut();
  const search = await medianOf(COLD_RUNS, () => timedCommand(cairn("search", "zebrafish")));
  const scan = await medianOf(COLD_RUNS, () => timedCommand(scanner(space)));
  const list = await medianOf(COLD_RUNS, () => timedCommand(cairn("file", "list")));
  return [
    figure(`first search of ${FILES} documents, which builds the index`, built),
    figure("cairn search, cold", search, { atMost: 150 }),
    figure(`the same beside ${scanner(space)[0]}`, search, {
      atMost: 1.5 * scan,
      target: "≤ 1.5 × ripgrep",
      limit: scan,
    }),
    ...(await inside(server)),
    figure(`cairn file list of ${FILES} files, cold`, list, { atMost: 250 }),
  ];
}

async function fill(directory: string): Promise<void> {
  const engine = openSqliteEngine({ directory, clock: systemClock, log: silent });
  for (let from = 0; from < FILES; from += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, index) => {
      const number = from + index;
      const path = parseDocumentPath("path", `notes/${number % 100}/note-${number}.md`);
      return { op: "put" as const, path, content: documentOf(number) };
    });
    await engine.apply({ operations, author: "seed" });
  }
  await engine.close();
}

/** Waits until the disk has what was written: the system writes 200 MB out long after, beside the commands that are measured. */
async function writtenOut(): Promise<void> {
  await Bun.spawn(["sync"]).exited;
}

/** Words that occur as unevenly as those of a language. */
function documentOf(number: number): Uint8Array {
  let text = `# Note ${number}\n\n${number % EVERY === 0 ? "the zebrafish swims\n" : ""}`;
  for (let count = 1; text.length < FILE_BYTES; count += 1) {
    const random = Number(Bun.hash(`${number} ${count}`) % 1_000_003n) / 1_000_003;
    text += wordOf(Math.floor(random ** 3 * WORDS)) + (count % 12 === 0 ? "\n" : " ");
  }
  return new TextEncoder().encode(text);
}

function wordOf(number: number): string {
  return `w${Bun.hash(`word ${number}`)
    .toString(36)
    .slice(0, 3 + (number % 6))}`;
}

function scanner(directory: string): string[] {
  const isThere = Bun.which("rg") !== null;
  return isThere
    ? ["rg", "zebrafish", directory]
    : ["grep", "-rI", "--exclude-dir=.cairn", "zebrafish", directory];
}

/** Over HTTP, one after the other, each with another word and one that is in many documents. */
async function inside(server: RunningContext): Promise<Row[]> {
  await server.start();
  const ask = async (query: string) => {
    const started = performance.now();
    const response = await fetch(`${server.url}/api/v1/spaces/team/search?q=${query}`, {
      headers: { Authorization: `Bearer ${server.bootstrap}` },
    });
    if (!response.ok) throw new Error(`search: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    return performance.now() - started;
  };
  const queryOf = (index: number) => `${wordOf(4_000 + index * 31)}+${wordOf(6_000 + index * 17)}`;
  for (let index = 0; index < WARM_QUERIES; index += 1) await ask(queryOf(index));
  const times: number[] = [];
  for (let index = 0; index < QUERIES; index += 1) times.push(await ask(queryOf(index)));
  return [
    figure("search inside a server, p50", percentile(times, 0.5), { atMost: 20 }),
    figure("  the same, p99", percentile(times, 0.99), { atMost: 20 }),
  ];
}
