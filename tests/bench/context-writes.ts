// Durable writes with compare and swap of a process of its own, which a benchmark of the context server waits for.

import { join } from "node:path";
import type { LoadResult } from "./programs.ts";
import type { Row } from "./row.ts";

const MILLISECONDS = 2000;

/** `versions`: of one file for each connection; `files`: each write makes a new one. */
export async function writes(
  url: string,
  token: string,
  connections: number,
  what: "versions" | "files" = "versions",
): Promise<LoadResult> {
  const command = [process.execPath, join(import.meta.dir, "context-load.ts"), url, token];
  const child = Bun.spawn([...command, String(connections), String(MILLISECONDS), what], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const result = JSON.parse(await child.stdout.text()) as LoadResult;
  if (result.failures > 0) throw new Error(`${result.failures} writes were refused`);
  return result;
}

export function rate(name: string, measured: number, atLeast: number, limit?: number): Row {
  const beside = limit === undefined ? {} : { limit, ratio: measured / limit };
  const target = `≥ ${atLeast.toLocaleString("en-US")}/s`;
  return { name, measured, unit: "1/s", ...beside, target, met: measured >= atLeast };
}
