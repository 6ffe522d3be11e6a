// Goal: what `cairn init` says about the daemon names commands for the folder that it created, wherever that is.

import { expect, test } from "bun:test";
import { wiredLines } from "../../src/cli/groups/wiring.ts";

test("a daemon that the system did not start is started for this folder", () => {
  const daemon = { path: "/unit", started: false, problem: "no bus" };
  const wired = { directory: "/srv/ann/my notes", tools: [], daemon, problems: [] };
  expect(wiredLines(wired)).toEqual([
    "the daemon starts at the next sign-in (no bus), or now with cairn daemon start --dir '/srv/ann/my notes'",
  ]);
});
