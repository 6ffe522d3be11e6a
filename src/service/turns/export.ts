// Streams the turns of a workspace to save them: as JSON or CSV, page by page.

import { CSV_TYPE } from "../../kit/text/csv.ts";
import { contentDisposition } from "../../kit/http/content-disposition.ts";
import { answerDownload } from "../../kit/http/download-answer.ts";
import { answerListing } from "../../kit/http/list-answer.ts";
import type { TurnSummary } from "./schema.ts";
import { SUMMARY_CSV_HEADER, summaryCsv } from "./summaries.ts";

/** A failure aborts the response, so that no client takes a part for the whole. */
export async function exportTurns(
  requestId: string,
  workspaceId: number,
  format: "csv" | "json",
  pages: Generator<TurnSummary[], void>,
): Promise<Response> {
  const name = `turns-${workspaceId}.${format}`;
  if (format === "csv") return answerDownload(requestId, { name, type: CSV_TYPE }, csvPieces(pages));
  const answer = answerListing(requestId, { before: { workspace_id: workspaceId }, field: "turns", pages });
  answer.headers.set("Content-Disposition", contentDisposition("attachment", name));
  return answer;
}

async function* csvPieces(pages: Iterable<TurnSummary[]>): AsyncGenerator<string> {
  yield `${SUMMARY_CSV_HEADER}\r\n`;
  for (const page of pages) yield page.map((turn) => `${summaryCsv(turn)}\r\n`).join("");
}
