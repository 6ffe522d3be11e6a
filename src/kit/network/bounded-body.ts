// Reads the body of an answer of another program: bounded while it is read, since a few packed bytes unpack to any size.

/** Undefined: it is larger; the rest is not read. Raises errors of the connection. */
export async function boundedBody(response: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.byteLength;
    if (length > bytesMax) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}
