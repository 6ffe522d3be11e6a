// Goal: shells complete every command, flag and word of a list that there is, and no other. Each shell that is installed is asked. PowerShell is
// not: its script lists the same, and is compared with what was read in review for a few commands of each form.

import { describe, expect, test } from "bun:test";
import { type Offer, offersOf } from "../../src/cli/completion/offers.ts";
import { powershellScript } from "../../src/cli/completion/powershell.ts";
import { program } from "../../src/cli/main.ts";
import { roles } from "../../src/context/access/schema.ts";
import { syncModes } from "../../src/context/spaces/schema.ts";
import { commandTree } from "../../src/kit/terminal/cli.ts";
import { outcomeOf } from "../kit/binaries.ts";
import { data, printed, refused } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { expectGolden } from "../kit/golden.ts";

const offers = offersOf(await commandTree(program));

const scriptFor = (shell: string) => printed("completion", shell);

interface Shell {
  /** Before the completion is loaded. */
  readonly begin: string;
  /** Prints what is offered for the words, and `--end--` after it. */
  readonly ask: (words: readonly string[]) => string;
  readonly command: readonly string[];
  readonly check: readonly string[];
}

/** Each line is its words as the shell cuts them, the last one being completed. */
type Lines = readonly (readonly string[])[];

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
const quotedAll = (words: readonly string[]) => words.map(quoted).join(" ");

const shells: Readonly<Record<"bash" | "zsh" | "fish", Shell>> = {
  bash: {
    command: ["bash", "--norc"],
    check: ["bash", "-n"],
    begin: "set -u\n",
    ask: (words) =>
      `COMP_WORDS=(${quotedAll(words)}) COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}" --end--`,
  },
  zsh: {
    command: ["zsh", "-f"],
    check: ["zsh", "-n"],
    // In place of zsh's completion system, which needs a terminal: what begins with the word, a line each.
    begin: `compdef() {}
offer() { print -rl -- \${(M)@:#$PREFIX*} }
_describe() { local -a all=("\${(@P)@[-1]}"); offer \${all%%:*} }
_files() { if [[ $1 == -/ ]]; then print -rl -- $PREFIX*(/N); else print -rl -- $PREFIX*(N); fi }
compadd() { shift; offer $@ }
compset() { PREFIX=\${PREFIX#*=} }
`,
    ask: (words) =>
      `words=(${quotedAll(words)}) CURRENT=${words.length} PREFIX=${quoted(words.at(-1)!)}; _cairn; print -- --end--`,
  },
  fish: {
    command: ["fish", "--no-config"],
    check: ["fish", "--no-execute"],
    begin: "",
    ask: (words) => `complete -C ${quoted(words.join(" "))} | string replace -r '\\t.*' ''; echo -- --end--`,
  },
};

