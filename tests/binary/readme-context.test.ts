// Goal: the sessions that the README shows for the context server and for a laptop work as they stand, with the compiled program.

import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { binaryPath } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

const readme = await Bun.file(join(ROOT, "README.md")).text();
const sessionOf = (heading: string) =>
  new RegExp(`^## ${heading}\n.+?\`\`\`sh\n(.+?)\`\`\``, "ms").exec(readme)![1]!;

/** Runs the commands of a session; only where it lies is another. */
async function run(session: string, folder: string) {
  const commands = session.split("\n").filter((line) => line !== "");
  // The exit code of each command is printed after it.
  const script = commands
    .flatMap((line) => [line, 'echo "=> $?"'])
    .join("\n")
    .replaceAll("/tmp/", `${folder}/`)
    .replace('"$PWD/dist', `"${dirname(binaryPath("cairn"))}`);
  const child = Bun.spawn(["sh", "-c", script], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const codes = [...stdout.matchAll(/^=> (\d+)$/gm)].map((match) => Number(match[1]));
  return { commands, codes, stdout, stderr };
}

test.skipIf(process.platform === "win32")("the README's laptop session runs as printed", async () => {
  await using folder = await temporaryFolder();
  const { commands, codes, stdout, stderr } = await run(sessionOf("On your laptop"), folder.path);
  expect(codes).toEqual(commands.map(() => 0));
  expect(stderr).toBe("");
  expect(stdout).toContain("+We ship on Fridays.");
  expect(stdout).toContain("adopted decisions.md");
  expect(stdout).toContain("v2 (current)");
  // Which tool is detected depends on the machine.
  expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ /m);
});

test.skipIf(process.platform === "win32")(
  "the README's session with the context server runs as printed",
  async () => {
    await using folder = await temporaryFolder();
    const session = sessionOf("The context server");
    const { commands, codes, stdout, stderr } = await run(session, folder.path);
    expect({ codes, stderr }).toEqual({
      codes: commands.map((line) => (line.includes("never ship") ? 3 : 0)),
      stderr: [
        "the token is shown once and does not expire",
        "bob is viewer; the token is shown once",
        "Error: decisions/release.md: expected v1, but the current version is v2\n",
      ].join("\n"),
    });
    expect(stdout).toContain("v2 (current)");
    expect(stdout).toMatch(/the chain is intact: \d+ entries verified\n/);
  },
);
