// Remembers in a file beside the database of a space that every file on disk was as its last version says, and the fingerprint of that moment
// (glance.ts), for commands that open the space again. While the fingerprint is the same, a list of the files needs no look at each. The file is derived: without it, a list takes longer.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../../kit/disk/replace-file.ts";
import { version } from "../../../kit/version.ts";

const FILE = "unedited.cache";
/** Another program may judge files differently. */
const BY = `${version.version} ${version.commit}`;

/** The moment: the change of the log with the fingerprint. Undefined: none is known. `own`: the directory `.cairn` of a space. */
export function uneditedMoment(own: string): string | undefined {
  try {
    const [by, moment] = readFileSync(join(own, FILE), "utf8").split("\n");
    return by === BY ? moment : undefined;
  } catch {
    return undefined;
  }
}

/** A disk that refuses it costs time only. */
export async function keepUnedited(own: string, moment: string): Promise<void> {
  await replaceFile(join(own, FILE), `${BY}\n${moment}\n`).catch(() => undefined);
}
