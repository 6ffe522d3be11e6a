// Goal: the table in docs/loopback.md is the one that the rules give, and names every header that the guard takes for a client's own.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../../release/step.ts";
import {
  bodies,
  expectedAnswer,
  fetchSites,
  forwardings,
  hosts,
  origins,
  peers,
  plain,
  worlds,
  type Case,
} from "../../kit/http/loopback-cases.ts";

const PORT = 8688;
const DOCUMENT = join(ROOT, "docs/loopback.md");
const BEGIN = "<!-- cases: written by UPDATE_GOLDEN=1 npm test -->\n\n";
const END = "\n<!-- end of cases -->";

const dimensions: [string, keyof Case, object][] = [
  ["Host", "host", hosts],
  ["Origin", "origin", origins],
  ["Fetch metadata", "site", fetchSites],
  ["Forwarding header", "forwarding", forwardings],
  ["Body", "body", bodies],
  ["Peer", "peer", peers],
];
const shapes: [string, Partial<Case>][] = [
  ["GET of the API", {}],
  ["POST of JSON", { method: "POST", body: "JSON" }],
  ["GET of a page", { kind: "page" }],
];

function answer(world: number, request: Case): string {
  const expected = expectedAnswer(worlds[world]!, request, PORT);
  if (request.host === "missing") return "400";
  if (expected.status !== "admitted") return String(expected.status);
  return expected.privilege ? "admin" : request.kind === "page" ? "page" : "token";
}

function row(texts: string[]): string {
  return `| ${texts.join(" | ")} |\n`;
}

/** One line a value that differs from a plain request, on the default listener; then plain requests in each world. */
function casesTable(): string {
  const head =
    row(["", "", ...shapes.map(([name]) => name)]) + row(["---", "---", ...shapes.map(() => "---")]);
  const lines = dimensions.flatMap(([title, key, values]) =>
    Object.keys(values).map((value) => {
      const answers = shapes.map(([, shape]) => {
        const request = { ...plain, ...shape, [key]: value };
        // A page is open to everyone who is let in.
        const text = answer(0, request);
        return request.kind === "page" && text === "admin" ? "page" : text;
      });
      return row([title, value.replaceAll("|", "\\|"), ...answers]);
    }),
  );
  const listeners = worlds.map((world, index) => {
    const each = (["own", "allowed name", "a foreign name"] as const).map((host) =>
      answer(index, { ...plain, host }),
    );
    return row([world.name, ...each]);
  });
  const second =
    row(["Listening on", "Host is ours", "Host is in allowed_hosts", "foreign Host"]) +
    row(["---", "---", "---", "---"]);
  return `${head}${lines.join("")}\nA GET of the API, for each way to listen:\n\n${second}${listeners.join("")}`;
}

/** Cells of each line: the formatter may align them. */
function cells(table: string): string[][] {
  const lines = table.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => line.split("|").map((cell) => cell.trim().replace(/^-+$/, "---")));
}

test("the table of cases is up to date", async () => {
  const text = await Bun.file(DOCUMENT).text();
  const [before, rest] = text.split(BEGIN) as [string, string];
  const [table, after] = rest.split(END) as [string, string];
  if (process.env.UPDATE_GOLDEN === "1" && process.env.CI === undefined) {
    await Bun.write(DOCUMENT, before + BEGIN + casesTable() + END + after);
    return;
  }
  expect(cells(table)).toEqual(cells(casesTable()));
});

test("the headers that the document names as those of clients are those of the guard", async () => {
  const source = await Bun.file(join(ROOT, "src/kit/http/guard.ts")).text();
  const list = /DIRECT_HEADERS = new Set\(\[([^\]]+)\]/.exec(source)![1]!;
  const prefixes = /DIRECT_PREFIXES = \[([^\]]+)\]/.exec(source)![1]!;
  const known = [...`${list}${prefixes}`.matchAll(/"([^"]+)"/g)].map((match) =>
    match[1]!.replace(/-$/, "-*"),
  );
  const rule = /^2\. .+?^3\. /ms.exec(await Bun.file(DOCUMENT).text())![0];
  const named = [...rule.matchAll(/`([\w*-]+)`/g)].map((match) => match[1]!.toLowerCase());
  expect(named.toSorted()).toEqual(known.toSorted());
});
