// Goal: the session that the README shows for the context server works as it stands, with the compiled program.

import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { binaryPath } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

const readme = await Bun.file(join(ROOT, "README.md")).text();
const session = /^## The context server\n.+?```sh\n(.+?)```/ms.exec(readme)![1]!;

test.skipIf(process.platform === "win32")("the README's session of the context server", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  // Only where it lies is another; what each command ended with is printed after it.
  const script = session
    .replace('"$PWD/dist', `"${dirname(binaryPath("cairn"))}`)
    .replaceAll("/tmp/cairn-server", directory)
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => [line, 'echo "=> $?"'])
    .join("\n");
  const child = Bun.spawn(["sh", "-c", script], { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const codes = [...stdout.matchAll(/^=> (\d+)$/gm)].map((match) => Number(match[1]));
  const commands = session.split("\n").filter((line) => line !== "");
  expect(codes).toEqual(commands.map((line) => (line.includes("never ship") ? 3 : 0)));
  expect(stderr).toBe("Error: decisions/release.md: expected v1, but the current version is v2\n");
  expect(stdout).toContain("v2 (current)");
  expect(stdout).toMatch(/the chain is intact: \d+ entries verified\n/);
});
