// The directory in which a program keeps its backups: how files there are called, which there are, and which may go.

import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, rfc3339, timeOf } from "../clock.ts";
import { absentAsUndefined, accessProblem } from "../disk/disk.ts";
import { targetPath, TEMPORARY_NAME } from "./target.ts";

const EXTENSION = ".tar.zst";
const SCHEDULED = "-scheduled";
const SHOWN_MAX = 100;
/** The time, the number of one of several in a second, and whether the schedule made it. */
const TIME = String.raw`(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-\d+)?(-scheduled)?`;

interface Archive {
  readonly file: string;
  readonly bytes: number;
  readonly written_at: string;
}

export interface Shelved {
  /** Empty: none is set. */
  readonly directory: string;
  /** Newest first. */
  readonly archives: readonly Archive[];
  /** Why the directory cannot be read. */
  readonly problem: string | undefined;
}

export interface Named {
  readonly name: string;
  /** ms since the epoch, from its name: a copied file keeps it. */
  readonly time: number;
  readonly isScheduled: boolean;
}

export class Shelf {
  /** Absolute; empty: none is set. */
  readonly directory: string;
  readonly #program: string;
  readonly #name: RegExp;

  /** `program`: the first word of the names, so that two programs can share a directory. */
  constructor(directory: string, program: string) {
    this.directory = directory;
    this.#program = program;
    this.#name = new RegExp(`^${program}-backup-${TIME}\\.tar\\.zst$`);
  }

  /**
   * `cairn-backup-20261121T062000Z.tar.zst`; if there is one already, `cairn-backup-20261121T062000Z-2.tar.zst`. That of a scheduled backup
   * ends in `-scheduled.tar.zst`.
   */
  nameAt(time: number, isTaken: (name: string) => boolean, by: "person" | "schedule" = "person"): string {
    const start = `${this.#program}-backup-${rfc3339(time).replace(/\.\d+/, "").replaceAll(/[-:]/g, "")}`;
    const end = (by === "schedule" ? SCHEDULED : "") + EXTENSION;
    let name = start + end;
    for (let number = 2; isTaken(name); number++) name = `${start}-${number}${end}`;
    return name;
  }

  /** The path of a new archive on the shelf. Raises as `targetPath`: the directory must exist, outside `dataDirectory`. */
  newFile(time: number, by: "person" | "schedule", dataDirectory: string): string {
    const { directory } = this;
    const name = this.nameAt(time, (taken) => existsSync(join(directory, taken)), by);
    return targetPath(join(directory, name), () => name, dataDirectory);
  }

  async archives(): Promise<Shelved> {
    const { directory } = this;
    if (directory === "") return { directory, archives: [], problem: undefined };
    try {
      const archives: Archive[] = [];
      for (const { name } of (await this.#named()).slice(0, SHOWN_MAX)) {
        const file = join(directory, name);
        const { size, mtimeMs } = await stat(file);
        archives.push({ file, bytes: size, written_at: rfc3339(mtimeMs) });
      }
      return { directory, archives, problem: undefined };
    } catch (error) {
      return { directory, archives: [], problem: accessProblem(error) };
    }
  }

  /** The time of the newest scheduled backup, ms since the epoch. Undefined: there is none. Raises what the disk raises. */
  async newestScheduled(): Promise<number | undefined> {
    return (await this.scheduled())[0]?.time;
  }

  /** Deletes all scheduled backups but the newest `keep`, and returns their names. Raises what the disk raises. */
  async prune(keep: number): Promise<string[]> {
    const names = (await this.scheduled()).slice(keep).map(({ name }) => name);
    for (const name of names) await rm(join(this.directory, name), { force: true });
    return names;
  }

  /** Deletes what killed programs left of backups that were begun a day ago or earlier. Raises what the disk raises. */
  async clearLeftovers(now: number): Promise<void> {
    for (const name of await readdir(this.directory)) {
      if (!this.#name.test(TEMPORARY_NAME.exec(name)?.[1] ?? "")) continue;
      const file = join(this.directory, name);
      const facts = await absentAsUndefined(stat(file));
      if (facts && facts.mtimeMs < now - DAY_MS) await rm(file, { force: true });
    }
  }

  /** The scheduled archives, newest first. Raises what the disk raises. */
  async scheduled(): Promise<Named[]> {
    return (await this.#named()).filter(({ isScheduled }) => isScheduled);
  }

  async #named(): Promise<Named[]> {
    return this.namedOf(await readdir(this.directory));
  }

  /** The archives of the program among these files, newest first. */
  namedOf(files: readonly string[]): Named[] {
    const names = files.flatMap((name) => {
      const match = this.#name.exec(name);
      if (!match) return [];
      const [, year, month, day, hour, minute, second, scheduled] = match;
      const time = timeOf(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return time === undefined ? [] : [{ name, time, isScheduled: scheduled !== undefined }];
    });
    // The first of a second is older than the numbered ones.
    return names.sort((a, b) => b.time - a.time || (stemOf(a.name) < stemOf(b.name) ? 1 : -1));
  }
}

function stemOf(name: string): string {
  return name.slice(0, -EXTENSION.length);
}
