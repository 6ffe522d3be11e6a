// Reads piped input as bytes, and secrets typed on a terminal.

import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { AppError } from "../error.ts";
import { visible } from "../text/visible.ts";

/** Larger input is a mistake, or an endless stream. */
export const INPUT_MIB_MAX = 256;
const MIB = 1024 * 1024;

/** Reads a line without echo. Only on a terminal. Raises `refused` if it is cancelled. */
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(`${visible(question)}: `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once("line", resolve);
      // Ctrl+C, and the end of the input.
      for (const end of ["SIGINT", "close"] as const)
        reader.once(end, () => reject(new AppError("refused", "cancelled; nothing was changed")));
    });
  } finally {
    reader.close();
    process.stderr.write("\n");
  }
}

/** Calls `act` each time that the person presses Enter, until the returned function is called. Only on a terminal. */
export function onEnter(act: () => void): () => void {
  const reader = createInterface({ input: process.stdin, terminal: false });
  reader.on("line", act);
  return () => {
    reader.close();
    process.stdin.unref();
  };
}

/** Raises `invalid` on a terminal, where it would wait forever. */
export async function readStdin(): Promise<Uint8Array> {
  if (process.stdin.isTTY)
    throw new AppError("invalid", "standard input is a terminal; pipe the content in, or name a file");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of Bun.stdin.stream()) {
    length += chunk.byteLength;
    if (length > INPUT_MIB_MAX * MIB)
      throw new AppError("too_large", `standard input is larger than ${INPUT_MIB_MAX} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
