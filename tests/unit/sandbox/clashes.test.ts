// Goal: files that are no tree on some file system are refused before a run writes any of them, as when the gear is saved.

import { expect, test } from "bun:test";
import { refuseClashes } from "../../../src/service/sandbox/run-folder.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { file } from "../../kit/service/sandbox.ts";

const refusalOf = (files: readonly string[], inputs: readonly string[] = []) =>
  refusalText(async () => {
    const named = (path: string) => file(path, "x");
    refuseClashes({ files: files.map(named), inputs: inputs.map(named) });
  });

test.each([
  [["main.sh", "MAIN.sh"], [], "invalid: MAIN.sh: another file of the gear already has that name"],
  [["main.sh", "Main.sh/a"], [], "invalid: main.sh: another file of the gear needs a directory of that name"],
  [["main.sh"], ["a/b", "A"], "invalid: inputs/A: another file of the gear needs a directory of that name"],
  [["main.sh"], ["a", "A"], "invalid: inputs/A: another file of the gear already has that name"],
])("%p with the inputs %p", async (files, inputs, refused) => {
  expect(await refusalOf(files, inputs)).toBe(refused);
});
