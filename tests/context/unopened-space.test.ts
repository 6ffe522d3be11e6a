// Goal: the console and the terminal interface name a space that the server cannot open, to those who may see it, and say why.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import { serverDesk } from "../../src/context/tui/desks.ts";
import { signedIn } from "../kit/context/console.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { ENTER, onTerminalScreen } from "../kit/terminal/on-screen.ts";

const REASON = "space.db is not a usable database";

/** A server with a space `team` that works and a space `lost` that does not open; ben may see the first one only. */
async function halfLost(): Promise<ContextServer> {
  const server = await contextServer({ files: { "a.md": "one word\n" } });
  await server.admin.post("/spaces", { name: "lost", template: "blank" });
  await server.user("ben", "viewer", ["team"]);
  await server.restart(() => {
    const database = server.inSpace("..", "lost", ".cairn", "space.db");
    for (const log of ["-wal", "-shm"]) rmSync(`${database}${log}`, { force: true });
    writeFileSync(database, "no database ".repeat(1_000));
  });
  return server;
}

test("the console lists it with a way to the reason", async () => {
  await using server = await halfLost();
  const root = await signedIn(server, "root");
  const list = await root.get("/console/spaces");
  expect(list.text).toContain(
    "lost The server cannot open this space. Open its page to read why and what to do.",
  );
  expect((await root.get("/console")).text).toContain("The server cannot open lost . Open the page");
  const page = await root.get("/console/spaces/lost");
  expect(page.text).toContain(REASON);
  const ben = await signedIn(server, "ben");
  for (const path of ["/console", "/console/spaces"]) {
    const { status, text } = await ben.get(path);
    expect([status, text.includes("lost"), text.includes("cannot open")]).toEqual([200, false, false]);
  }
});

test("the terminal interface lists it with the reason, and asks the other spaces", async () => {
  await using server = await halfLost();
  const edit = () => Promise.resolve(undefined);
  const deskOf = (token: string) => serverDesk(new Client(networkTransport(server.url, token)), { edit });
  using screen = await onTerminalScreen(deskOf(server.bootstrap), { columns: 200 });
  await screen.terminal.shows(/Spaces +1\n +1 more space cannot be opened: see Spaces/);
  await screen.terminal.shows(/^lost\n +Problem +.*space\.db is not a usable database/m);
  await screen.press("2", /1 space cannot be opened: Enter shows why/);
  await screen.press("", /› lost: cannot be opened +— +— +—/);
  await screen.press(ENTER, REASON);
  await screen.press("3", "Search: _");
  await screen.press(`word${ENTER}`, /1 of 2 spaces searched: lost: .*space\.db/);
  await screen.terminal.shows("team/a.md");
  const tokenOfBen = (await server.admin.post("/users/ben/tokens", {})).token;
  using other = await onTerminalScreen(deskOf(tokenOfBen), { columns: 200 });
  expect(await other.terminal.shows(/Spaces +1\n/)).not.toContain("lost");
  expect(await other.press("2", "› team")).not.toContain("lost");
});
