// The dead-letter file: failed deliveries, one JSON line each. Bounded: a full file is rotated once, replacing the previous one.

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import type { DeadLetter } from "./schema.ts";

const DEAD_LETTER_BYTES_MAX = 8 * 1024 * 1024;

export class DeadLetterFile {
  readonly #path: string;
  readonly #bytesMax: number;

  constructor(path: string, bytesMax = DEAD_LETTER_BYTES_MAX) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  add(letter: DeadLetter): void {
    const line = `${JSON.stringify(letter)}\n`;
    mkdirSync(dirname(this.#path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    const size = existsSync(this.#path) ? statSync(this.#path).size : 0;
    if (size > 0 && size + Buffer.byteLength(line) > this.#bytesMax)
      renameSync(this.#path, `${this.#path}.1`);
    appendFileSync(this.#path, line, { mode: PRIVATE_FILE_MODE });
  }

  /** Returns the newest letters, oldest first. Skips a line that a crash tore. */
  read(limit: number): DeadLetter[] {
    const lines = [`${this.#path}.1`, this.#path]
      .filter((path) => existsSync(path))
      .flatMap((path) => readFileSync(path, "utf8").split("\n"))
      .filter((line) => line.endsWith("}"));
    return lines.slice(-limit).flatMap((line) => {
      try {
        return [JSON.parse(line) as DeadLetter];
      } catch {
        return [];
      }
    });
  }
}
