// A temporary folder that is gone when the test is: `await using folder = await temporaryFolder();`
// Removal is retried by the file system layer, since Windows keeps files of a just-ended process for a moment.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REMOVAL_RETRIES = 5;

export interface Folder extends AsyncDisposable {
  path: string;
  /** Writes a file below the folder and returns its full path. */
  write(name: string, text: string): Promise<string>;
}

export async function temporaryFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "cairn-test-"));
  return {
    path,
    async write(name, text) {
      const file = join(path, name);
      await Bun.write(file, text);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: REMOVAL_RETRIES }),
  };
}

/** Every file and folder, the directory itself too, with mode, times and content: the same again where nothing was changed. */
export function pictureOf(directory: string): string[] {
  return [".", ...readdirSync(directory, { recursive: true, encoding: "utf8" })]
    .map((name) => {
      const path = join(directory, name);
      const stat = statSync(path);
      const content = stat.isFile() ? Bun.hash(readFileSync(path)) : "";
      return `${name} ${stat.mode} ${stat.mtimeMs} ${stat.ctimeMs} ${content}`;
    })
    .sort();
}
