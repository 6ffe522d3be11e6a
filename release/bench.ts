// `npm run bench [-- part of a file name]`: runs tests/bench/*.bench.ts one after the other and prints one table.
// A missed target is shown and is no error, since machines differ; a benchmark that breaks is one.

import { rm } from "node:fs/promises";
import { Glob } from "bun";
import type { Benchmark, Row } from "../tests/bench/row.ts";
import { buildNative } from "./build.ts";
import { ROOT, fail, seconds } from "./step.ts";

const SIGNIFICANT_DIGITS = 3;

const headings = ["measurement", "measured", "limit", "ratio", "target", ""];

function cells(row: Row): string[] {
  return [
    row.name,
    `${rounded(row.measured)} ${row.unit}`,
    row.limit === undefined ? "" : `${rounded(row.limit)} ${row.unit}`,
    row.ratio === undefined ? "" : row.ratio.toFixed(2),
    row.target,
    row.met ? "met" : "MISSED",
  ];
}

function rounded(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 1000 ? Math.round(value) : undefined;
  return digits?.toLocaleString("en-US") ?? String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}

export function table(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cells)];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
}

async function main(): Promise<number> {
  const wanted = process.argv.slice(2);
  const names = [...new Glob("tests/bench/*.bench.ts").scanSync({ cwd: ROOT })]
    .sort()
    .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  if (names.length === 0) fail("no benchmark of that name in tests/bench");
  await buildNative();
  // A service would read this person's own space into its prompts.
  const { isolate } = await import("../tests/kit/isolation.ts");
  const home = isolate();
  const rows: Row[] = [];
  let broken = 0;
  for (const name of names) {
    const started = performance.now();
    try {
      const benchmark = (await import(`${ROOT}/${name}`)) as Benchmark;
      rows.push(...(await benchmark.run()));
      console.log(`bench: ${name}  ${seconds(started)}`);
    } catch (error) {
      broken++;
      console.error(`bench: ${name} BROKE`, error);
    }
  }
  console.log(`\n${table(rows)}\n\n${rows.filter((row) => row.met).length} of ${rows.length} targets met`);
  await rm(home, { recursive: true, force: true });
  return broken === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(await main());
