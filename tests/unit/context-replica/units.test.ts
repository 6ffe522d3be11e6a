// Goal: a service definition starts exactly the command that it was made for, whatever characters the paths hold, and the system accepts it.

import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { unitFor } from "../../../src/context/replica/units.ts";
import { unescaped } from "../../kit/context/console.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const analyze = Bun.which("systemd-analyze");
if (analyze === null) console.log("skipped: systemd-analyze is missing, so no unit was verified");

const AWKWARD = `it's 100% "quoted" $HOME \\ back; é שלום`;

/** Splits a line of a unit as systemd does: words in double quotes, C-style escapes, `%%`, and `$$` in arguments. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) =>
    word.replace(/\\(.)/g, "$1").replaceAll("%%", "%"),
  );
  return words.map((word, index) => (index === 0 ? word : word.replaceAll("$$", "$")));
}

describe("systemd", () => {
  const source = (folder: string) => ({
    command: [
      join(folder, "bin", "cairn"),
      "daemon",
      "run",
      "--dir",
      join(folder, AWKWARD),
      "--token-file",
      "/t",
    ],
    directory: join(folder, AWKWARD),
    home: folder,
    variables: { NODE_EXTRA_CA_CERTS: join(folder, AWKWARD) },
  });

  test("the exact command line of the unit starts the program with its arguments", async () => {
    await using folder = await temporaryFolder();
    const unitSource = source(folder.path);
    const program = unitSource.command[0]!;
    await folder.write("bin/cairn", '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(program, 0o755);
    const { text, path, name } = unitFor("linux", unitSource);
    const line = /^ExecStart=(.*)$/m.exec(text)![1]!;
    expect(wordsOf(line)).toEqual(unitSource.command);
    const child = Bun.spawn(wordsOf(line), { stdout: "pipe" });
    expect((await child.stdout.text()).trimEnd().split("\n")).toEqual(unitSource.command.slice(1));
    expect(path).toBe(join(folder.path, ".config/systemd/user", name));
    const variable = /^Environment=(.*)$/m.exec(text)![1]!;
    expect(wordsOf(variable)).toEqual([`NODE_EXTRA_CA_CERTS=${join(folder.path, AWKWARD)}`]);
  });

  test.skipIf(analyze === null)("systemd accepts the unit", async () => {
    await using folder = await temporaryFolder();
    await folder.write("bin/cairn", "#!/bin/sh\n");
    chmodSync(join(folder.path, "bin", "cairn"), 0o755);
    const unit = unitFor("linux", source(folder.path));
    await folder.write(unit.name, unit.text);
    const runtime = join(folder.path, "runtime");
    mkdirSync(runtime, { mode: 0o700 });
    const child = Bun.spawn([analyze!, "verify", "--user", join(folder.path, unit.name)], {
      env: { ...process.env, XDG_RUNTIME_DIR: runtime },
      stderr: "pipe",
      stdout: "pipe",
    });
    const said = await child.stderr.text();
    expect([said.split("\n").filter((line) => line.includes(unit.name)), await child.exited]).toEqual([
      [],
      0,
    ]);
  });
});

test("launchd and Windows get the same words, escaped for their formats", () => {
  const command = ["C:\\Program Files\\cairn.exe", "daemon", "--dir", 'D:\\a "b" & <c>\\', ""];
  const agent = unitFor("darwin", { command, directory: "/a & b", home: "/h", variables: {} });
  expect(agent.path).toBe(`/h/Library/LaunchAgents/${agent.name}.plist`);
  const strings = [...agent.text.matchAll(/<string>(.*)<\/string>/g)].map(([, text = ""]) => unescaped(text));
  expect(strings.slice(1, -1)).toEqual(command);
  const task = unitFor("win32", { command, directory: "D:\\a & b", home: "C:\\Users\\ada", variables: {} });
  const part = (name: string) => unescaped(new RegExp(`<${name}>(.*)</${name}>`).exec(task.text)![1]!);
  expect(part("Command")).toBe("C:\\Program Files\\cairn.exe");
  expect(part("Arguments")).toBe(String.raw`daemon --dir "D:\a \"b\" & <c>\\" ""`);
  expect(part("Description")).toContain("D:\\a & b");
});

test("launchd gets the certificates to trust", () => {
  const variables = { NODE_EXTRA_CA_CERTS: "/a & b/cert.pem" };
  const { text } = unitFor("darwin", { command: ["/c"], directory: "/d", home: "/h", variables });
  expect(text).toContain("<key>NODE_EXTRA_CA_CERTS</key><string>/a &amp; b/cert.pem</string>");
});

test("each copy has a unit of its own, always the same", () => {
  const name = (directory: string) =>
    unitFor("linux", { command: ["/c"], directory, home: "/h", variables: {} }).name;
  expect(name("/a")).toBe(name("/a"));
  expect(name("/a")).not.toBe(name("/b"));
});
