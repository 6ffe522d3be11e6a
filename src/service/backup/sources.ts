// The files of an archive, in order: memory first, because commands wait while its database is copied, then the database and the files of the
// service; what is known only at the end comes last.

import { basename, dirname } from "node:path";
import { chunksOf, measured } from "../../kit/backup/members.ts";
import type { Member } from "../../kit/backup/schema.ts";
import { rfc3339 } from "../../kit/clock.ts";
import { HeldRoot } from "../../kit/disk/held-directory.ts";
import type { Source } from "../../kit/disk/tar.ts";
import { version } from "../../kit/version.ts";
import { openSource, type DataFile } from "./data-files.ts";
import type { Moment } from "./moment.ts";
import { BACKUP_FORMAT } from "./schema.ts";

/** The folder of the space in an archive. */
const MEMORY_FOLDER = "memory/";
const FACTS_NAME = "backup.json";
const SUMS_NAME = "SHA256SUMS";

interface Counts {
  files: number;
  missed: number;
}

/** Filled while the archive is written. */
export interface Tally {
  readonly data: Counts;
  readonly memory: Counts;
}

interface Writing {
  /** Of the database. */
  readonly path: string;
  readonly tally: Tally;
  /** The bytes read since the last call. */
  readonly onBytes: (count: number) => void;
}

/** Releases each database once it is copied. `facts`: what `backup.json` adds to the moment, asked for at the end. */
export async function* sourcesOf(
  moment: Moment,
  { path, tally, onBytes }: Writing,
  facts: () => object,
): AsyncGenerator<Source> {
  const members: Member[] = [];
  const hashed = (source: Source) => measured(source, members, onBytes);
  const { time, database, files, memory } = moment;
  if (memory) {
    const { frozen, files: documents } = memory;
    const { directory, places, file, database: space } = frozen;
    yield hashed({ name: MEMORY_FOLDER + places.database, size: space.size, content: chunksOf(space) });
    frozen[Symbol.dispose]();
    yield hashed({ name: MEMORY_FOLDER + places.file, size: file.length, content: [file] });
    for await (const source of filesOf({ directory, files: documents }, tally.memory, MEMORY_FOLDER))
      yield hashed(source);
  }
  yield hashed({ name: basename(path), size: database.size, content: chunksOf(database) });
  database.thaw();
  for await (const source of filesOf({ directory: dirname(path), files }, tally.data)) yield hashed(source);
  const all = {
    format: BACKUP_FORMAT,
    service_version: version.version,
    created_at: rfc3339(time),
    ...facts(),
  };
  yield measured(textSource(FACTS_NAME, `${JSON.stringify(all, null, 2)}\n`), members, () => {});
  yield textSource(SUMS_NAME, members.map(sumLine).join(""));
}

/** `folder`: in the archive, with a slash at its end. */
async function* filesOf(
  { directory, files }: { readonly directory: string; readonly files: readonly DataFile[] },
  counts: Counts,
  folder = "",
): AsyncGenerator<Source> {
  const root = new HeldRoot(directory);
  for (const { path } of files) {
    using opened = openSource(root, path, folder + path);
    counts[opened ? "files" : "missed"] += 1;
    if (opened) yield opened.source;
  }
}

function textSource(name: string, text: string): Source {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, content: [bytes] };
}

/** As `sha256sum` writes it, which escapes such a name and says so at the start of the line. */
function sumLine({ name, sha256 }: Member): string {
  const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`;
}
