// The link graph of 50,000 documents with 200,000 links: as a command on a folder, each time a new process, and inside a server.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { binaryPath } from "../kit/binaries.ts";
import { contextClient, contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { measuredServer } from "../kit/service/measured-server.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { fillWithLinks, LINKED_DOCUMENTS, linkedPathOf, linkedTextOf } from "./linked-space.ts";
import { figure, median, percentile, timedCommand, type Row } from "./row.ts";

const RUNS = 9;
const REQUESTS = 300;
const TARGET_MS = 200;
const HOLD_MS = 20;

export async function run(): Promise<Row[]> {
  return [...(await commands()), ...(await requests())];
}

async function commands(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  await (await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps)).close();
  await fillWithLinks(directory);
  const graph = () => timedCommand([binaryPath("cairn"), "graph", "--json", "--dir", directory]);
  // The least work of any program that notices an edit: ask the file system about each file.
  const look = () => timedCommand(["find", directory, "-type", "f", "-size", "+1000k"]);
  const first = await graph();
  // The signatures of files count once they are older than a tick of the clock.
  await Bun.sleep(1_000);
  await graph();
  const [looks, unchanged, edited]: [number[], number[], number[]] = [[], [], []];
  for (let index = 0; index < RUNS; index += 1) {
    looks.push(await look());
    unchanged.push(await graph());
  }
  for (let index = 0; index < RUNS; index += 1) {
    writeFileSync(join(directory, linkedPathOf(index)), `[[note-${index + 1}]]`);
    edited.push(await graph());
  }
  const limit = median(looks);
  return [
    figure(`cairn graph of ${LINKED_DOCUMENTS} documents, cold`, median(unchanged), {
      limit,
      atMost: TARGET_MS,
    }),
    figure("the same after an edit", median(edited), { limit }),
    figure("the same for the first time", first, { limit }),
  ];
}

async function requests(): Promise<Row[]> {
  await using server = await contextServer();
  await server.stop();
  await fillWithLinks(server.inSpace());
  await using measured = await measuredServer("context", server.directory);
  const admin = contextClient(measured.url, server.bootstrap);
  const ask = async (query: string) => {
    const started = performance.now();
    await (await admin.raw("GET", `/spaces/team/graph${query}`)).arrayBuffer();
    return performance.now() - started;
  };
  // The first requests of a server compile its routes and statements.
  await admin.get("/spaces/team");
  await admin.write(linkedPathOf(0), linkedTextOf(0));
  let first = 0;
  const held = await measured.longestStretch(async () => void (first = await ask("")));
  const times: number[] = [];
  const hold = await measured.longestStretch(async () => {
    for (let index = 0; index < REQUESTS; index += 1) times.push(await ask(`?path=${linkedPathOf(index)}`));
  });
  const whole = await measured.longestStretch(async () => {
    for (const only of ["links", "broken", "orphans", "ranks"]) await ask(`?only=${only}`);
  });
  let written = 0;
  const after = await measured.longestStretch(async () => {
    await admin.write(linkedPathOf(1), "[[note-2]]");
    written = await ask("");
  });
  const p99 = percentile(times, 0.99);
  const longest = Math.max(held, hold, whole, after);
  return [
    figure("neighbours of a document in a server, median", percentile(times, 0.5)),
    figure("neighbours of a document in a server, p99", p99),
    figure("the first question after a start", first),
    figure("the first question after a write", written),
    figure("longest hold of the serving thread, of processor", longest, { atMost: HOLD_MS }),
  ];
}
