// Goal: a full-screen program that crashes leaves the terminal as it was.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

test.each([
  ["an error that nobody catches", 'setTimeout(() => { throw new Error("crash"); });'],
  ["an end in the middle", "setTimeout(() => process.exit(3));"],
])("after %s", async (_, crash) => {
  await using folder = await temporaryFolder();
  const program = await folder.write(
    "program.ts",
    `import { OwnTerminal } from ${JSON.stringify(join(ROOT, "src/kit/terminal/own-terminal.ts"))};
    const terminal = new OwnTerminal();
    terminal.start({ input() {}, resized() {}, ended() {} }, "<restored>");
    ${crash}`,
  );
  const script =
    'stty sane; before="$(stty -g)"; "$0" "$@" 2>/dev/null; [ "$(stty -g)" = "$before" ] && echo "<same>"';
  const { text } = await onTerminal(["sh", "-c", script, process.execPath, program]);
  expect(text).toBe("<restored><same>\n");
});
