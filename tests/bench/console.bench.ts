// Pages of the console with 50,000 documents in a space: how long they take, what they hold of the serving thread, and what the first one weighs.

import { contextServer } from "../kit/context/context-server.ts";
import { signedIn, type Visitor } from "../kit/context/console.ts";
import { measuredServer } from "../kit/service/measured-server.ts";
import { FILES, makeLargeSpace, pathOf } from "./file-space.ts";
import { figure, median, type Row } from "./row.ts";

const REQUESTS = 60;
const TARGET_MS = 15;
const HOLD_MS = 20;
const FIRST_PAGE_KB = 60;
const IN = "/console/spaces/team";
const PAGES: Readonly<Record<string, string>> = {
  overview: "/console",
  "top folder": IN,
  "folder of 500 documents": `${IN}/tree/team/7`,
  document: `${IN}/files/${pathOf(7)}`,
  editor: `${IN}/edit/${pathOf(7)}`,
  history: `${IN}/history/${pathOf(7)}`,
  "deleted documents": `${IN}/deleted`,
  conflicts: `${IN}/conflicts`,
};

export async function run(): Promise<Row[]> {
  await using server = await contextServer();
  const one = await signedIn(server, "root");
  await server.stop();
  await makeLargeSpace(server.inSpace());
  await using measured = await measuredServer("context", server.directory);
  const get = pagesOf(measured.url, server.url, one);
  const rows: Row[] = [];
  const held: number[] = [];
  for (const [name, path] of Object.entries(PAGES)) {
    // The first requests compile routes and statements, and look at what a cache keeps.
    for (let count = 0; count < REQUESTS / 4; count += 1) await get(path);
    const times: number[] = [];
    const hold = await measured.longestStretch(async () => {
      for (let count = 0; count < REQUESTS; count += 1) times.push((await get(path)).ms);
    });
    held.push(hold);
    rows.push(figure(`${name}, of ${FILES} documents, median`, median(times), { atMost: TARGET_MS }));
  }
  rows.push(
    figure("longest hold of the serving thread, of processor", Math.max(...held), { atMost: HOLD_MS }),
  );
  const page = await get("/console");
  const assets = [...page.text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );
  let bytes = page.bytes;
  for (const path of assets) bytes += (await get(path)).bytes;
  const compressed = { unit: "KB", atMost: FIRST_PAGE_KB };
  rows.push(figure("first page with its sheet and scripts, compressed", bytes / 1_000, compressed));
  return rows;
}

/** The session is the same on the port of another process: only the name of its cookie has the port. */
function pagesOf(url: string, before: string, { cookies }: Visitor) {
  const [name, value] = [...cookies].find(([cookie]) => cookie.includes("session"))!;
  const cookie = `${name.replace(new URL(before).port, new URL(url).port)}=${value}`;
  return async (path: string) => {
    const started = performance.now();
    const answer = await fetch(url + path, {
      headers: { cookie, "accept-encoding": "gzip" },
      redirect: "manual",
      keepalive: false,
    });
    const body = await answer.bytes();
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    return { ms, bytes: Number(answer.headers.get("content-length")), text: new TextDecoder().decode(body) };
  };
}
