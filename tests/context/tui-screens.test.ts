// Goal: every page of the terminal UI shows what it should at three sizes, in golden screens.

import { expect, test } from "bun:test";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import type { Desk } from "../../src/context/tui/desk.ts";
import { serverDesk } from "../../src/context/tui/desks.ts";
import { contextServer, type ContextServer } from "../kit/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { expectGolden } from "../kit/golden.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { DOWN, ENTER, onTerminalScreen } from "../kit/on-screen.ts";

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
  await admin.write("plans/roadmap.md", "# Roadmap\n\nOne.\nTwo.\n");
  await admin.write("plans/roadmap.md", "# Roadmap\n\nOne.\nThree.\nFour.\n");
  await admin.write(CONFLICT, "# Roadmap\n\nOne.\nSeven.\n");
  await admin.write("plans/日本語の計画.md", "計画\n");
  await admin.write(`${"long-name-".repeat(20)}.md`, "long\n");
  await server.user("ben", "contributor", ["team"]);
  await server.user("Zoë", "viewer");
  return server;
}

function deskOf(server: ContextServer, token: string): Desk {
  const edit = () => Promise.reject(new Error("no editor in this test"));
  return {
    ...serverDesk(new Client(networkTransport(server.url, token)), { edit }),
    place: "https://cairn.example",
  };
}

test.each(SIZES)("shows each page at %d×%d", async (columns, rows) => {
  await using server = await inhabited();
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap), { columns, rows });
  const shown: string[] = [];
  const keep = (name: string, text: string) => {
    const lines = text.split("\n");
    expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    shown.push(`=== ${name} ===\n${text.replace(/Version +\S+/, "Version         (version)")}`);
  };
  /** Types, and waits until the page is there with its data. */
  const at = async (keys: string, wanted: string | RegExp) => {
    await screen.press(keys, wanted);
    await eventually(() => screen.terminal.text().includes("loading…"), false);
    return screen.terminal.text();
  };
  keep("overview", await at("", /Conflicts +1 open/));
  keep("spaces", await at("2", "[2 Spaces]"));
  keep("files", await at(ENTER, " team/\n"));
  keep("folder", await at(ENTER, " team/plans/\n"));
  keep("document", await at(`${DOWN}${ENTER}`, " team/plans/roadmap.md\n"));
  keep("diff", await at("d", " team/plans/roadmap.md diff\n"));
  await at("\u007f", " team/plans/roadmap.md\n");
  keep("history", await at("h", " team/plans/roadmap.md history\n"));
  await at("3", "Search: _");
  keep("search", await at(`roadmap${ENTER}`, "3 rows"));
  keep("users", await at("4", "[4 Users]"));
  keep("audit", await at("5", "[5 Audit]"));
  keep("verification", await at("v", "Audit verification"));
  keep("conflicts", await at("6", "[6 Conflicts]"));
  keep("conflict", await at(ENTER, "roadmap.md conflict\n"));
  keep("help", await at("?", "On this page"));
  await expectGolden(`tui/${columns}x${rows}.txt`, shown.join("\n"));
});
