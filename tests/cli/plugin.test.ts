// Goal: a person delivers a space into the AI tools of a project with one command, the tools can run what was written, and one command undoes it.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { commandText, commandWords } from "../../src/kit/terminal/command-text.ts";
import { binaryPath, outcomeOf } from "../kit/binaries.ts";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { pictureOf, temporaryFolder } from "../kit/folder.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

/** A space and a project whose paths need quotes, and a home directory without any tool. */
async function place() {
  const folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["project", "home"]) mkdirSync(at(name));
  const space = at("ada's $notes");
  const made = await createLocalSpace({ directory: space, name: "main", template: "team" }, localDeps);
  await made.close();
  const surroundings = {
    cwd: at("project"),
    environment: { HOME: at("home"), PATH: `${at("bin")}:/usr/bin:/bin` },
  };
  return {
    space,
    project: (name = "") => join(at("project"), name),
    read: (name: string) => readFileSync(join(at("project"), name), "utf8"),
    /** In the project. */
    ...cairnAt([], surroundings),
    async run(command: string) {
      const child = Bun.spawn(["sh", "-c", command], {
        cwd: "/",
        env: process.env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      return outcomeOf(command, child);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

interface Row {
  id: string;
  action: string;
}

const actions = (rows: readonly Row[]) => rows.map(({ id, action }) => `${id} ${action}`);
const hookIn = (settings: string) =>
  (JSON.parse(settings) as { hooks: { SessionStart: { hooks: { command: string }[] }[] } }).hooks
    .SessionStart[0]!.hooks[0]!.command;

test("activate delivers into the tools that are there, in commands that run, and deactivate undoes it", async () => {
  await using here = await place();
  mkdirSync(here.project(".claude"));
  writeFileSync(here.project("AGENTS.md"), "# Agents\n");
  const files = () => pictureOf(here.project()).map((line) => line.split(" ").at(0));
  const before = files();
  const dry = await here.printed("activate", "--dir", here.space, "--dry-run");
  expect(dry).toContain("--- /dev/null\n+++ .claude/settings.local.json\n");
  expect(dry).toContain("--- AGENTS.md\n+++ AGENTS.md\n@@ -1,1 +1,");
  expect(files()).toEqual(before);

  const first = await here.data<Row[]>("activate", "--dir", here.space);
  expect(actions(first)).toEqual(["claude-code create", "agents update"]);
  const { stdout, stderr } = await here.cairn("activate", "--dir", here.space);
  expect(
    stdout
      .split("\n")
      .slice(1, 3)
      .map((line) => line.split(/ {2,}/)[2]),
  ).toEqual(["unchanged", "unchanged"]);
  expect(stderr).toContain("start a new session in each tool; cairn deactivate undoes this");

  // Claude Code runs this line, from any directory.
  const hook = await here.run(hookIn(here.read(".claude/settings.local.json")));
  expect([hook.exitCode, hook.stderr]).toEqual([0, ""]);
  const { hookSpecificOutput } = JSON.parse(hook.stdout) as { hookSpecificOutput: Record<string, string> };
  expect(hookSpecificOutput["hookEventName"]).toBe("SessionStart");
  expect(hookSpecificOutput["additionalContext"]).toContain(
    '<document path="context-entry.md" version="v1">',
  );

  const block = /```sh\n([^`]+)```/.exec(here.read("AGENTS.md"))![1]!;
  for (const line of block.trim().split("\n")) {
    const [program, ...words] = commandWords("line", line);
    expect([program, words.slice(-2)]).toEqual([binaryPath("cairn"), ["--dir", here.space]]);
    const { exitCode } = await here.run(line.replace("PATH", "context-entry.md").replace("WORDS", "page"));
    expect([line, exitCode]).toEqual([line, 0]);
  }

  const listed = await here.data<{ id: string; detected: boolean; installed: boolean }[]>("plugin", "list");
  expect(listed.filter(({ installed }) => installed).map(({ id }) => id)).toEqual(["claude-code", "agents"]);
  const { text } = await onTerminal(
    [binaryPath("cairn"), "plugin", "list", "--project", here.project()],
    {},
    [],
    80,
  );
  for (const target of [".github/copilot-instructions.md", ".claude/settings.local.json"])
    expect(text).toContain(` ${target}  `);
  expect(await here.printed("plugin", "list")).toMatch(/^ID +TOOL +DETECTED +TARGET +INSTALLED\n/);
  expect(actions(await here.data<Row[]>("deactivate"))).toEqual(["claude-code delete", "agents update"]);
  expect(here.read("AGENTS.md")).toBe("# Agents\n");
  expect(await here.printed("deactivate")).toBe("nothing to remove\n");
});

test("one tool at a time, in a project elsewhere, and for all projects of the user", async () => {
  await using here = await place();
  const into = ["--dir", here.space, "--project", here.project()];
  expect(actions(await here.data<Row[]>("plugin", "install", "cursor", ...into))).toEqual(["cursor create"]);
  // A link on the PATH outlives an upgrade, so it is written once it is there.
  const link = join(here.space, "../bin/cairn");
  mkdirSync(dirname(link));
  symlinkSync(binaryPath("cairn"), link);
  expect(actions(await here.data<Row[]>("plugin", "install", "cursor", ...into))).toEqual(["cursor update"]);
  expect(here.read(".cursor/rules/cairn.mdc")).toContain(`\n${link} context inject --mode map --dir `);
  expect(here.read(".cursor/rules/cairn.mdc")).toContain("alwaysApply: true\n---\n");
  const forUser = ["--user", "--dir", here.space];
  expect(await here.printed("plugin", "install", "claude-code", ...forUser)).toContain("created");
  expect(await here.printed("plugin", "list", "--user")).toMatch(/claude-code .*settings\.json +yes/);
  expect(await here.printed("plugin", "remove", "claude-code", "--user")).toContain("deleted");
  expect(await here.printed("plugin", "remove", "cursor")).toContain("deleted");
  expect(await here.printed("plugin", "remove", "cursor")).toContain("unchanged");
});

test("without any tool, AGENTS.md is written, which most tools read", async () => {
  await using here = await place();
  expect(actions(await here.data<Row[]>("activate", here.project(), "--dir", here.space))).toEqual([
    "agents create",
  ]);
});

test("warns that the files of a tool in the folder of a space are documents of it", async () => {
  await using here = await place();
  const warning =
    "is in the space itself, so these files, which name places of this machine, become documents";
  const said = async (folder: string) =>
    (await here.cairn("activate", folder, "--dir", here.space, "--dry-run")).stderr;
  expect(await said(here.space)).toContain(`warning: ${here.space} ${warning}`);
  expect(await said(join(here.space, "team"))).toContain(warning);
  expect(await said(here.project())).not.toContain("warning");
});

describe("refuses, and changes nothing", () => {
  test("a file with half a block, a link, and flags that contradict each other", async () => {
    await using here = await place();
    const half = "# Agents\n\n<!-- cairn:begin -->\ntext\n";
    writeFileSync(here.project("AGENTS.md"), half);
    symlinkSync("elsewhere.md", here.project("GEMINI.md"));
    const flags = ["--dir", here.space];
    const line =
      "AGENTS.md: line 3 has <!-- cairn:begin --> without <!-- cairn:end --> after it; repair or delete the block by hand";
    const link = "GEMINI.md is a symbolic link, which is not followed; replace it with a file or folder";
    const cases: [string[], [number, string]][] = [
      [
        ["activate", "--only", "cursor,agents", ...flags],
        failure(
          `nothing was changed: ${line}; to connect the others, run cairn activate --only cursor ${commandText(flags)}`,
        ),
      ],
      [["activate", "--only", "gemini,agents", ...flags], failure(`nothing was changed: ${link}; ${line}`)],
      [["deactivate"], failure(`nothing was changed: ${line}`)],
      [
        ["activate", "--only", "emacs", ...flags],
        failure(
          "unknown integration: emacs; expected one of claude-code, cursor, windsurf, copilot, gemini, agents",
        ),
      ],
      [
        ["activate", here.project("nowhere"), ...flags],
        failure(`${here.project("nowhere")}: no such folder`),
      ],
      [["plugin", "list", "--user", "--project", "."], failure("use --user or --project, not both")],
      [
        ["plugin", "install", "agents", "--user", ...flags],
        failure("agents has no file for all projects of a user; omit --user"),
      ],
      [
        ["activate", "--dir", here.project()],
        failure(`no space in ${here.project()}; create one with cairn init solo --dir ${here.project()}`),
      ],
    ];
    for (const [command, refusal] of cases)
      expect([command, await here.refused(...command)]).toEqual([command, refusal]);
    expect(here.read("AGENTS.md")).toBe(half);
    expect(readdirSync(here.project()).toSorted()).toEqual(["AGENTS.md", "GEMINI.md"]);
  });
});
