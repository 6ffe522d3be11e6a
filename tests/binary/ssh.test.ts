// Goal: the compiled server offers the terminal interface over SSH, takes its keys over while it runs, and stops with a session open.

import { expect, test } from "bun:test";
import { SSH, newKey, openSsh } from "../kit/context/ssh.ts";
import { configure } from "../kit/context/context-server.ts";
import { runContext } from "../kit/context/running-context.ts";
import { temporaryFolder } from "../kit/folder.ts";

test.skipIf(SSH === undefined)("serves a session, and ends it when it stops", async () => {
  await using folder = await temporaryFolder();
  const key = await newKey(folder, "root.key");
  const ssh = { enabled: true, port: 0, keys: [{ user: "root", key: key.public }] };
  await using server = await runContext({ config: { tui: { ssh } } });
  const port = Number(server.log.find(({ message }) => message === "terminal interface over SSH")!["port"]);
  await using root = openSsh({ folder, port, user: "root", key });
  await root.terminal.shows("root (admin) · read only");
  await root.press("2", "› team");
  const other = await newKey(folder, "other.key");
  configure(server.directory, { tui: { ssh: { ...ssh, keys: [{ user: "root", key: other.public }] } } });
  await root.terminal.shows("the key of this session was removed from the server");
  await using late = openSsh({ folder, port, user: "root", key: other });
  await late.terminal.shows("root (admin) · read only");
  expect(await server.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  await late.terminal.shows("the server is stopping");
});
