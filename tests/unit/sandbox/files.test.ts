// Goal: a program that was written for a run can be run at once, whatever else starts in that moment.

import { join } from "node:path";
import { expect, test } from "bun:test";
import { makeRunFolder, writeGearFiles } from "../../../src/service/sandbox/run-folder.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { file } from "../../kit/service/sandbox.ts";

const LANES = 3;
const RUNS_PER_LANE = 120;
const OTHERS = 4;
const CODE = "#!/bin/sh\necho ran\n";

/** Writes a program while a shell waits for it, as the launcher in a container does. Returns what it says. */
async function ran(gear: string, name: string): Promise<string> {
  const launcher = Bun.spawn(["sh", "-c", `read -r line; "${join(gear, name)}" 2>&1`], {
    stdin: "pipe",
    stdout: "pipe",
  });
  await writeGearFiles(gear, { files: [file(name, CODE, true)], inputs: [] });
  launcher.stdin.write("go\n");
  await launcher.stdin.end();
  return new Response(launcher.stdout).text();
}

test("a program is not busy while other children start", async () => {
  await using folder = await temporaryFolder();
  const { gear } = await makeRunFolder(folder.path);
  const over = new AbortController();
  // A child that starts has every open file until it executes.
  const others = Array.from({ length: OTHERS }, async () => {
    while (!over.signal.aborted)
      await Bun.spawn(["true"], { stdio: ["ignore", "ignore", "ignore"], detached: true }).exited;
  });
  const said = await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      const texts: string[] = [];
      for (let run = 0; run < RUNS_PER_LANE; run += 1) texts.push(await ran(gear, `main-${lane}-${run}`));
      return texts;
    }),
  );
  over.abort();
  await Promise.all(others);
  expect(said.flat().filter((text) => text !== "ran\n")).toEqual([]);
});
