// Goal: delivering into the tools of a project changes only what is ours, all of it or nothing, and undoing it leaves the folder as it was.

import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { integrationIds } from "../../../src/context/integrations/descriptors.ts";
import { Integrations, type Change } from "../../../src/context/integrations/integrations.ts";
import { commandWords } from "../../../src/kit/terminal/command-text.ts";
import { pictureOf, temporaryFolder } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";

const DELIVERY = {
  program: "/usr/my tools/cairn's/cairn",
  spaceFlags: ["--dir", "/srv/ada's notes"],
  space: "main",
  folder: "/srv/ada's notes",
};

async function place() {
  const folder = await temporaryFolder();
  const project = join(folder.path, "project");
  const home = join(folder.path, "home");
  mkdirSync(project);
  mkdirSync(home);
  const tools = new Integrations({ HOME: home, PATH: join(home, "bin") }, "linux");
  const at = (name: string) => join(project, name);
  return {
    project: { project },
    home,
    tools,
    at,
    read: (name: string) => readFileSync(at(name), "utf8"),
    write: (name: string, text: string, mode = 0o644) => {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
      chmodSync(at(name), mode);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const actions = (changes: readonly Change[]) => changes.map(({ id, action }) => `${id} ${action}`);

test("every tool gets its file, twice is once, and removing all restores the folder", async () => {
  await using here = await place();
  const { tools, project } = here;
  here.write("AGENTS.md", "# Agents\r\n\r\nRun the tests.\r\n", 0o664);
  here.write(".claude/settings.local.json", '{\n  // mine\n  "model": "opus"\n}\n', 0o640);
  here.write(".github/copilot-instructions.md", "\ufeffBe brief.");
  here.write("main.ts", "");
  const contents = () =>
    pictureOf(project.project).map((line) => {
      const [name, mode, , , hash] = line.split(" ");
      return [name, mode, hash];
    });
  const before = contents();
  const install = () => tools.planInstall(integrationIds, project, DELIVERY);
  const first = await install();
  expect(actions(first)).toEqual([
    "claude-code update",
    "cursor create",
    "windsurf create",
    "copilot update",
    "gemini create",
    "agents update",
  ]);
  await tools.apply(first);
  expect(new Set(actions(await install()).map((line) => line.split(" ")[1]))).toEqual(new Set(["none"]));
  expect((await tools.list(project)).map(({ id, installed, problem }) => [id, installed, problem])).toEqual(
    integrationIds.map((id) => [id, true, null]),
  );
  expect(
    ["AGENTS.md", ".claude/settings.local.json"].map((name) => statSync(here.at(name)).mode & 0o777),
  ).toEqual([0o664, 0o640]);
  const removal = await tools.planRemove(undefined, project);
  expect(actions(removal).filter((line) => line.endsWith("delete"))).toEqual([
    "cursor delete",
    "windsurf delete",
    "gemini delete",
  ]);
  await tools.apply(removal);
  expect(contents()).toEqual(before);
});

test("commands are quoted for a shell, and the rules are in the form of each tool", async () => {
  await using here = await place();
  await here.tools.apply(await here.tools.planInstall(integrationIds, here.project, DELIVERY));
  const settings = JSON.parse(here.read(".claude/settings.local.json")) as {
    hooks: { SessionStart: { hooks: { command: string }[] }[] };
  };
  const { command } = settings.hooks.SessionStart[0]!.hooks[0]!;
  const inject = ["context", "inject", "--format", "claude-hook"];
  expect(commandWords("hook", command)).toEqual([DELIVERY.program, ...inject, ...DELIVERY.spaceFlags]);
  const block = here.read("AGENTS.md");
  expect(block).not.toContain("{{");
  const lines = /```sh\n([^`]+)```/.exec(block)![1]!.trim().split("\n");
  expect(lines.map((line) => commandWords("line", line).slice(1, -2))).toEqual([
    ["context", "inject", "--mode", "map"],
    ["search", "WORDS"],
    ["file", "get", "PATH"],
  ]);
  const frontMatter = (name: string) => Bun.YAML.parse(here.read(name).split("---\n")[1]!);
  expect(frontMatter(".cursor/rules/cairn.mdc")).toEqual({
    description: expect.any(String),
    globs: null,
    alwaysApply: true,
  });
  expect(frontMatter(".windsurf/rules/cairn.md")).toEqual({
    trigger: "always_on",
    description: expect.any(String),
  });
  // Windsurf reads at most 12,000 characters of a rule.
  expect(here.read(".windsurf/rules/cairn.md").length).toBeLessThan(12_000);
});

test("on Windows the hook is a program with arguments, which pass no shell", async () => {
  await using here = await place();
  const tools = new Integrations({ HOME: here.home, PATH: "" }, "win32");
  const program = String.raw`C:\Program Files\cairn.exe`;
  const delivery = {
    program,
    spaceFlags: ["--dir", String.raw`D:\my notes`],
    space: "main",
    folder: undefined,
  };
  await tools.apply(await tools.planInstall(["claude-code", "agents"], here.project, delivery));
  expect(JSON.parse(here.read(".claude/settings.local.json"))).toMatchObject({
    hooks: { SessionStart: [{ hooks: [{ command: program, args: expect.arrayContaining(["inject"]) }] }] },
  });
  expect(here.read("AGENTS.md")).toContain(
    String.raw`"C:\Program Files\cairn.exe" file get PATH --dir "D:\my notes"`,
  );
});

test("tools are detected by their files in the project, in the home directory, and by their programs", async () => {
  await using here = await place();
  const { tools, project, home } = here;
  expect(tools.detected(project)).toEqual(["agents"]);
  mkdirSync(here.at(".cursor"));
  mkdirSync(join(home, ".claude"));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "gemini"), "#!/bin/sh\n", { mode: 0o755 });
  expect(tools.detected(project)).toEqual(["claude-code", "cursor", "gemini"]);
});

test("the file for all projects of a user is in the home directory", async () => {
  await using here = await place();
  const scope = { user: true } as const;
  await here.tools.apply(await here.tools.planInstall(["claude-code", "gemini"], scope, DELIVERY));
  const installed = (await here.tools.list(scope)).filter((one) => one.installed);
  expect(installed.map(({ target }) => target)).toEqual([
    join(here.home, ".claude/settings.json"),
    join(here.home, ".gemini/GEMINI.md"),
  ]);
  await here.tools.apply(await here.tools.planRemove(undefined, scope));
  expect(pictureOf(here.home)).toHaveLength(1);
  await refusal(
    here.tools.planInstall(["agents"], scope, DELIVERY),
    "invalid",
    "agents has no file for all projects of a user; omit --user",
  );
});

test("a new AGENTS.md names the file that some tools read only without one", async () => {
  await using here = await place();
  here.write("CLAUDE.md", "# Mine\n");
  const install = () => here.tools.planInstall(["agents"], here.project, DELIVERY);
  await here.tools.apply(await install());
  const hint = "Read `CLAUDE.md` in this folder first: its instructions apply to this project, too.";
  expect(here.read("AGENTS.md")).toContain(`<!-- cairn:begin -->\n${hint}\n\n## Shared context\n`);
  expect(actions(await install())).toEqual(["agents none"]);
  here.write("AGENTS.md", `# Agents\n\n${here.read("AGENTS.md")}`);
  await here.tools.apply(await install());
  expect(here.read("AGENTS.md")).not.toContain(hint);
  expect(here.read("CLAUDE.md")).toBe("# Mine\n");
});

test("a file that Codex reads in place of AGENTS.md gets the block as well, and none is created", async () => {
  await using here = await place();
  const install = () => here.tools.planInstall(here.tools.detected(here.project), here.project, DELIVERY);
  await here.tools.apply(await install());
  expect(existsSync(here.at("AGENTS.override.md"))).toBe(false);
  here.write("AGENTS.override.md", "Only on this machine.\n");
  const changes = await install();
  expect(changes.map(({ id, tool, action, target }) => [id, tool, action, target.name])).toEqual([
    ["agents", "Codex, opencode and others", "none", "AGENTS.md"],
    ["agents", "Codex", "update", "AGENTS.override.md"],
  ]);
  await here.tools.apply(changes);
  expect(here.read("AGENTS.override.md")).toStartWith(
    "Only on this machine.\n\n<!-- cairn:begin -->\n## Shared context\n",
  );
  const listed = (await here.tools.list(here.project)).filter(({ id }) => id === "agents");
  expect(listed.map(({ target, installed }) => [target, installed])).toEqual([
    [here.at("AGENTS.md"), true],
    [here.at("AGENTS.override.md"), true],
  ]);
  await here.tools.apply(await here.tools.planRemove(undefined, here.project));
  expect([existsSync(here.at("AGENTS.md")), here.read("AGENTS.override.md")]).toEqual([
    false,
    "Only on this machine.\n",
  ]);
  // Codex reads an empty one, too, and then nothing else in this folder.
  here.write("AGENTS.override.md", "");
  here.write("AGENTS.md", "# Agents\n");
  await here.tools.apply(await install());
  expect(here.read("AGENTS.override.md")).toContain("Read `AGENTS.md` in this folder first");
});

test("a settings file for all projects may be a link, which stays", async () => {
  await using here = await place();
  const kept = join(here.home, "dotfiles/claude.json");
  const link = join(here.home, ".claude/settings.json");
  for (const path of [kept, link]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(kept, '{\n  "model": "opus"\n}\n', { mode: 0o640 });
  symlinkSync("../dotfiles/claude.json", link);
  const user = { user: true } as const;
  const changes = await here.tools.planInstall(["claude-code"], user, DELIVERY);
  expect(changes.map(({ action, target }) => [action, target.path])).toEqual([["update", kept]]);
  await here.tools.apply(changes);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({ model: "opus", hooks: {} });
  expect((await here.tools.list(user))[0]).toMatchObject({ installed: true, problem: null });
  await here.tools.apply(await here.tools.planRemove(["claude-code"], user));
  expect(readFileSync(link, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  rmSync(kept);
  const nowhere = /\.claude\/settings\.json is a symbolic link/;
  await refusal(here.tools.planInstall(["claude-code"], user, DELIVERY), "invalid", nowhere, {
    id: "claude-code",
    ids: ["claude-code"],
  });
});

describe("refuses, and changes nothing", () => {
  const HALF = "a\n<!-- cairn:begin -->\nb\n";
  test.each<[string, (here: Awaited<ReturnType<typeof place>>) => void, string, RegExp]>([
    [
      "half a block",
      (here) => here.write("AGENTS.md", HALF),
      "agents",
      /^nothing was changed: AGENTS.md: line 2 has/,
    ],
    [
      "settings that are no JSON",
      (here) => here.write(".claude/settings.local.json", '{\n  "a": 1,\n  b\n}'),
      "claude-code",
      /^nothing was changed: \.claude\/settings\.local\.json: line 3: expected a key/,
    ],
    [
      "a symbolic link",
      (here) => {
        here.write("CLAUDE.md", "# Mine\n");
        symlinkSync("CLAUDE.md", here.at("AGENTS.md"));
      },
      "agents",
      /AGENTS\.md is a symbolic link, which is not followed/,
    ],
    [
      "a folder that is a link",
      (here) => {
        mkdirSync(join(here.home, "dotfiles"));
        symlinkSync(join(here.home, "dotfiles"), here.at(".cursor"));
      },
      "cursor",
      /\.cursor is a symbolic link/,
    ],
    [
      "a folder in its place",
      (here) => mkdirSync(here.at("AGENTS.md")),
      "agents",
      /AGENTS\.md is not a file/,
    ],
    ["a file for its folder", (here) => here.write(".cursor", ""), "cursor", /\.cursor is not a folder/],
    ["a read-only file", (here) => here.write("AGENTS.md", "x", 0o444), "agents", /AGENTS\.md is read-only/],
    [
      "a file in UTF-16",
      (here) => writeFileSync(here.at("AGENTS.md"), Buffer.from("\ufeff# Agents", "utf16le")),
      "agents",
      /AGENTS\.md is not UTF-8 text/,
    ],
    [
      "a huge file",
      (here) => here.write("AGENTS.md", "x".repeat(1024 * 1024 + 1)),
      "agents",
      /larger than 1\.0 MiB/,
    ],
  ])("%s", async (_, prepare, id, message) => {
    await using here = await place();
    prepare(here);
    const before = pictureOf(here.project.project);
    const error = await here.tools
      .planInstall(integrationIds, here.project, DELIVERY)
      .catch((thrown) => thrown);
    expect(error.message).toMatch(message);
    expect(error.details.ids).toEqual([id]);
    expect(pictureOf(here.project.project)).toEqual(before);
    const listed = await here.tools.list(here.project);
    expect(listed.filter(({ problem }) => problem !== null).map((one) => one.id)).toEqual([id]);
  });

  test("every file with a problem is named at once, and a file that was never ours does not stop the removal", async () => {
    await using here = await place();
    here.write("AGENTS.md", HALF);
    here.write("GEMINI.md", HALF);
    symlinkSync("nowhere", here.at(".github"));
    await refusal(
      here.tools.planInstall(["agents", "gemini", "copilot"], here.project, DELIVERY),
      "invalid",
      /\.github is a symbolic link.*; GEMINI\.md: line 2.*; AGENTS\.md: line 2/,
      { ids: ["copilot", "gemini", "agents"] },
    );
    here.write("AGENTS.md", "a\n");
    here.write("GEMINI.md", "a\n");
    expect(actions(await here.tools.planRemove(undefined, here.project))).not.toContain("copilot none");
  });

  test("a file that changed since the plan", async () => {
    await using here = await place();
    const changes = await here.tools.planInstall(["agents"], here.project, DELIVERY);
    here.write("AGENTS.md", "written by an editor");
    await refusal(
      here.tools.apply(changes),
      "conflict",
      "AGENTS.md changed in the meantime; run the command again",
    );
    expect(here.read("AGENTS.md")).toBe("written by an editor");
    expect(existsSync(here.at("AGENTS.md"))).toBe(true);
  });

  test("an unknown tool", async () => {
    await using here = await place();
    await refusal(
      here.tools.planInstall(["cursor", "emacs", "vim"], here.project, DELIVERY),
      "invalid",
      `unknown integration: emacs, vim; expected one of ${integrationIds.join(", ")}`,
    );
  });
});
