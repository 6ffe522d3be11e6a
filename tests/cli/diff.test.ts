// Goal: a printed difference is a patch that programs apply, also where it ends with blank lines, spaces or a carriage return.

import { applyPatch } from "diff";
import { expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

/** A space whose only document differs from its last version. */
async function edited(before: string, after: string) {
  const folder = await temporaryFolder();
  const environment = { HOME: folder.path, SERVICE_DIR: "", SERVICE_SERVER_DIR: "" };
  const at = ["--dir", `${folder.path}/notes`];
  const { printed } = cairnAt(at, { environment });
  await printed("init", "solo", "--template", "blank");
  await folder.write("notes/a.md", before);
  await printed("space", "adopt");
  await folder.write("notes/a.md", after);
  return { at, printed, environment, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test.each([
  ["blank lines after the change", "a\nb\nc\n\n\n\nd\n", "a\nB\nc\n\n\n\nd\n"],
  ["spaces at the end of the last line", "a\nb\n", "a\nb  \n"],
  ["a carriage return at the end of the last line", "a\r\nb\r\n", "a\r\nc\r\n"],
  ["no line end at the end", "a\nb", "a\nc"],
  ["blank lines that are new", "a\n", "a\n\n\n"],
])("%s", async (_, before, after) => {
  await using space = await edited(before, after);
  const patch = await space.printed("file", "diff", "a.md");
  expect(applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
});

test.skipIf(Bun.which("git") === null)("git applies it, with the versions in its header", async () => {
  await using space = await edited("a\nb\n\n", "a\nc\n\n");
  await using folder = await temporaryFolder();
  await folder.write("a.md", "a\nb\n\n");
  const patch = await space.printed("file", "diff", "a.md");
  expect(patch).toStartWith("--- a.md\tv1\n+++ a.md\ton disk\n");
  await folder.write("a.patch", patch);
  const applying = Bun.spawnSync(["git", "apply", "-p0", "a.patch"], { cwd: folder.path });
  expect([applying.exitCode, applying.stderr.toString()]).toEqual([0, ""]);
  expect(await Bun.file(`${folder.path}/a.md`).text()).toBe("a\nc\n\n");
});

test.skipIf(process.platform === "win32")(
  "a terminal shows lines with a carriage return as they are",
  async () => {
    await using space = await edited("a\r\nb\r\n", "a\r\nc\r\n");
    const command = [binaryPath("cairn"), "file", "diff", "a.md", ...space.at];
    const { text } = await onTerminal(command, { ...space.environment, PAGER: "cat", TERM: "xterm" });
    expect(text).toContain("\u001b[31m-b\u001b[0m");
    expect(text).toContain("\u001b[32m+c\u001b[0m");
    expect(text).not.toContain("\ufffd");
  },
);
