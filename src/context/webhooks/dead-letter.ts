// The dead-letter file: failed deliveries, one JSON line each. Bounded: a full file is rotated once, replacing the previous one.

import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { appendRotated, rotatedPath } from "../../kit/disk/append-rotated.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import type { DeadLetter } from "./schema.ts";

const DEAD_LETTER_BYTES_MAX = 8 * 1024 * 1024;
const READ_BYTES_MAX = 1024 * 1024;
const LINE_FEED = 10;

export class DeadLetterFile {
  readonly #path: string;
  readonly #bytesMax: number;

  constructor(path: string, bytesMax = DEAD_LETTER_BYTES_MAX) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  add(letter: DeadLetter): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    appendRotated(this.#path, `${JSON.stringify(letter)}\n`, this.#bytesMax);
  }

  /** Whether the delivery is among the newest letters that fit into `READ_BYTES_MAX`. */
  has(delivery: string): boolean {
    return this.read(Infinity).some((letter) => letter.delivery === delivery);
  }

  /** Returns the newest letters that fit into `READ_BYTES_MAX`, oldest first. Skips a line that a crash tore. */
  read(limit: number): DeadLetter[] {
    const newest = tailOf(this.#path, READ_BYTES_MAX);
    const room = READ_BYTES_MAX - Buffer.byteLength(newest);
    const text = room > 0 ? tailOf(rotatedPath(this.#path), room) + newest : newest;
    const lines = text.split("\n").filter((line) => line.endsWith("}"));
    return lines.slice(-limit).flatMap((line) => {
      const letter = parsedJson(line) as DeadLetter | undefined;
      return letter === undefined ? [] : [letter];
    });
  }
}

/** Returns the whole lines in the last bytes of a file; an empty text if there is no file. */
function tailOf(path: string, bytesMax: number): string {
  if (!existsSync(path)) return "";
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const from = Math.max(0, size - bytesMax);
    const bytes = Buffer.alloc(size - from);
    const length = readSync(descriptor, bytes, 0, bytes.length, from);
    // The first line may have lost its start.
    const start = from === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
    return bytes.toString("utf8", start, length);
  } finally {
    closeSync(descriptor);
  }
}
