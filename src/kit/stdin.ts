// What is piped into a command, as bytes.

import { AppError } from "./error.ts";

/** More than this is a mistake, or a stream without end. */
const STDIN_BYTES_MAX = 256 * 1024 * 1024;

/** Raises `invalid` on a terminal, where nothing would ever come. `instead`: what to do then. */
export async function readStdin(instead = "pipe something in, or name a file"): Promise<Uint8Array> {
  if (process.stdin.isTTY) throw new AppError("invalid", `standard input is a terminal; ${instead}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of Bun.stdin.stream()) {
    length += chunk.byteLength;
    if (length > STDIN_BYTES_MAX)
      throw new AppError("too_large", `standard input is larger than ${STDIN_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
