// Goal: whatever the command line says about itself is true: every command has help that fits a terminal, examples that would run, a page of the
// manual that exists; and every command that a hint or a document names exists, with its flags.

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { program } from "../../src/cli/main.ts";
import {
  choicesOf,
  completeArguments,
  isRequired,
  readArguments,
  spellings,
} from "../../src/kit/terminal/arguments.ts";
import { commandTree, type CommandNode } from "../../src/kit/terminal/cli.ts";
import { commandWords } from "../../src/kit/terminal/command-text.ts";
import { HELP_COLUMNS, helpText } from "../../src/kit/terminal/help.ts";
import { repositoryFiles } from "../house/source.ts";
import { runBinary } from "../kit/binaries.ts";

const withBelow = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(withBelow)];
const root = await commandTree(program);
const nodes = withBelow(root);
const byPath = new Map(nodes.map((node) => [node.path, node]));

test("the help of the program loads no command: each says ahead what it does", async () => {
  const parts = Object.entries(program.root.subCommands as Record<string, object>);
  const loading = parts.filter(([, part]) => typeof part === "function" && !("description" in part));
  expect(loading.map(([name]) => name)).toEqual([]);
});

describe.each(nodes.map((node) => [node.path, node] as const))("%s", (path, node) => {
  test("has help that fits a terminal and names a page of the manual", () => {
    const text = helpText(node.page);
    // A shell line cannot be broken anywhere.
    const body = text.replace(/^EXAMPLES\n(?: .*\n?)+/m, "");
    expect(body.split("\n").filter((line) => line.length > HELP_COLUMNS)).toEqual([]);
    expect(text).not.toMatch(/[ \t]$/m);
    const [file = "", anchor] = node.page.manual?.split("#") ?? [];
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect(anchor).toBeUndefined();
  });

  test("has a description, as its group lists it", () => {
    expect(node.description).toMatch(/^[A-Z].*[^.]$|^[A-Z].*\.$/);
    const group = byPath.get(path.slice(0, path.lastIndexOf(" ")));
    const row = group?.page.commands.find(({ name }) => name === path.slice(path.lastIndexOf(" ") + 1));
    if (group) expect(row?.description).toBe(node.description);
  });

  test("lists the words that a flag or an argument takes", () => {
    for (const [name, def] of Object.entries(path === "cairn help" ? {} : node.page.args)) {
      const missing = (choicesOf(def) ?? []).filter((word) => !def.description?.includes(word));
      expect([name, missing]).toEqual([name, []]);
    }
  });

  test("has examples that would run", () => {
    expect(node.page.examples.length).toBeGreaterThan(0);
    for (const line of node.page.examples) expect([line, problemsIn(line)]).toEqual([line, []]);
    // An example of a group is one of its commands.
    expect(node.page.examples.join("\n")).toContain(path);
  });
});

