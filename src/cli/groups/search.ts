// `cairn search`: finds files by their words or by a regular expression.

import { defineCommand } from "citty";
import {
  LINES_DEFAULT,
  RESULTS_DEFAULT,
  type SearchAnswer,
  type SearchLine,
  type SearchResult,
} from "../../context/search/schema.ts";
import { processEnvironment, stdoutTakesColor } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { phrase } from "../../kit/terminal/arguments.ts";
import { formatOf, printBytes, printData, printHint } from "../../kit/terminal/output.ts";
import { visible, visibleInLine } from "../../kit/text/visible.ts";
import { spaceArgs, withSpace } from "../connection.ts";
import { wholeNumber } from "../tables.ts";

export const searchCommand = defineCommand({
  meta: {
    name: "search",
    description: 'Find files by words, "phrases" and prefixes (word*), best first',
  },
  args: {
    query: phrase({
      type: "positional",
      required: true,
      valueHint: "query",
      description: 'Words, "phrases" and prefixes (word*); with --regex, an expression',
    }),
    regex: {
      type: "boolean",
      alias: "e",
      description: "The query is a regular expression (RE2), matched line by line",
    },
    "ignore-case": {
      type: "boolean",
      alias: "i",
      description: "Match a regular expression in any case; words always do",
    },
    path: {
      type: "string",
      valueHint: "glob",
      description: "Only below this path, or matching * (one segment) and ** (any depth)",
    },
    "files-with-matches": { type: "boolean", alias: "l", description: "Print only the paths" },
    lines: {
      type: "string",
      valueHint: "count",
      description: `Maximum number of lines per file (default: ${LINES_DEFAULT})`,
    },
    limit: {
      type: "string",
      valueHint: "count",
      description: `Maximum number of files (default: ${RESULTS_DEFAULT})`,
    },
    ...spaceArgs,
  },
  async run({ args }) {
    const format = formatOf(args);
    const isBare = args["files-with-matches"] === true;
    const query = {
      text: args.query,
      regex: args.regex === true,
      ignoreCase: args["ignore-case"] === true,
      path: args.path,
      limit: args.limit === undefined ? undefined : wholeNumber("--limit", args.limit),
      lines: isBare ? 0 : args.lines === undefined ? undefined : wholeNumber("--lines", args.lines),
    };
    const answer = await withSpace(args, (space) => space.search(query)).catch((error) =>
      inWordsOfArguments(error, args),
    );
    const isColored =
      format === "text" && args["no-color"] !== true && stdoutTakesColor(processEnvironment());
    if (isColored) await printBytes(new TextEncoder().encode(`${textOf(answer, COLORED)}\n`));
    else await printData(answer, format, (value) => textOf(value, PLAIN));
    if (format !== "text") return;
    if (answer.more) await printHint("more files match; raise --limit or narrow the query");
    const isWord = !query.regex && query.path === undefined && WORD.test(query.text);
    if (answer.results.length === 0 && isWord)
      await printHint(`words are matched whole; ${query.text}* also finds longer ones`);
  },
});

/** One that a star may follow. */
const WORD = /^[\p{L}\p{N}]{2,}$/u;

const FLAGS: Readonly<Record<string, string>> = {
  q: "query",
  path: "--path",
  limit: "--limit",
  lines: "--lines",
};

/** Names the argument instead of the parameter of the API. */
function inWordsOfArguments(error: unknown, args: Readonly<Record<string, unknown>>): never {
  const details = error instanceof AppError ? error.details : undefined;
  const name = details?.["in"] === "query" ? FLAGS[String(details["field"])] : undefined;
  if (name === undefined) throw error;
  const problem = String(details!["problem"]);
  const given = args[String(details!["field"])];
  // Some problems quote what was given.
  const isQuoted = problem.startsWith('"');
  const place = name === "query" ? "query: " : isQuoted ? `${name} ` : `${name} ${JSON.stringify(given)}: `;
  throw new AppError("invalid", place + problem, details);
}

interface Style {
  readonly path: (text: string) => string;
  readonly match: (text: string) => string;
}

const same = (text: string) => text;
const PLAIN: Style = { path: same, match: same };
const COLORED: Style = {
  path: (text) => `\u001b[35m${text}\u001b[39m`,
  match: (text) => `\u001b[1;31m${text}\u001b[22;39m`,
};

/** As `grep -n` prints: `path:line:text`. */
function textOf({ results }: SearchAnswer, style: Style): string {
  if (results.length === 0) return "no files match";
  return results.flatMap((result) => linesOf(result, style)).join("\n");
}

function linesOf({ path, lines }: SearchResult, style: Style): string[] {
  const shown = style.path(visibleInLine(path));
  return lines.length === 0 ? [shown] : lines.map((line) => `${shown}:${line.line}:${lineText(line, style)}`);
}

function lineText({ text, ranges }: SearchLine, style: Style): string {
  let shown = "";
  let at = 0;
  for (const { start, end } of ranges) {
    shown += visible(text.slice(at, start)) + style.match(visible(text.slice(start, end)));
    at = end;
  }
  return shown + visible(text.slice(at));
}