/** The offers of the shell for each line, in alphabetical order: fish keeps no other. */
async function offered(name: keyof typeof shells, lines: Lines, cwd?: string): Promise<string[][]> {
  await using folder = await temporaryFolder();
  const file = await folder.write(`cairn.${name}`, await scriptFor(name));
  const { begin, ask, command } = shells[name];
  const script = await folder.write("ask", `${begin}source ${quoted(file)}\n${lines.map(ask).join("\n")}\n`);
  const child = Bun.spawn([...command, script], {
    cwd: cwd ?? folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { exitCode, stdout, stderr } = await outcomeOf(name, child);
  expect([exitCode, stderr]).toEqual([0, ""]);
  const answers = stdout.split("--end--\n").slice(0, -1);
  // Of a directory, fish offers the slash as well.
  return answers.map((text) => (text.match(/.+/g) ?? []).map((line) => line.replace(/\/$/, "")).toSorted());
}

const EVERYWHERE: [line: string, offered: readonly string[]][] = [
  ["cairn ser", ["server"]],
  ["cairn --json server st", ["start", "status", "stop"]],
  ["cairn user add bob --ro", ["--role"]],
  ["cairn user add bob --role ", roles],
  ["cairn user add bob --role s", ["space-lead"]],
  ["cairn user role bob ", roles],
  ["cairn user role bob c", ["contributor"]],
  ["cairn user role --server-dir user bob c", ["contributor"]],
  ["cairn user role ", []],
  ["cairn user add --role viewer --space main ", []],
  ["cairn auth token create bob --label ", []],
  ["cairn space sync set main identity/ ", syncModes],
  ["cairn space create x --template b", ["blank"]],
  ["cairn completion ", ["bash", "zsh", "fish", "powershell"]],
  ["cairn completion bash ", []],
  ["cairn help exit", ["exit-codes"]],
  ["cairn --server-dir server user role bob c", ["contributor"]],
  ["cairn --token", ["--token-file"]],
  ["cairn audit export --format ", ["jsonl", "csv"]],
];

const OF_ONE: Record<keyof typeof shells, typeof EVERYWHERE> = {
  // As bash cuts it.
  bash: [
    ["cairn user add bob --role =", roles],
    ["cairn user add bob --role = v", ["viewer"]],
    ["cairn user role --server-dir = user bob c", ["contributor"]],
    // After a word that is no command, what could stand there is offered as before.
    ["cairn nonsense ", offers[0]!.commands.map(({ name }) => name)],
  ],
  zsh: [
    ["cairn user add bob --role=", roles],
    ["cairn user add bob --role=v", ["viewer"]],
    ["cairn user role --server-dir=user bob c", ["contributor"]],
  ],
  fish: [["cairn nonsense ", []]],
};

/** fish goes through all that it knows for each line, which takes it 20 ms: it is asked about every fifth command. */
const askedOf = (name: keyof typeof shells) =>
  name === "fish" ? offers.filter((_, index) => index % 5 === 0) : offers;

for (const name of ["bash", "zsh", "fish"] as const)
  describe.skipIf(Bun.which(name) === null)(name, () => {
    test("offers the commands of every group and the flags of commands, as they are in the tree", async () => {
      const asked = askedOf(name);
      expect(asked.length).toBeGreaterThan(20);
      const groups = offers.filter(({ commands }) => commands.length > 0);
      const ends = [...groups.map(({ path }) => `${path} `), ...asked.map(({ path }) => `${path} -`)];
      const found = await offered(
        name,
        ends.map((line) => line.split(" ")),
      );
      expect(found).toEqual([
        ...groups.map(({ commands }) => commands.map((one) => one.name).toSorted()),
        ...asked.map((offer) => offer.flags.flatMap(({ spellings }) => spellings).toSorted()),
      ]);
    });

    test("offers what each place of a line can hold", async () => {
      const cases = [...EVERYWHERE, ...OF_ONE[name]];
      const found = await offered(
        name,
        cases.map(([line]) => line.split(" ")),
      );
      expect(cases.map(([line], at) => [line, found[at]])).toEqual(
        cases.map(([line, wanted]) => [line, wanted.toSorted()]),
      );
    });

    test("offers files and directories where they are meant, whatever their names", async () => {
      await using folder = await temporaryFolder();
      await folder.write("a file*.md", "");
      await folder.write("a dir/x", "");
      const [files, directories] = await offered(
        name,
        [
          ["cairn", "file", "put", "x.md", "--from", "a"],
          ["cairn", "doctor", "--server-dir", "a"],
        ],
        folder.path,
      );
      expect({ files, directories }).toEqual({ files: ["a dir", "a file*.md"], directories: ["a dir"] });
    });
  });

/** With words below it, with words after it, and after a flag; and one that no command is like, to quote and without a description. */
const EACH_FORM: readonly Offer[] = [
  ...offers.filter(({ path }) =>
    ["cairn space sync", "cairn space sync set", "cairn user add"].includes(path),
  ),
  {
    path: "cairn odd",
    commands: [{ name: "it", description: "It's odd" }],
    flags: [{ spellings: ["--bare", "-b"], description: "", value: undefined }],
    places: [],
  },
];

describe("the script", () => {
  test("for powershell, which is not asked, is as it was reviewed", async () => {
    await expectGolden("completion/cairn.powershell", powershellScript(EACH_FORM));
  });

  test("for powershell lists the commands, flags and places of every command, as they are in the tree", async () => {
    const script = await scriptFor("powershell");
    expect(script).toBe(powershellScript(offers));
    const [, ...entries] = script.split(/^ {4}(?='.*' = @\{$)/m);
    const keys = entries.map((entry) => [...entry.matchAll(/^ *'(.*?)' = /gm)].map(([, key]) => key!));
    const names = (flags: Offer["flags"]) => flags.flatMap(({ spellings }) => spellings);
    expect(keys).toEqual(
      offers.map(({ path, commands, flags, places }) => [
        path,
        ...commands.map(({ name }) => name),
        ...names(flags),
        ...names(flags.filter(({ value }) => value !== undefined)),
        ...places.keys().map((index) => `${index + 1}`),
      ]),
    );
  });

  for (const [shell, { check }] of Object.entries(shells))
    test.skipIf(Bun.which(shell) === null)(`for ${shell} is well formed, says ${shell}`, async () => {
      await using folder = await temporaryFolder();
      const file = await folder.write(`cairn.${shell}`, await scriptFor(shell));
      const child = Bun.spawnSync([...check, file]);
      expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
    });

  test("comes as data as well, and for no other shell", async () => {
    const script = await scriptFor("fish");
    expect(await data<object>("completion", "fish")).toEqual({ shell: "fish", script });
    const words = "Error: <shell>: expected one of: bash, zsh, fish, powershell\n";
    expect(await refused("completion", "nu")).toEqual([1, expect.stringMatching(new RegExp(`^${words}`))]);
  });

  test("no flag takes a value in one command and none in another: fish could not tell", async () => {
    const takes = new Map<string, boolean>();
    for (const { flags } of offers)
      for (const { spellings, value } of flags)
        for (const name of spellings) {
          expect([name, takes.get(name) ?? value !== undefined]).toEqual([name, value !== undefined]);
          takes.set(name, value !== undefined);
        }
  });

  test("nothing in the tree would end a quotation or a line", async () => {
    const texts = offers.flatMap(({ commands, flags }) =>
      [...commands, ...flags].map(({ description }) => description),
    );
    // PowerShell takes the typographic ones for quotes.
    expect(texts.filter((text) => /[\n\u2018-\u201f]/.test(text))).toEqual([]);
  });
});