/** The `cairn` commands of a shell line, each checked against the tree as the program would check it. */
function problemsIn(line: string): string[] {
  return [...line.matchAll(/(?<![\w/.=-])(?:\/opt\/cairn\/)?cairn ((?:'[^']*'|[^|;&<>()`])*)/g)].flatMap(
    ([, rest]) => {
      const words = commandWords("line", rest!.trim());
      let node = root;
      while (node.children.length > 0) {
        const child = byPath.get(`${node.path} ${words[0]}`);
        // A group with flags runs by itself.
        if (!child && words.length === 0 && Object.keys(node.page.args).length > 0) break;
        if (!child) return [`${node.path} ${words[0] ?? ""}: no such command`];
        node = child;
        words.shift();
      }
      if (node.path === "cairn help")
        return byPath.has(`cairn ${words.join(" ")}`) ? [] : unknownTopic(words);
      const args = { ...program.globals, ...node.page.args };
      try {
        completeArguments(readArguments(words, args), args, "");
        return [];
      } catch (error) {
        return [`${node.path}: ${(error as Error).message}`];
      }
    },
  );
}

const unknownTopic = (words: readonly string[]) =>
  words.length === 1 && Object.hasOwn(program.topics!, words[0]!)
    ? []
    : [`no such topic: ${words.join(" ")}`];

test("help shows every topic, after the page of a command of that name", async () => {
  for (const [name, topic] of Object.entries(program.topics!)) {
    const { stdout } = await runBinary("cairn", ["help", name]);
    expect([name, stdout.endsWith(`${(await topic.text()).trimEnd()}\n`)]).toEqual([name, true]);
  }
  expect((await runBinary("cairn", ["help", "sync"])).stdout).toMatch(/^[^\n]+\n\nUSAGE\n/);
});

test("the topic on the environment names every variable that a command reads, and no other of ours", async () => {
  const text = await program.topics!.environment!.text();
  const product = (await repositoryFiles()).filter(({ path }) => /^src\/(?:cli|context|kit)\//.test(path));
  const read = product.flatMap(({ text: code }) =>
    [...code.matchAll(/environment(?:\.|\["|, ")([A-Z][A-Z_]+)/g)].map((match) => match[1]!),
  );
  const missing = [...new Set(read)].filter((name) => !OF_THE_SYSTEM.has(name) && !text.includes(name));
  expect(missing).toEqual([]);
  const named = [...text.matchAll(/SERVICE_[A-Z_]+/g)].map((match) => match[0]);
  expect(named.filter((name) => !read.includes(name))).toEqual([]);
});

/** Set by the system, not by people, or read for the container that a server runs in. */
const OF_THE_SYSTEM = new Set([
  "HOME",
  "PATH",
  "USERPROFILE",
  "TEMP",
  "TMP",
  "TERM",
  "BROWSER",
  "WSL_DISTRO_NAME",
  "KUBERNETES_SERVICE_HOST",
]);

/** A command as hints and documents name it: `cairn`, words, places such as `<name>`, and flags. Prose may follow. */
const MENTION = /(?<![\w/.@=-])cairn((?: (?:[a-z][a-z-]*|<[a-z]+>|\$\{[^}]*\}|--[a-z][a-z-]*))+)/g;

/** Words that go on with a sentence, after the name of the program or of a command. */
const PROSE =
  /^(?:added|and|answers|as|at|before|can|cannot|command|commands|context|did|does|finds|for|has|if|in|is|itself|keeps|kind|of|on|or|runs|that|then|to|until|which|with|work)$/;

/** In code, a command whose arguments are quoted for a shell is a list of words. */
const IN_CODE = /(?:nextCommand\(\s*\[|commandText\(\s*\[\s*"cairn",)((?:\s*"[a-z-]+",?)+)/g;

/** A command that a sentence tells people to run. */
const HINT = /\b(?:see|run|with|try) (?=cairn )/g;
/** A command that code makes for a hint, without arguments of its own. */
const HINT_IN_CODE = /nextCommand\(\s*\[((?:\s*"[a-z<>-]+",?)+)\s*\],\s*\[\]/g;

/** The hints of code that lack an argument or a flag without which the command is refused. */
function hintProblems(code: string): string[] {
  const lines = code.split("\n").filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  const said = lines.flatMap((line) =>
    [...line.matchAll(HINT)].map(({ index, 0: verb }) => line.slice(index + verb.length)),
  );
  const made = [...code.matchAll(HINT_IN_CODE)].map(
    ([, words]) => `cairn ${words!.match(/[a-z<>-]+/g)!.join(" ")}`,
  );
  return [...said, ...made].flatMap((hint) => {
    const [mention] = hint.match(MENTION) ?? [];
    if (mention === undefined) return [];
    const words = mention.split(" ").slice(1);
    let node = root;
    while (byPath.has(`${node.path} ${words[0]}`)) node = byPath.get(`${node.path} ${words.shift()}`)!;
    const end = words.findIndex((word) => PROSE.test(word));
    const given = end < 0 ? words : words.slice(0, end);
    // A part that code fills in may hold anything.
    if (node.children.length > 0 || given.some((word) => word.startsWith("$"))) return [];
    const places = given.filter((word) => !word.startsWith("--")).length;
    const required = Object.entries(node.page.args).filter(([, def]) => isRequired(def));
    const missing = [
      ...required.filter(([, def]) => def.type === "positional").slice(places),
      ...required.filter(([name, def]) => def.type !== "positional" && !given.includes(`--${name}`)),
    ];
    return missing.map(([name]) => `${node.path}: ${name} is missing`);
  });
}

function mentionProblems(code: string): string[] {
  const listed = [...code.matchAll(IN_CODE)].map(
    ([, words]) => `cairn ${words!.match(/[a-z-]+/g)!.join(" ")}`,
  );
  return [...[code, ...listed].join("\n").matchAll(MENTION)].flatMap(([, rest]) => {
    const all = rest!.trim().split(" ");
    const end = all.findIndex((word) => PROSE.test(word) || word.startsWith("$"));
    const words = end < 0 ? all : all.slice(0, end);
    if (words.length === 0) return [];
    let node = root;
    let at = 0;
    for (; at < words.length && node.children.length > 0; at++) {
      const child = byPath.get(`${node.path} ${words[at]}`);
      if (!child) break;
      node = child;
    }
    const next = words[at];
    const isOpen = node.children.length > 0 && next !== undefined && /^[a-z]/.test(next);
    const flags = new Set(
      [...Object.entries(node.flags), ...Object.entries(program.connection!)].flatMap(([name, def]) =>
        spellings(name, def),
      ),
    );
    const isUnknown = words.slice(at).some((word) => word.startsWith("--") && !flags.has(word));
    const isWrong = isOpen || (isUnknown && (node.children.length === 0 || node === root));
    return isWrong ? [["cairn", ...words].join(" ")] : [];
  });
}

/** Lines of shell blocks that run `cairn`. Placeholders stand for words. */
function shellLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].map(([, block]) => block!);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").replaceAll(/<(\w+)>/g, "$1"))
    .filter(
      (line) => /(?:^|[^\w/.=-])(?:\/opt\/cairn\/)?cairn /.test(line) && !/^\s*(?:#|cairn \S*:)/.test(line),
    );
}

describe("every command that is named exists", async () => {
  const files = (await repositoryFiles()).filter(
    ({ path }) => /^(?:src|embed)\/.*\.(?:ts|md|txt)$/.test(path) || /^docs\/.*\.md$|^[A-Z]+\.md$/.test(path),
  );

  test("in hints, errors, embedded texts and documents", () => {
    const wrong = files.flatMap(({ path, text }) =>
      mentionProblems(text).map((mention) => `${path}: ${mention}`),
    );
    expect(wrong).toEqual([]);
  });

  test("in the shell lines of documents, with arguments that it takes", () => {
    const wrong = files.flatMap(({ path, text }) =>
      shellLines(text).flatMap((line) => problemsIn(line).map((problem) => `${path}: ${line}: ${problem}`)),
    );
    expect(wrong).toEqual([]);
    expect(files.flatMap(({ text }) => shellLines(text)).length).toBeGreaterThan(40);
  });

  test("with the arguments without which it is refused, where people are told to run it", () => {
    const code = files.filter(({ path }) => /^src\/(?:cli|context)\/.*\.ts$/.test(path));
    expect(code.flatMap(({ path, text }) => hintProblems(text).map((hint) => `${path}: ${hint}`))).toEqual(
      [],
    );
    expect(hintProblems("`see cairn conflict show`")).toEqual(["cairn conflict show: path is missing"]);
    expect(hintProblems('nextCommand(["file", "revert", "<path>"], [], args)')).toEqual([
      "cairn file revert: to is missing",
    ]);
    expect(hintProblems("run cairn conflict show <path>, or cairn file get; see cairn sync")).toEqual([]);
    expect(hintProblems("// see cairn conflict show")).toEqual([]);
  });

  test("one that does not exist is found, and one with a wrong flag", () => {
    expect(mentionProblems("run cairn space destroy-all; then `cairn sapce list`")).toEqual([
      "cairn space destroy-all",
      "cairn sapce list",
    ]);
    expect(mentionProblems("cairn file put --form x or cairn server stop --server-dir x")).toEqual([
      "cairn file put --form x",
    ]);
    expect(mentionProblems('nextCommand(["file", "undo"], [path], args)')).toEqual(["cairn file undo"]);
    expect(mentionProblems("the cairn commands, cairn file, and src/cairn list")).toEqual([]);
  });
});
