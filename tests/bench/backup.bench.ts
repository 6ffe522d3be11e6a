// A backup of 10,000 files, by the compiled program: made beside a running server, verified, restored; and how long the server keeps someone
// waiting meanwhile. Beside them what the same bytes cost at least: copied to another place, and read once for their SHA-256.

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { runBinary } from "../kit/binaries.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { besideCopying, copyAndHash, waitsDuring } from "./backup-limits.ts";
import { figure, medianOf, percentile, timed, type Row } from "./row.ts";

const FILES = 10_000;
const FILE_BYTES = 2048;
const RUNS = 3;
const WORDS = ["space", "version", "people", "agent", "notes", "release", "decides", "friday", "because"];

export async function run(): Promise<Row[]> {
  await using server = await runContext();
  await fill(server);
  const folder = dirname(server.directory);
  const file = join(folder, "backup.tar.zst");
  const restored = join(folder, "restored");
  const waits: number[] = [];
  const create = await typical(async () => {
    rmSync(file, { force: true });
    const running = command(["backup", "create", "--out", file, "--server-dir", server.directory]);
    waits.push(...(await waitsDuring((index) => server.admin.write("meanwhile.md", String(index)), running)));
  });
  const copied = await typical(() => copyAndHash(server.directory, join(folder, "copy")));
  const verify = await typical(() => command(["backup", "verify", file]));
  const restore = await typical(async () => {
    rmSync(restored, { recursive: true, force: true });
    await command(["backup", "restore", file, "--server-dir", restored]);
  });
  const longest = percentile(waits, 0.99);
  return [
    besideCopying("backup create, 10,000 files, from a running server", create, copied, 0.5),
    figure("  writes meanwhile, p99", longest, { atMost: 100 }),
    besideCopying("backup verify, 10,000 files", verify, copied, 0.5),
    besideCopying("backup restore, 10,000 files", restore, copied, 0.25),
  ];
}

const typical = (work: () => Promise<void>) => medianOf(RUNS, () => timed(work));

async function fill({ admin }: RunningContext): Promise<void> {
  for (let from = 0; from < FILES; from += BATCH_OPERATIONS_MAX) {
    const ops = Array.from({ length: BATCH_OPERATIONS_MAX }, (_, index) => put(from + index));
    await admin.post("/spaces/team/push", { ops });
  }
}

/** Text that differs from file to file, and is as compressible as notes are. */
function put(index: number): object {
  let state = index + 1;
  let text = "";
  while (text.length < FILE_BYTES) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${WORDS[state % WORDS.length]} ${(state >>> 8).toString(36)} `;
  }
  const content_b64 = Buffer.from(text.slice(0, FILE_BYTES)).toString("base64");
  return { op: "put", path: `many/${index % 100}/${index}.md`, content_b64 };
}

async function command(args: string[]): Promise<void> {
  const { exitCode, stderr } = await runBinary("cairn", args);
  if (exitCode !== 0) throw new Error(stderr);
}
