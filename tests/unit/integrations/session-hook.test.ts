// Goal: a hook is added to settings as people really write them without touching another byte, and taking it out restores the file exactly.

import { describe, expect, test } from "bun:test";
import {
  array,
  assert,
  boolean,
  constantFrom,
  dictionary,
  jsonValue,
  property,
  record,
  string,
  tuple,
} from "fast-check";
import { hasHook, withHook, withoutHook } from "../../../src/context/integrations/session-hook.ts";
import { refusal } from "../../kit/http/refusal.ts";

const COMMAND = { command: "'/usr/local/my bin/cairn' context inject --format claude-hook --dir /srv/notes" };
const OTHER = { command: "/opt/cairn context inject --format claude-hook --dir /srv/notes" };
const EXEC = {
  command: String.raw`C:\Tools\cairn.exe`,
  args: ["context", "inject", "--format", "claude-hook", "--dir", String.raw`D:\my notes`],
};

const ours = (command: object) => ({ hooks: [{ type: "command", ...command, timeout: 15 }] });
const read = (text: string) => Bun.JSONC.parse(text) as Record<string, unknown>;

/** Settings in the forms that people and programs leave behind. */
const SETTINGS: Record<string, string> = {
  "with permissions and the hook of another tool": `{
  "permissions": {
    "allow": ["Bash(make test:*)", "Read(docs/**)"],
    "deny": ["Read(.env)"]
  },
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup",
        "hooks": [{ "type": "command", "command": "./scripts/greet.sh" }]
      }
    ],
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "make fmt" }] }
    ]
  },
  "model": "opus"
}
`,
  "with other hooks only": `{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]\n  }\n}\n`,
  "with comments between, behind and after everything": `// mine
{
  // models
  "model": "opus", // the big one
  /* "env": {} */
  "env": { "A": "1" } // last
  // the end
}
// really
`,
  "with a trailing comma": `{\n  "model": "opus",\n}\n`,
  "with a trailing comma and a comment behind it": `{\n  "model": "opus", // big\n}\n`,
  "with tabs and CRLF": `{\r\n\t"env": {\r\n\t\t"A": "1"\r\n\t}\r\n}\r\n`,
  "with a byte order mark and no line end": `\ufeff{\n    "model": "opus"\n}`,
  "on one line": `{"model":"opus","env":{"A":"1"}}`,
  "on one line with a trailing comma": `{"model": "opus",}`,
  "on one line with a comment behind the last value": `{"model": "opus" // big\n}\n`,
  "that are empty": "{}",
  "that are empty over two lines": "{\n}\n",
  "that are empty with blanks": "{  }\n",
  "with a comment only": "{\n  // nothing yet\n}\n",
  "with empty hooks": `{\n  "hooks": {}\n}\n`,
  "with an empty list of session hooks": `{\n  "hooks": {\n    "SessionStart": []\n  }\n}\n`,
  "with empty hooks that hold a comment": `{\n  "hooks": { // later\n  }\n}\n`,
  "with keys that look like ours": `{\n  "note": "context inject --format claude-hook",\n  "SessionStart": []\n}\n`,
  "of zero bytes": "",
  "of one line end": "\n",
  "of blanks and a comment": "// settings\n",
  "of a comment without a line end": "\ufeff// settings",
};

