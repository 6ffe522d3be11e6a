// Pages about all files of a space with 50,000 linked documents: of a server, and of `cairn ui`, which looks at the files on disk. A person opens one
// page, reads it, and opens the next, so there is a pause before each.

import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { admittedTo, carried, signedIn, type Visitor } from "../kit/context/console.ts";
import { contextServer, SPACE } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { measuredServer, type MeasuredServer } from "../kit/service/measured-server.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { fillWithLinks, LINKED_DOCUMENTS } from "./linked-space.ts";
import { figure, median, type Row } from "./row.ts";

const REQUESTS = 15;
const PAUSE_MS = 300;
/** The parts that a person needs to find the way to another page. */
const READING_MS = 5_000;
const TARGET_MS = 15;
const HOLD_MS = 20;

const PAGES: Readonly<Record<string, string>> = {
  graph: "/graph",
  "broken links": "/graph?list=broken",
  freshness: "/freshness",
  "freshness, without a rule": "/freshness?show=none",
};
const ON_DISK: Readonly<Record<string, string>> = { "top folder": "", "on disk": "/disk", ...PAGES };

export async function run(): Promise<Row[]> {
  return [...(await served()), ...(await local())];
}

async function served(): Promise<Row[]> {
  await using server = await contextServer();
  const one = await signedIn(server, "root");
  await server.stop();
  await fillWithLinks(server.inSpace());
  await using measured = await measuredServer("context", server.directory);
  const carriedOver = carried(one, server.url, measured.url);
  // The documents were written while the server was stopped: it records 50,000 changes in its audit file first.
  await carriedOver.get("/console");
  await Bun.sleep(READING_MS);
  return await pages("server", { measured, one: carriedOver, space: SPACE, of: PAGES });
}

async function local(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  await (await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps)).close();
  await fillWithLinks(directory);
  await using measured = await measuredServer("ui", directory);
  const one = await admittedTo(measured.url);
  await Bun.sleep(READING_MS);
  return await pages("cairn ui", { measured, one, space: "main", of: ON_DISK });
}

interface Desk {
  readonly measured: MeasuredServer;
  readonly one: Visitor;
  readonly space: string;
  readonly of: Readonly<Record<string, string>>;
}

async function pages(where: string, { measured, one, space, of }: Desk): Promise<Row[]> {
  const rows: Row[] = [];
  const { origin } = new URL(measured.url);
  const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const open = async (path: string) => {
    await Bun.sleep(PAUSE_MS);
    const started = performance.now();
    const answer = await fetch(`${origin}/console/spaces/${space}${path}`, { headers: { cookie } });
    await answer.bytes();
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    return ms;
  };
  const hold = await measured.longestStretch(async () => {
    for (const [name, path] of Object.entries(of)) {
      const first = await open(path);
      const times: number[] = [];
      for (let count = 0; count < REQUESTS; count += 1) times.push(await open(path));
      rows.push(figure(`${where}: ${name}, median after a pause`, median(times), { atMost: TARGET_MS }));
      rows.push(figure("the same, opened first", first));
    }
  });
  const held = `${where} of ${LINKED_DOCUMENTS} documents: longest hold of the thread, of processor`;
  rows.push(figure(held, hold, { atMost: HOLD_MS }));
  return rows;
}
