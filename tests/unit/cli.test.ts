// Goal: of a tree of commands only the named one runs, and every failure ends as one line, an exit code, and no stack.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { outcomeOf } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

const KIT = join(import.meta.dir, "..", "..", "src", "kit");

/** A program of three levels that says what ran; a process of its own, since it writes to the real stdout and stderr. */
const program = `
import { runProgram } from ${JSON.stringify(join(KIT, "terminal", "cli.ts"))};
import { AppError } from ${JSON.stringify(join(KIT, "error.ts"))};
const say = (name) => ({ args }) => console.log(name, JSON.stringify(args));
const root = {
  meta: { name: "demo", description: "Demo." },
  run: say("root ran"),
  subCommands: {
    space: {
      meta: { name: "space", description: "Spaces." },
      run: say("space ran"),
      subCommands: {
        show: async () => ({
          meta: { name: "show", description: "Show one." },
          args: { name: { type: "positional", required: true }, depth: { type: "string", alias: "d" } },
          run: say("show ran"),
        }),
      },
    },
    version: { meta: { name: "version", description: "Print the version" }, run: say("version ran") },
    start: {
      meta: { name: "start", description: "Start." },
      args: { force: { type: "boolean" }, name: { type: "string" } },
      run: say("start ran"),
      subCommands: { small: { meta: { name: "small" }, args: { force: { type: "boolean" } }, run: say("small ran") } },
    },
    refuse: { meta: { name: "refuse" }, run: () => { throw new AppError("not_found", "space a: not found", { space: "a" }); } },
    crash: { meta: { name: "crash" }, run: () => { throw new TypeError("x is not a function"); } },
  },
};
const globals = { json: { type: "boolean" }, yaml: { type: "boolean" }, debug: { type: "boolean" } };
const connection = { depth: { type: "string" }, place: { type: "string" } };
const topics = { depths: { description: "How deep things are", text: () => "Very deep.\\n" } };
const examples = { "demo space show": ["demo space show a"] };
const manual = { demo: "docs/demo.md", "demo space": "docs/space.md" };
process.exit(await runProgram({ root, globals, connection, topics, examples, manual }, process.argv.slice(2)));
`;

async function demo(...args: string[]) {
  await using folder = await temporaryFolder();
  const file = await folder.write("demo.ts", program);
  const child = Bun.spawn([process.execPath, file, ...args], {
    env: process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return await outcomeOf(args.join(" "), child);
}

describe("commands", () => {
  test("only the named command runs, with flags from every level", async () => {
    const { stdout, stderr, exitCode } = await demo("--json", "space", "show", "a", "--depth", "2");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toStartWith("show ran ");
    expect(JSON.parse(stdout.slice("show ran ".length))).toMatchObject({ name: "a", depth: "2", json: true });
    expect(stdout).not.toContain("root ran");
    expect(stdout).not.toContain("space ran");
  });

  test("a short flag takes its value with or without a space, or after =", async () => {
    for (const flag of [["-d", "2"], ["-d2"], ["-d=2"]]) {
      const { stdout } = await demo("space", "show", "a", ...flag);
      expect([flag, stdout]).toEqual([flag, expect.stringContaining('"depth":"2"')]);
    }
  });

  test("a group without a command shows its help, and runs nothing", async () => {
    const { stdout, stderr, exitCode } = await demo("space");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toStartWith("Spaces.\n\nUSAGE\n  demo space <command> [flags]\n");
    expect(stdout).not.toContain("ran");
  });

  test("a group that takes flags runs by itself, or passes them on to a command that takes them", async () => {
    expect((await demo("start", "--force")).stdout).toContain('start ran {"_":[],"force":true');
    expect((await demo("start", "--force", "small")).stdout).toContain('small ran {"_":[],"force":true');
    expect((await demo("start", "small", "--help")).stdout).not.toContain("--name");
    expect((await demo("start", "--help")).stdout).toContain("--name");
    expect((await demo("help", "start")).stdout).toContain("demo start [<command>] [flags]");
  });

  test("help of the third level names the whole path and gives its examples", async () => {
    const { stdout, exitCode } = await demo("space", "show", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "Show one.\n",
        "USAGE\n  demo space show <name> [flags]\n",
        "ARGUMENTS\n  <name>\n",
        "FLAGS\n  -d, --depth <depth>\n",
        "GLOBAL FLAGS\n      --json\n      --yaml\n      --debug\n  -h, --help   Show this help\n",
        "EXAMPLES\n  demo space show a\n",
        "Manual: docs/space.md\n",
      ].join("\n"),
    );
  });

  test("flags of the command and of all commands may stand before it", async () => {
    const { stdout, stderr } = await demo("--depth", "2", "--json", "space", "--debug", "show", "a");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout.slice("show ran ".length))).toMatchObject({
      name: "a",
      depth: "2",
      json: true,
      debug: true,
    });
  });

  test.each([
    [["help"], "Demo.\n"],
    [["help", "space", "show"], "Show one.\n"],
    [["--json", "help", "space"], "Spaces.\n"],
    [["help", "depths"], "Very deep.\n"],
    [["help", "help"], "Show the help of a command or a topic\n"],
    [["--version"], "version ran "],
    [["-v", "--json"], "version ran "],
  ])("%p", async (args, begins) => {
    const { stdout, stderr, exitCode } = await demo(...args);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toStartWith(begins);
  });
});