describe.each(Object.entries(SETTINGS))("settings %s", (_, before) => {
  test.each([
    ["a line for a shell", COMMAND],
    ["a program with arguments", EXEC],
  ])("get the hook as %s, keep everything else, and come back byte for byte", (_form, command) => {
    const after = withHook(before, command);
    const settings = read(after.replace(/^\ufeff/, ""));
    const hooks = (settings["hooks"] as Record<string, unknown[]>)["SessionStart"]!;
    expect(hooks.at(-1)).toEqual(ours(command));
    expect(withHook(after, command)).toBe(after);
    expect(hasHook(after)).toBe(true);
    // Everything that was there is still there, in its order.
    let from = 0;
    for (const piece of before.match(/[\w"/*.-]{2,}/g) ?? []) {
      from = after.indexOf(piece, from);
      expect(from, piece).toBeGreaterThanOrEqual(0);
    }
    expect(withoutHook(after)).toBe(before);
  });
});

test("the line end of the file is the line end of the hook", () => {
  expect(withHook(SETTINGS["with tabs and CRLF"], COMMAND)).not.toMatch(/[^\r]\n/);
});

test("a file of ours is readable, and nothing remains of it", () => {
  const created = withHook(undefined, COMMAND);
  expect(created).toBe(`${JSON.stringify({ hooks: { SessionStart: [ours(COMMAND)] } }, null, 2)}\n`);
  expect(withoutHook(created)).toBeUndefined();
});

test("a person's additions to a file of ours stay", () => {
  const created = withHook(undefined, COMMAND);
  const grown = created.replace(/\n\}\n$/, ',\n  "model": "opus"\n}\n');
  expect(read(withoutHook(grown)!)).toEqual({ model: "opus" });
  const commented = created.replace('"hooks"', '// why\n  "hooks"');
  expect(withoutHook(commented)).toContain("// why");
  // An editor that adds a line end does not make the file ours.
  expect(withoutHook(`${withHook("// mine\n", COMMAND)}\n`)).toBe("// mine\n\n");
});

test("a comment before the hook takes in nothing that follows it", () => {
  const own = `{"hooks": [${JSON.stringify(ours(COMMAND).hooks[0])}]}`;
  const other = '{"hooks": [{"type": "command", "command": "x"}]}';
  const settings = (groups: string) => `{"hooks": {"SessionStart": [${groups}]}}\n`;
  for (const [before, after] of [
    [` // mine\n ${own}, ${other}\n`, ` // mine\n  ${other}\n`],
    [`${other} // mine\r\n, ${own} `, `${other} // mine\r\n `],
    [`${other}, // mine\n ${own} `, `${other} // mine\n  `],
    [`${other}, /* // */\n ${own} `, `${other} /* // */ `],
    [`${other}, // mine\n ${own}\n`, `${other} // mine\n`],
  ] as const)
    expect(withoutHook(settings(before))).toBe(settings(after));
});

test("another program path replaces the hook in its place, and a person's timeout stays if nothing changed", () => {
  const before = SETTINGS["with permissions and the hook of another tool"]!;
  const first = withHook(before, COMMAND);
  const second = withHook(first, OTHER);
  expect(second).toBe(first.replace(JSON.stringify(COMMAND.command), JSON.stringify(OTHER.command)));
  expect(withoutHook(second)).toBe(before);
  const patient = first.replace('"timeout": 15', '"timeout": 60');
  expect(withHook(patient, COMMAND)).toBe(patient);
});

test("several hooks of ours become one, and all go", () => {
  const one = JSON.stringify(ours(OTHER));
  const doubled = `{"hooks": {"SessionStart": [${one}, {"hooks": [{"type": "command", "command": "x"}, ${JSON.stringify(ours(COMMAND).hooks[0])}]}]}}`;
  const groups = [ours(COMMAND), { hooks: [{ type: "command", command: "x" }] }];
  expect(read(withHook(doubled, COMMAND))).toEqual({ hooks: { SessionStart: groups } });
  expect(read(withoutHook(doubled)!)).toEqual({ hooks: { SessionStart: groups.slice(1) } });
});

test("commands of others that resemble ours are not ours", () => {
  for (const command of [
    "context inject --format claude-hook'",
    "echo 'context inject --format claude-hook'",
    "other inject context --format claude-hook",
    "cairn context inject --format text",
  ]) {
    const settings = { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } };
    expect([command, hasHook(JSON.stringify(settings))]).toEqual([command, false]);
  }
});

describe("refuses", () => {
  test.each([
    ["[]", "line 1: the file: expected an object {…}"],
    ['{\n"hooks": []}', "line 2: hooks: expected an object {…}"],
    ['{"hooks": {\n\n"SessionStart": {}}}', "line 3: hooks.SessionStart: expected an array […]"],
    ['{"hooks": {},\n"hooks": {}}', 'line 2: "hooks" appears twice; remove one'],
    ['{"hooks": {}', "line 1: expected , or }"],
    ["not json", "line 1: expected a value"],
  ])("%j", async (text, message) => {
    for (const act of [() => withHook(text, COMMAND), () => withoutHook(text)])
      await refusal(act, "invalid", message, { line: Number(/\d+/.exec(message)![0]) });
  });
});

test("any settings come back byte for byte", () => {
  const blanks = constantFrom("", " ", "\n", "\n  ", " /* c */ ", " // c\n");
  const settings = tuple(
    dictionary(constantFrom("a", "hooks2", "b c", "env"), jsonValue()),
    blanks,
    blanks,
    boolean(),
  ).map(([value, start, end, comma]) => {
    const members = Object.entries(value).map(
      ([key, inner]) => `${JSON.stringify(key)}:${start}${JSON.stringify(inner)}`,
    );
    const last = comma && members.length > 0 ? "," : "";
    return `{${start}${members.join(`,${end}`)}${last}${end}}${end}`;
  });
  assert(
    property(settings, (before) => {
      const after = withHook(before, COMMAND);
      expect(hasHook(after)).toBe(true);
      expect(withoutHook(after)).toBe(before);
    }),
    { numRuns: 300 },
  );
});

test("any hooks come back byte for byte, however they are indented", () => {
  const hook = record({ type: constantFrom("command", "prompt"), command: string() });
  const groups = array(record({ matcher: string(), hooks: array(hook, { maxLength: 2 }) }), { maxLength: 2 });
  const hooks = record({ SessionStart: groups, Stop: groups, SessionEnd: groups }, { requiredKeys: [] });
  const settings = record(
    { model: string(), hooks, env: dictionary(string(), string()) },
    { requiredKeys: [] },
  );
  assert(
    property(settings, constantFrom(0, 1, 2, 4, "\t"), constantFrom("", "\n"), (value, indent, end) => {
      const before = JSON.stringify(value, null, indent) + end;
      const after = withHook(before, EXEC);
      const { SessionStart: own } = read(after)["hooks"] as Record<string, unknown[]>;
      expect(own).toEqual([...(value.hooks?.SessionStart ?? []), ours(EXEC)]);
      expect(withoutHook(after)).toBe(before);
    }),
    { numRuns: 300 },
  );
});
