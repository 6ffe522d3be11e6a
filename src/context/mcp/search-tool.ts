// The tool that searches the documents.

import { AppError } from "../../kit/error.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import type { SearchResult } from "../search/schema.ts";
import { fitting } from "./bounded-answer.ts";
import { SearchInput } from "./schema.ts";
import { tool, type Tool } from "./tool.ts";

export const searchTool: Tool = tool({
  name: "search",
  description:
    'Finds documents by words, "phrases" and prefixes (word*), all of which a document must contain, best first; or by a regular expression, matched line by line. Shows the matching lines with their numbers, which read takes as line.',
  input: SearchInput,
  run: async (space, { query, ignore_case: ignoreCase, ...rest }) => {
    const { results, more } = await space.search({ text: query, ignoreCase, ...rest }).catch(inOwnWords);
    if (results.length === 0) return "no document matches";
    const shown = fitting(results.map(resultText));
    if (shown.length < results.length)
      return [...shown, "[more documents match; narrow the query, or lower lines]"].join("\n");
    const last = more ? ["[more documents match; narrow the query, or raise limit]"] : [];
    return [...shown, ...last].join("\n");
  },
});

function resultText({ path, lines, more_lines: more }: SearchResult): string {
  return [
    visibleInLine(path),
    ...lines.map(({ line, text }) => `  ${line}: ${visibleInLine(text).trim()}`),
    ...(more ? ["  [more lines match]"] : []),
  ].join("\n");
}

/** A server names the parameters of its route. */
function inOwnWords(error: unknown): never {
  const details = error instanceof AppError && error.details?.["in"] === "query" ? error.details : undefined;
  if (!details) throw error;
  const field = details["field"] === "q" ? "query" : String(details["field"]);
  throw new AppError("invalid", `${field}: ${String(details["problem"])}`);
}
