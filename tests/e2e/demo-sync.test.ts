// Goal: the last step of the demo, two laptops that share a space, ends with the same text on both.

import { expect, test } from "bun:test";
import { demonstrateSync } from "../../release/demo-sync.ts";
import { temporaryFolder } from "../kit/folder.ts";

test("the demo's laptops conflict, resolve, and converge", async () => {
  await using folder = await temporaryFolder();
  const said: string[] = [];
  await demonstrateSync(folder.path, (line = "") => void said.push(line));
  expect(said.at(-1)).toMatch(
    /^17\. resolved: both laptops have the same text, and the server has 3 versions of it$/,
  );
  expect(said.find((line) => line.includes("is beside"))).toMatch(
    /^ +decisions\.conflict-ada-\S+\.md is beside decisions\.md$/,
  );
});
