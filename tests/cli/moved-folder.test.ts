// Goal: a person who moves a folder that a daemon keeps in sync learns that nothing syncs, and the folder does not come back at its old place.

import { expect, test } from "bun:test";
import { existsSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { DaemonStatus } from "../../src/context/replica/daemon-status.ts";
import { cairnAt } from "../kit/cli/cairn.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";

test.skipIf(process.platform === "win32")("the daemon of a moved folder has a problem", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const { token } = await server.user("ann", "contributor");
  const at = cairnAt([], { environment: { HOME: folder.path, SERVICE_TOKEN: token } });
  const [before, after, link] = ["before", "after", "link"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await at.printed("init", "client", "--server", server.url, "--space", "team", "--dir", before);
  await at.printed("daemon", "start", "--dir", before);
  let place = before;
  try {
    const problemIn = async (dir: string) =>
      (await at.data<DaemonStatus>("daemon", "status", "--dir", dir)).problem;
    symlinkSync(before, link);
    expect([await problemIn(before), await problemIn(link)]).toEqual([null, null]);
    renameSync(before, after);
    place = after;
    expect(await problemIn(after)).toEqual({
      code: "conflict",
      message: `the folder was moved from ${before} while the daemon ran; stop the daemon and start it again`,
    });
  } finally {
    await at.printed("daemon", "stop", "--dir", place);
  }
  expect(existsSync(before)).toBe(false);
});
