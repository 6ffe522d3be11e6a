// Goal: the sessions that the README shows for the context server and for a laptop work as they stand, with the compiled program.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, withoutNext } from "../kit/cli/cairn.ts";
import { mcpSession } from "../kit/context/mcp.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { keptPort } from "../kit/kept-port.ts";

const readme = await Bun.file(join(ROOT, "README.md")).text();
const blockOf = (heading: string, language: string) =>
  new RegExp(`^##+ ${heading}\n.+?\`\`\`${language}\n(.+?)\`\`\``, "ms").exec(readme)![1]!;
const sessionOf = (heading: string) => blockOf(heading, "sh");

/** Longer than every session; one that waits for ever is ended. */
const SESSION_MS = 50_000;

/** Runs the commands of a session; only its place and the port of its server are others. */
async function run(session: string, folder: string, port?: number) {
  const commands = session.split("\n").filter((line) => line !== "");
  // The exit code of each command is printed after it.
  const script = commands
    .flatMap((line) => [line, 'echo "=> $?"'])
    .join("\n")
    .replaceAll("/tmp/", `${folder}/`)
    .replaceAll("8744", String(port))
    .replace('"$PWD/dist', `"${dirname(binaryPath("cairn"))}`);
  const child = Bun.spawn(["sh", "-c", script], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: SESSION_MS,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const codes = [...stdout.matchAll(/^=> (\d+)$/gm)].map((match) => Number(match[1]));
  return { commands, codes, stdout, stderr: withoutNext(stderr) };
}

test.skipIf(process.platform === "win32")("the README's laptop session runs as printed", async () => {
  await using folder = await temporaryFolder();
  const { commands, codes, stdout, stderr } = await run(sessionOf("On your laptop"), folder.path);
  expect(codes).toEqual(commands.map(() => 0));
  expect(stderr).toBe(
    `[info] start a new session in each tool; cairn deactivate ${join(folder.path, "cairn-project")} undoes this\n`,
  );
  expect(stdout).toContain("+We ship on Fridays.");
  expect(stdout).toContain("adopted decisions.md");
  expect(stdout).toContain("v2 (current)");
  // Which tool is detected depends on the machine.
  expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ /m);
  expect(stdout).toMatch(/^\S+ +.+ +created +\S+$/m);

  // The program that the README names for AI tools, started by a real client.
  const settings = blockOf("On your laptop", "json").replaceAll("/tmp/", `${folder.path}/`);
  const { command, args } = (JSON.parse(settings) as Settings).mcpServers.notes;
  expect(command).toBe("cairn");
  await using session = await mcpSession(...args.slice(1));
  expect(await session.call("read", { path: "decisions.md" })).toContain("We ship on Fridays.");
});

interface Settings {
  readonly mcpServers: { readonly notes: { readonly command: string; readonly args: readonly string[] } };
}

test.skipIf(process.platform === "win32")(
  "the README's session with two laptops runs as printed, and both end with the same text",
  async () => {
    await using folder = await temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    const left = cairnAt([], { environment: { HOME: folder.path } });
    try {
      const session = sessionOf("Two laptops, one space");
      const { commands, codes, stdout, stderr } = await run(
        session,
        folder.path,
        await keptPort("127.0.0.1"),
      );
      expect({ codes, stderr }).toEqual({
        codes: commands.map(() => 0),
        stderr: "the token is shown once and does not expire\nbob is contributor; the token is shown once\n",
      });
      expect(stdout).toMatch(/^conflict +release\.md: /m);
      expect(stdout).toContain(`; see cairn conflict show release.md --dir ${at("cairn-bob")}\n`);
      const texts = ["ada", "bob"].map((name) => readFileSync(at(`cairn-${name}/release.md`), "utf8"));
      expect(texts).toEqual(["We ship on Mondays.\n", "We ship on Mondays.\n"]);
    } finally {
      for (const name of ["ada", "bob"]) await left.cairn("daemon", "stop", "--dir", at(`cairn-${name}`));
      await left.cairn("server", "stop", "--server-dir", at("cairn-office"));
    }
  },
);

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
