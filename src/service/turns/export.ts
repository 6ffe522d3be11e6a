// Streams the turns of a workspace to save them: as JSON or CSV, page by page.

import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { answerListing } from "../../kit/http/list-answer.ts";
import type { TurnSummary } from "./schema.ts";
import { SUMMARY_CSV_HEADER, summaryCsv } from "./summaries.ts";

/** A failure aborts the response, so that no client takes a part for the whole. */
export function exportTurns(
  requestId: string,
  workspaceId: number,
  format: "csv" | "json",
  pages: AsyncGenerator<TurnSummary[], void>,
): Response {
  const name = `attachment; filename="turns-${workspaceId}.${format}"`;
  if (format === "csv") return csvAnswer(requestId, name, pages);
  const answer = answerListing(requestId, { before: { workspace_id: workspaceId }, field: "turns", pages });
  answer.headers.set("Content-Disposition", name);
  return answer;
}

function csvAnswer(requestId: string, name: string, pages: AsyncGenerator<TurnSummary[], void>): Response {
  const body = new ReadableStream<string>({
    start: (controller) => controller.enqueue(`${SUMMARY_CSV_HEADER}\r\n`),
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) controller.close();
      else controller.enqueue(value.map((turn) => `${summaryCsv(turn)}\r\n`).join(""));
    },
    cancel: async () => void (await pages.return()),
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      ...SECURITY_HEADERS,
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": name,
    },
  });
}
