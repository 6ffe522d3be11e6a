// Goal: every page of the terminal UI shows what it should at three sizes, in golden screens.

import { expect, test } from "bun:test";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import type { Desk, ServerDesk } from "../../src/context/tui/desk.ts";
import { serverDesk } from "../../src/context/tui/desks.ts";
import { contextServer, deny, filePath, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { expectGolden } from "../kit/golden.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { DOWN, ENTER, onTerminalScreen } from "../kit/terminal/on-screen.ts";

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const;

const CONFLICT = "plans/roadmap.conflict-ben-20260101T110000Z.md";

async function inhabited(): Promise<ContextServer> {
  const server = await contextServer({ clock: manualClock() });
  const { admin } = server;
  await admin.write("context-entry.md", "# Start here\n\nRead the [roadmap](plans/roadmap.md) first.\n");
  await admin.write("plans/roadmap.md", "# Roadmap\n\nOne.\n");
  await admin.write("plans/roadmap.md", "# Roadmap\n\nOne.\nTwo.\n");
  await admin.write("plans/roadmap.md", "# Roadmap\n\nOne.\nThree.\nFour.\n");
  await admin.write(CONFLICT, "# Roadmap\n\nOne.\nSeven.\n");
  await admin.write("plans/日本語の計画.md", "計画\n");
  await admin.write(`${"long-name-".repeat(20)}.md`, "long\n");
  await admin.write("plans/old.md", "gone\n");
  await admin.delete(filePath("plans/old.md"));
  await server.user("ben", "contributor", ["team"]);
  await server.rules("ben", deny("plans/secret/**", "list", "read"));
  await server.user("Zoë", "viewer");
  return server;
}

function deskOf(server: ContextServer, token: string): Desk {
  const edit = () => Promise.reject(new Error("no editor in this test"));
  const desk = serverDesk(new Client(networkTransport(server.url, token)), { edit });
  // The account that runs the tests created the space, and it has another name on every machine.
  const audit: ServerDesk["audit"] = async (query) =>
    (await desk.server!.audit(query)).filter(({ action }) => action !== "space.create");
  return { ...desk, place: "https://cairn.example", server: { ...desk.server!, audit } };
}

/** Each page, by its name. */
async function pagesOf(server: ContextServer, options: { columns: number; rows: number; colours: boolean }) {
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap), options);
  const shown: string[] = [];
  const keep = (name: string, text: string) => {
    const lines = text.split("\n");
    expect(lines.filter((line) => Bun.stringWidth(line) > options.columns)).toEqual([]);
    const stable = text
      .replace(/Version +\S+/, "Version         (version)")
      .replaceAll(/^(id|request_id|prev|hash)( +)\S+$/gm, "$1$2(random)")
      .replaceAll(/\n{4,}/g, (run) => `\n(${run.length - 1} empty lines)\n`);
    shown.push(`=== ${name} ===\n${stable}`);
  };
  /** Types, and waits until the page is there with its data. */
  const at = async (keys: string, wanted: string | RegExp) => {
    await screen.press(keys, wanted);
    await eventually(() => /loading…|searching…/.test(screen.terminal.text()), false);
    return screen.terminal.text();
  };
  keep("overview", await at("", /Conflicts +1 open/));
  keep("spaces", await at("2", "[2 Spaces]"));
  keep("files", await at(ENTER, " team/\n"));
  keep("files help", await at("?", "On this page"));
  await at("x", " team/\n");
  keep("deleted files", await at("D", " team deleted files\n"));
  await at("\u007f", " team/\n");
  keep("folder", await at(ENTER, " team/plans/\n"));
  keep("document", await at(`${DOWN}${ENTER}`, " team/plans/roadmap.md\n"));
  keep("diff", await at("d", " team/plans/roadmap.md diff\n"));
  await at("\u007f", " team/plans/roadmap.md\n");
  await at("h", " team/plans/roadmap.md history\n");
  keep("history with a base", await at("bG", "d compares with v3"));
  keep("diff of two versions", await at("d", "v3–v1 diff\n"));
  await at("3", "Search: _");
  keep("search", await at(`roadmap${ENTER}`, "3 rows"));
  await at("s", "roadmap_");
  keep("refused search", await at(`${"\u007f".repeat(7)}***${ENTER}`, "stands at the end of a word"));
  keep("users", await at("4", "[4 Users]"));
  keep("user", await at(ENTER, "User ben"));
  await at("x", "Disable ben");
  keep("question", await at("", "Press y"));
  await at("n", "cancelled");
  keep("audit", await at("5", "[5 Audit]"));
  keep("audit of one person", await at("w", "only root"));
  keep("audit record", await at(ENTER, "Audit record"));
  await at("\u007f", "only root");
  keep("verification", await at("v", "Audit verification"));
  keep("conflicts", await at("6", "[6 Conflicts]"));
  keep("conflict", await at(ENTER, "roadmap.md conflict\n"));
  keep("help", await at("?", "On this page"));
  return { shown: shown.join("\n"), sent: screen.terminal.sent };
}

test.each(SIZES)("shows each page at %d×%d, and says the same without colours", async (columns, rows) => {
  await using server = await inhabited();
  const { shown } = await pagesOf(server, { columns, rows, colours: true });
  const plain = await pagesOf(server, { columns, rows, colours: false });
  expect(plain.shown).toBe(shown);
  // oxlint-disable-next-line no-control-regex -- the sequences are the subject
  expect(plain.sent).not.toMatch(/\u001b\[(?:[0-9]+;)*(?:2|3[0-9])m/);
  await expectGolden(`tui/${columns}x${rows}.txt`, shown);
});
