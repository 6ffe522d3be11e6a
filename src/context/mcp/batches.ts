// Takes batches apart. Version 2025-03-26 of the protocol lets a client send several messages as one array; the library reads single ones. Each
// request of a batch is answered by itself, with its id. Leaves out blank lines, which the library would refuse.

import { MESSAGE_BYTES_MAX } from "./schema.ts";

const LINE_FEED = 0x0a;
const OPENING_BRACKET = 0x5b;
/** The white space of JSON: space, tab, line feed, carriage return. */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, LINE_FEED, 0x0d]);

/** Yields everything as it is but blank lines and batches, whose messages become lines. The last message may lack its line end. */
export async function* withoutBatches(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const line = (last: Buffer) => {
    const whole = Buffer.concat([...parts, last]);
    parts.length = bytes = 0;
    return whole;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      yield* messagesIn(line(chunk.subarray(from, end + 1)));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    bytes += rest.length;
    // The library refuses it.
    if (bytes > MESSAGE_BYTES_MAX) yield line(rest);
    else if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield* messagesIn(line(Buffer.of(LINE_FEED)));
}

function* messagesIn(line: Buffer): Generator<Buffer> {
  const first = line.find((byte) => !BLANK.has(byte));
  if (first === undefined) return;
  const messages = first === OPENING_BRACKET ? parsed(line) : undefined;
  if (!Array.isArray(messages) || messages.length === 0) return yield line;
  for (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`);
}

/** Undefined: not JSON. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}
