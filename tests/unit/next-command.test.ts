// Goal: a suggested command can be typed as it is: in the same place, whatever the names in it.

import { expect, test } from "bun:test";
import { nextCommand } from "../../src/cli/next-command.ts";

test.each([
  [["a.md"], {}, "cairn file undelete a.md"],
  [["it's a.md"], { space: "main" }, "cairn file undelete 'it'\\''s a.md' --space main"],
  [
    ["a.md"],
    { local: true, "server-dir": "/srv/my data", json: true },
    "cairn file undelete a.md --local --server-dir '/srv/my data'",
  ],
  [["-x.md"], { dir: "notes" }, "cairn file undelete --dir notes -- -x.md"],
  [["$(rm)"], {}, "cairn file undelete '$(rm)'"],
])("%p with %p", (places, given, expected) => {
  expect(nextCommand(["file", "undelete"], places, given)).toBe(expected);
});