describe("failures", () => {
  const cases: [string[], string][] = [
    [["spcae"], "Error: unknown command: spcae\n[info] did you mean space?\n"],
    [["space", "delete"], "Error: unknown command: delete\n[info] demo space --help lists the commands\n"],
    // Two letters swapped are one slip, also in a short name.
    [["space", "show", "a", "--jsno"], "Error: unknown flag: --jsno\n[info] did you mean --json?\n"],
    [["delete", "--help"], "Error: unknown command: delete\n[info] demo --help lists the commands\n"],
    // The name of a subcommand, and the word of another program.
    [["show"], "Error: unknown command: show\n[info] did you mean demo space show?\n"],
    [["space", "get"], "Error: unknown command: get\n[info] did you mean show?\n"],
    [["--port"], "Error: unknown flag: --port\n"],
    [["space", "--deep", "2", "show", "a"], "Error: unknown flag: --deep\n"],
    [["start", "--name", "a", "small"], "Error: unknown flag: --name\n"],
    [["--place", "x", "space", "show", "a"], "Error: unknown flag: --place\n"],
    [["--depth", "1", "space", "show", "a", "--depth", "2"], "Error: flag given twice: --depth\n"],
    [["help", "depth"], "Error: unknown command or topic: depth\n[info] did you mean depths?\n"],
    [["help", "space", "shwo"], "Error: unknown command: shwo\n[info] did you mean show?\n"],
    [["space", "show"], "Error: missing argument: <name>\nusage: demo space show <name> [flags]\n"],
    [
      ["--json", "space", "show", "a", "--json"],
      '{\n  "error": {\n    "code": "invalid",\n    "message": "flag given twice: --json"\n  }\n}\n',
    ],
    [["refuse"], "Error: space a: not found\n"],
    [
      ["refuse", "--yaml"],
      'error:\n  code: "not_found"\n  message: "space a: not found"\n  details:\n    space: "a"\n',
    ],
    [["crash"], "Error: unexpected failure: x is not a function\n"],
  ];
  for (const [args, stderr] of cases) {
    test(args.join(" "), async () => {
      expect(await demo(...args)).toEqual({ stdout: "", stderr, exitCode: 1 });
    });
  }

  test("--debug adds where it came from", async () => {
    const { stderr, exitCode } = await demo("crash", "--debug");
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith("Error: unexpected failure: x is not a function\n");
    expect(stderr).toContain("demo.ts:");
  });
});
