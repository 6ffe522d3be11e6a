// Goal: shells complete every command, flag and word of a list that there is, and no other: bash is asked for real, the others are compared with
// what was read in review, and asked too where they are installed.

import { describe, expect, test } from "bun:test";
import { offersOf } from "../../src/cli/completion/offers.ts";
import { program } from "../../src/cli/main.ts";
import { roles } from "../../src/context/access/schema.ts";
import { syncModes } from "../../src/context/spaces/schema.ts";
import { commandTree } from "../../src/kit/cli.ts";
import { runBinary } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { expectGolden } from "../kit/golden.ts";

const offers = async () => offersOf(await commandTree(program));

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runBinary("cairn", ["completion", shell]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
}

/** What bash offers for each line; each is the words as bash cuts them, the last one being completed. */
async function askBash(lines: readonly (readonly string[])[], cwd?: string): Promise<string[][]> {
  await using folder = await temporaryFolder();
  const file = await folder.write("cairn.bash", await scriptFor("bash"));
  const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const asks = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map(quoted).join(" ")}) COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}" --end--`,
  );
  const script = await folder.write("ask.bash", `set -u\nsource ${quoted(file)}\n${asks.join("\n")}\n`);
  const child = Bun.spawn(["bash", "--norc", script], {
    cwd: cwd ?? folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, stderr]).toEqual([0, ""]);
  return stdout
    .split("--end--\n")
    .slice(0, -1)
    .map((text) => text.split("\n").filter((line) => line !== ""));
}

describe.skipIf(Bun.which("bash") === null)("bash", () => {
  test("offers the commands and flags of every command, as they are in the tree", async () => {
    const all = await offers();
    expect(all.length).toBeGreaterThan(60);
    const groups = all.filter(({ commands }) => commands.length > 0);
    const below = await askBash(groups.map(({ path }) => [...path.split(" "), ""]));
    expect(below).toEqual(groups.map(({ commands }) => commands.map(({ name }) => name)));
    const flags = await askBash(all.map(({ path }) => [...path.split(" "), "-"]));
    expect(flags).toEqual(all.map((offer) => offer.flags.flatMap(({ spellings }) => spellings)));
  });

  test.each<[string, string[]]>([
    ["cairn ser", ["server"]],
    ["cairn --json server st", ["start", "status", "stop"]],
    ["cairn user add bob --ro", ["--role"]],
    ["cairn user add bob --role ", [...roles]],
    ["cairn user add bob --role s", ["space-lead"]],
    // As bash cuts it.
    ["cairn user add bob --role =", [...roles]],
    ["cairn user add bob --role = v", ["viewer"]],
    ["cairn user add --role viewer --space main ", []],
    ["cairn user role bob ", [...roles]],
    ["cairn user role --server-dir user bob c", ["contributor"]],
    ["cairn user role --server-dir = user bob c", ["contributor"]],
    ["cairn user role ", []],
    ["cairn space sync set main identity/ ", [...syncModes]],
    ["cairn space create x --template b", ["blank"]],
    ["cairn completion ", ["bash", "zsh", "fish", "powershell"]],
    ["cairn completion bash ", []],
    ["cairn audit export --format ", ["jsonl", "csv"]],
    ["cairn nonsense ", ["init"]],
  ])("%s", async (line, expected) => {
    const [found] = await askBash([line.split(" ")]);
    // After a word that is no command, what could stand there is offered as before.
    expect(line.includes("nonsense") ? found!.slice(0, 1) : found).toEqual(expected);
  });

  test("offers files and directories where they are meant, whatever their names", async () => {
    await using folder = await temporaryFolder();
    await folder.write("a file*.md", "");
    await folder.write("a dir/x", "");
    const [files, directories] = await askBash(
      [
        ["cairn", "file", "put", "x.md", "--from", "a"],
        ["cairn", "doctor", "--server-dir", "a"],
      ],
      folder.path,
    );
    expect(files!.toSorted()).toEqual(["a dir", "a file*.md"]);
    expect(directories).toEqual(["a dir"]);
  });
});

/** What fish offers for a line, without the descriptions. */
async function askFish(line: string): Promise<string[]> {
  await using folder = await temporaryFolder();
  await folder.write("a-file.md", "");
  const file = await folder.write("cairn.fish", await scriptFor("fish"));
  const child = Bun.spawn(
    ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, line],
    {
      cwd: folder.path,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .filter((offered) => offered !== "")
    .map((offered) => offered.split("\t")[0]!)
    .sort();
}

describe.skipIf(Bun.which("fish") === null)("fish", () => {
  test.each<[string, string[]]>([
    ["cairn ser", ["server"]],
    ["cairn --json server st", ["start", "status", "stop"]],
    ["cairn user add bob --role ", [...roles].sort()],
    ["cairn user role bob c", ["contributor"]],
    ["cairn space sync set main identity/ ", [...syncModes].sort()],
    ["cairn file put a.md --from a", ["a-file.md"]],
    ["cairn auth token create bob --label ", []],
    ["cairn nonsense ", []],
  ])("%s", async (line, offered) => {
    expect(await askFish(line)).toEqual(offered);
  });
});

describe("the script", () => {
  test.each(["bash", "zsh", "fish", "powershell"])("for %s is as it was reviewed", async (shell) => {
    await expectGolden(`completion/cairn.${shell}`, await scriptFor(shell));
  });

  for (const [shell, check] of [
    ["bash", ["bash", "-n"]],
    ["zsh", ["zsh", "-n"]],
    ["fish", ["fish", "--no-execute"]],
  ] as const)
    test.skipIf(Bun.which(shell) === null)(`for ${shell} is well formed, says ${shell}`, async () => {
      await using folder = await temporaryFolder();
      const file = await folder.write(`cairn.${shell}`, await scriptFor(shell));
      const child = Bun.spawnSync([...check, file]);
      expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
    });

  test("comes as data as well, and for no other shell", async () => {
    const json = await runBinary("cairn", ["completion", "fish", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ shell: "fish", script: await scriptFor("fish") });
    const other = await runBinary("cairn", ["completion", "nu"]);
    expect([other.exitCode, other.stderr.split("\n")[0]]).toEqual([
      1,
      "Error: <shell> must be one of: bash, zsh, fish, powershell",
    ]);
  });

  test("no flag takes a value in one command and none in another: fish could not tell", async () => {
    const takes = new Map<string, boolean>();
    for (const { flags } of await offers())
      for (const { spellings, value } of flags)
        for (const name of spellings) {
          expect([name, takes.get(name) ?? value !== undefined]).toEqual([name, value !== undefined]);
          takes.set(name, value !== undefined);
        }
  });

  test("nothing in the tree would end a quotation or a line", async () => {
    const texts = (await offers()).flatMap(({ commands, flags }) =>
      [...commands, ...flags].map(({ description }) => description),
    );
    // PowerShell takes the typographic ones for quotes.
    expect(texts.filter((text) => /[\n\u2018-\u201f]/.test(text))).toEqual([]);
  });
});
