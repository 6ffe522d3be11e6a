// A temporary folder that is gone when the test is: `await using folder = await temporaryFolder();`
// Removal is retried by the file system layer, since Windows keeps files of a just-ended process for a moment.

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
