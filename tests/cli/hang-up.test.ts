// Goal: a question whose terminal is closed ends the program; it does not wait forever for a person who has gone.

import { expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { within } from "../kit/within.ts";

test.skipIf(process.platform === "win32")("a wizard ends when its terminal is closed", async () => {
  await using folder = await temporaryFolder();
  let said = "";
  const terminal = new Bun.Terminal({
    cols: 200,
    rows: 24,
    data: (_, chunk) => void (said += String(chunk)),
  });
  const child = Bun.spawn([binaryPath("cairn"), "init"], {
    terminal,
    detached: true,
    env: { ...process.env, HOME: folder.path, TERM: "xterm" },
  });
  await until(() => said.length > 0 && /Escape/.test(said));
  terminal.close();
  expect(await within("cairn init ends", child.exited)).not.toBe(0);
});
