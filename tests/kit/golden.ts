// Golden files: texts that programs and people outside rely on, compared whole with a file under tests/golden.
// `UPDATE_GOLDEN=1 npm test` rewrites them, so that the difference shows in review.

import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "..", "golden");

/** Set before the preload cleans up, and never in CI: there a golden file can only be wrong. */
const update = process.env.UPDATE_GOLDEN === "1" && process.env.CI === undefined;

/** Like `expectGolden`, of JSON: whatever fits on a line stays on one, so that a difference shows with what it belongs to. */
export function expectGoldenJson(name: string, actual: unknown): Promise<void> {
  return expectGolden(name, compact(actual, 0));
}

const LINE_CHARACTERS_MAX = 120;

function compact(value: unknown, indent: number): string {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, " ");
  if (indent + line.length <= LINE_CHARACTERS_MAX || value === null || typeof value !== "object") return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const rows = Object.entries(value).map(
    ([key, inner]) => (open === "{" ? `${JSON.stringify(key)}: ` : "") + compact(inner, indent + 2),
  );
  const margin = " ".repeat(indent);
  return `${open}\n${rows.map((row) => `${margin}  ${row}`).join(",\n")}\n${margin}${close}`;
}

/** `name` is a path below tests/golden, e.g. `help/service.txt`. */
export async function expectGolden(name: string, actual: string): Promise<void> {
  const path = join(FOLDER, name);
  const text = actual.endsWith("\n") ? actual : `${actual}\n`;
  if (update) {
    await Bun.write(path, text);
    return;
  }
  if (!existsSync(path)) throw new Error(`tests/golden/${name} is missing: run UPDATE_GOLDEN=1 npm test`);
  expect(text).toBe(await Bun.file(path).text());
}
