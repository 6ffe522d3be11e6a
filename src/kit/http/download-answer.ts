// Streams a file that is made while it is sent, for a browser to save. A failure aborts the answer, so that no client takes a part for the
// whole.

import { SECURITY_HEADERS } from "./answer.ts";

interface Download {
  /** ASCII, without quotes. */
  readonly name: string;
  readonly type: string;
}

export function answerDownload(
  requestId: string,
  { name, type }: Download,
  pieces: AsyncGenerator<Uint8Array>,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      ...SECURITY_HEADERS,
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
    },
  });
}
