// Golden files: texts that programs and people outside rely on, compared whole with a file under tests/golden.
// `UPDATE_GOLDEN=1 npm test` writes them anew; the difference then shows in review, which is the point.

import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "..", "golden");

/** Set before the preload cleans up, and never in CI: there a golden file can only be wrong. */
const update = process.env.UPDATE_GOLDEN === "1" && process.env.CI === undefined;

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
