// Goal: every kind of wrong argument is refused with its own text, and right ones reach the command in one plain form.

import { describe, expect, test } from "bun:test";
import type { ArgsDef } from "citty";
import {
  completeArguments,
  cutAtSubcommand,
  flagToo,
  readArguments,
  repeatable,
  unknownCommand,
} from "../../src/kit/terminal/arguments.ts";
import { refusalOf } from "../kit/http/refusal.ts";

const args: ArgsDef = {
  listen: { type: "string", alias: "l" },
  level: { type: "enum", options: ["debug", "info"] },
  json: { type: "boolean" },
  color: { type: "boolean", default: true },
  token: { type: "string", required: true },
  space: repeatable({ type: "string" }),
  path: { type: "positional", required: true },
  other: { type: "positional", required: false },
};

function read(...tokens: string[]) {
  const result = readArguments(tokens, args);
  completeArguments(result, args, "demo <path>");
  return { flags: result.flags, positionals: result.positionals, help: result.help };
}

describe("accepts", () => {
  const accepted: [string[], { flags: string[]; positionals: string[]; help?: boolean }][] = [
    [["a", "--token", "t"], { flags: ["--token=t"], positionals: ["a"] }],
    [["--token=t=u", "a", "b"], { flags: ["--token=t=u"], positionals: ["a", "b"] }],
    [
      ["-l", "127.0.0.1:0", "a", "--token=t"],
      { flags: ["--listen=127.0.0.1:0", "--token=t"], positionals: ["a"] },
    ],
    [
      ["--json", "--no-color", "--token", "-1", "-"],
      { flags: ["--json", "--no-color", "--token=-1"], positionals: ["-"] },
    ],
    [
      ["--level=debug", "--token", "t", "--", "--port"],
      { flags: ["--level=debug", "--token=t"], positionals: ["--port"] },
    ],
    [
      ["--space", "one", "a", "--space=two,three", "--token=t", "--space", "four"],
      { flags: ["--space=one,two,three,four", "--token=t"], positionals: ["a"] },
    ],
    [["-l80", "a", "--token", "t"], { flags: ["--listen=80", "--token=t"], positionals: ["a"] }],
    [["-h", "a", "--token", "t"], { flags: ["--token=t"], positionals: ["a"], help: true }],
  ];
  for (const [tokens, expected] of accepted) {
    test(tokens.join(" "), () => {
      expect(read(...tokens)).toEqual({ help: false, ...expected });
    });
  }
});

describe("refuses", () => {
  const refused: [string[], string][] = [
    [["--port", "80"], "unknown flag: --port"],
    [["--port=80"], "unknown flag: --port"],
    [["-p"], "unknown flag: -p"],
    [["--Listen=x"], "unknown flag: --Listen"],
    [["--path=x"], "unknown flag: --path"],
    [["--no-json"], "unknown flag: --no-json"],
    [["-notes.md"], "unknown flag: -notes.md; put -- before a name that begins with -"],
    [["--path=./x"], "unknown flag: --path"],
    [
      ["--listen", "-a/b"],
      "flag needs a value: --listen; for a value that begins with -, write --listen=-a/b",
    ],
    [["--listen"], "flag needs a value: --listen"],
    [["--listen="], "flag needs a value: --listen"],
    [["--listen", ""], "flag needs a value: --listen"],
    [["--listen", "--json"], "flag needs a value: --listen"],
    [["--json=true"], "flag takes no value: --json"],
    [["--space", "one", "--space"], "flag needs a value: --space"],
    [["--json", "--json"], "flag given twice: --json"],
    [["-l", "x", "--listen", "y"], "flag given twice: --listen"],
    [["--level", "loud"], "--level: expected one of: debug, info"],
    [["a"], "missing flag: --token"],
    [["--token", "t"], "missing argument: <path>"],
    [[], "missing argument: <path>; missing flag: --token"],
    [["--token", "t", "a", "b", "c"], "unexpected argument: c"],
  ];
  for (const [tokens, message] of refused) {
    test(`${tokens.join(" ")} → ${message}`, async () => {
      expect(await refusalOf(() => read(...tokens))).toMatchObject({ code: "invalid", message });
    });
  }
});

test("a near miss names what was probably meant, a far one nothing", async () => {
  expect((await refusalOf(() => read("--lsten", "x"))).details).toEqual({ did_you_mean: "--listen" });
  expect((await refusalOf(() => read("--faraway", "x"))).details).toBeUndefined();
  const known = { names: ["serve", "version"], help: "service --help" };
  expect(unknownCommand("srve", known).details).toEqual({ did_you_mean: "serve" });
  expect(unknownCommand("x", known).details).toEqual({ help: "service --help" });
});

test("the subcommand is the first word that is neither a flag nor its value", () => {
  const cut = (...tokens: string[]) => cutAtSubcommand(tokens, args, ["serve"]);
  expect(cut("--json", "-l", "here", "serve", "--port", "80")).toEqual({
    before: ["--json", "-l", "here"],
    subcommand: "serve",
    rest: ["--port", "80"],
  });
  expect(cut("--json")).toEqual({ before: ["--json"], subcommand: undefined, rest: [] });
  expect(() => cut("--port", "serve")).toThrow("unknown flag: --port");
});

test("everything that is missing is named at once, with the usage", async () => {
  const two: ArgsDef = {
    space: { type: "string", required: true },
    admin: { type: "string", required: true },
    name: { type: "positional" },
    path: { type: "positional" },
  };
  const complete = (...tokens: string[]) => completeArguments(readArguments(tokens, two), two, "demo init");
  expect(await refusalOf(() => complete("a"))).toMatchObject({
    message: "missing argument: <path>; missing flags: --space, --admin",
    details: { missing: ["<path>", "--space", "--admin"], usage: "demo init" },
  });
});

describe("a positional argument that is a flag too", () => {
  const definitions = (required: boolean): ArgsDef => ({
    space: flagToo({ type: "positional", required }),
    path: { type: "positional", required: true },
    note: { type: "string" },
  });
  /** The kinds of the arguments as citty sees them, and the words. */
  const complete = (required: boolean, ...tokens: string[]) => {
    const { args: given, rawArgs } = completeArguments(
      readArguments(tokens, definitions(required)),
      definitions(required),
      "demo set",
    );
    return [given.space?.type, rawArgs.join(" ")];
  };

  test.each([
    [true, ["main", "a/"], ["positional", "-- main a/"]],
    [true, ["--space", "main", "a/"], ["string", "--space=main -- a/"]],
    [true, ["a/", "--space=main", "--note", "x"], ["string", "--space=main --note=x -- a/"]],
    [false, ["main", "a/"], ["positional", "-- main a/"]],
    [false, ["--space", "main", "a/"], ["string", "--space=main -- a/"]],
    [false, ["a/"], [undefined, "-- a/"]],
  ])("required: %p, %p", (required, tokens, expected) => {
    expect(complete(required, ...tokens)).toEqual(expected);
  });

  test.each([
    [true, ["main", "a/", "--space", "other"], "unexpected argument: a/"],
    [true, ["a/"], "missing argument: <path>"],
    [true, ["--space", "main"], "missing argument: <path>"],
    [true, ["--space", "main", "--space", "b", "a/"], "flag given twice: --space"],
    [false, [], "missing argument: <path>"],
    [false, ["main", "a/", "b"], "unexpected argument: b"],
  ])("required: %p, %p → %s", async (required, tokens, message) => {
    expect(await refusalOf(() => complete(required, ...tokens))).toMatchObject({ code: "invalid", message });
  });
});
