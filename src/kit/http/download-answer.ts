// Streams a file that is made while it is sent, for a browser to save. A failure aborts the answer, so that no client takes a part for the
// whole.

import { ownTurn } from "../clock.ts";
import { SECURITY_HEADERS } from "./answer.ts";
import { contentDisposition } from "./content-disposition.ts";

interface Download {
  readonly name: string;
  readonly type: string;
}

const LINES_PER_PIECE = 100;

/** Waits for the first piece, so that a refusal is an answer of its own. Raises what `pieces` raises until then. */
export async function answerDownload(
  requestId: string,
  { name, type }: Download,
  pieces: AsyncGenerator<Uint8Array | string>,
): Promise<Response> {
  const first = await pieces.next();
  const encoder = new TextEncoder();
  const bytesOf = (piece: Uint8Array | string) => (typeof piece === "string" ? encoder.encode(piece) : piece);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done) controller.close();
      else controller.enqueue(bytesOf(first.value));
    },
    async pull(controller) {
      await ownTurn();
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(bytesOf(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      ...SECURITY_HEADERS,
      "Content-Type": type,
      "Content-Disposition": contentDisposition("attachment", name),
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
    },
  });
}

/** A stream of single lines would cost more than the lines. `header` begins the first piece. */
export async function* inPieces<Row>(
  rows: AsyncIterable<Row>,
  lineOf: (row: Row) => string,
  header = "",
): AsyncGenerator<string> {
  let [piece, lines] = [header, 0];
  for await (const row of rows) {
    piece += lineOf(row);
    lines += 1;
    if (lines < LINES_PER_PIECE) continue;
    yield piece;
    [piece, lines] = ["", 0];
  }
  if (piece !== "") yield piece;
}
