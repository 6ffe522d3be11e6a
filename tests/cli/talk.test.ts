// Goal: what is talk can be switched off and comes without colours where nobody wants them; data and errors are the same in any case.

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../../src/cli/main.ts";
import { commandTree, type CommandNode } from "../../src/kit/terminal/cli.ts";
import { binaryPath, outcomeOf } from "../kit/binaries.ts";
import { data, said, stoppedContext } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

const HINT = "did you mean server?";

/** Returns its output on a terminal of its own. */
const shown = async (variables: Record<string, string>, ...command: string[]) =>
  (await onTerminal(command, variables)).text;

describe.skipIf(process.platform === "win32")("on a terminal", () => {
  const xterm = { TERM: "xterm-256color" };
  const cairn = (variables: Record<string, string>, ...args: string[]) =>
    shown(variables, binaryPath("cairn"), ...args);

  test("hints have colours, and errors have none", async () => {
    const text = await cairn(xterm, "serer");
    expect(text).toStartWith("Error: unknown command: serer\n");
    expect(text).toContain("\u001b[");
    expect(text).toContain(HINT);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["--no-color", xterm, ["--no-color"]],
    ["NO_COLOR", { ...xterm, NO_COLOR: "1" }, []],
    ["a terminal without colours", { TERM: "dumb" }, []],
  ])("no colours by %s", async (_, variables, flags) => {
    expect(await cairn(variables, "serer", ...flags)).toBe(`Error: unknown command: serer\n[info] ${HINT}\n`);
  });

  test("no colours in a file, wherever the other stream goes", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "errors");
    await shown(xterm, "sh", "-c", `${binaryPath("cairn")} serer 2>${file}`);
    expect(readFileSync(file, "utf8")).toBe(`Error: unknown command: serer\n[info] ${HINT}\n`);
  });

  test("--quiet takes the hint away and leaves the error", async () => {
    expect(await cairn(xterm, "serer", "--quiet")).toBe("Error: unknown command: serer\n");
  });

  test("--quiet shows no progress either, and all of the data", async () => {
    await using server = await stoppedContext();
    const command = [binaryPath("cairn"), "backup", "create", "--server-dir", server.directory, "--out"];
    const out = (name: string) => join(server.folder.path, name);
    const loud = await shown({}, ...command, out("loud.tar.zst"));
    const quiet = await shown({}, ...command, out("quiet.tar.zst"), "--quiet");
    // The line that is written over and over begins with what takes the one before away.
    expect(loud).toContain("\r");
    expect(quiet).toStartWith(`${out("quiet.tar.zst")}: `);
    expect(quiet).not.toContain("\r");
    expect(quiet).not.toContain("\u001b[2K");
  });
});

test("--quiet silences what an opened directory has to say, not the data and not the failure", async () => {
  await using server = await stoppedContext();
  const audit = server.inside("audit", "audit.jsonl");
  writeFileSync(audit, readFileSync(audit, "utf8").replace("user.add", "user.ad"));
  const loud = await server.cairn("space", "list", "--json");
  expect(loud.stderr).toContain("the audit file is broken");
  expect(await server.printed("space", "list", "--json", "--quiet")).toBe(loud.stdout);
  const failed = await server.said("--quiet", "space", "show", "none");
  expect(failed).toEqual([1, "Error: space none: not found\n"]);
});

test("--debug says where an error came from, in the form that was asked for", async () => {
  const [, text] = await said("serer", "--debug", "--quiet");
  expect(text).toMatch(/^Error: unknown command: serer\nAppError: unknown command: serer\n {4}at /);
  const [, json] = await said("serer", "--debug", "--json");
  expect(JSON.parse(json)).toEqual({
    error: {
      code: "invalid",
      message: "unknown command: serer",
      details: { did_you_mean: "server" },
      stack: expect.stringContaining("src/kit/terminal/arguments.ts"),
    },
  });
});

test("every command takes the flags that all of them take, and what follows -- is no flag", async () => {
  const nodes = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(nodes)];
  const wanted = ["json", "yaml", "quiet", "debug", "no-color", "help"];
  for (const { path, flags } of nodes(await commandTree(program)))
    expect([path, wanted.filter((flag) => !(flag in flags))]).toEqual([path, []]);
  const [, after] = await said("version", "--", "--json");
  expect(after).toStartWith("Error: unexpected argument: --json\n");
});

test.skipIf(process.platform !== "linux")("output that a full disk refuses is said so", async () => {
  await using folder = await temporaryFolder();
  const message =
    "cannot write to standard output: the disk is full; the output is incomplete, but the command has run: changes that it made remain";
  const toFull = (...args: string[]) => {
    const command = ["sh", "-c", 'exec "$0" "$@" > /dev/full', binaryPath("cairn"), ...args];
    return outcomeOf(args.join(" "), Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" }));
  };
  expect(await toFull("template", "list")).toMatchObject({ exitCode: 2, stderr: `Error: ${message}\n` });
  const space = join(folder.path, "space");
  const created = await toFull("init", "solo", "--dir", space, "--json");
  expect(created.exitCode).toBe(2);
  expect(JSON.parse(created.stderr)).toEqual({ error: { code: "unavailable", message } });
  expect(await data("file", "list", "--dir", space)).not.toEqual([]);
});
