// Goal: on a terminal a password is asked for and not shown, a new one twice; breaking off changes nothing. Elsewhere it is read from the
// standard input, and nobody is asked. The compiled program runs on a terminal of its own.

import { describe, expect, test } from "bun:test";
import { startTerminal } from "../../src/kit/process.ts";
import { binaryPath } from "../kit/binaries.ts";
import { runContext } from "../kit/running-context.ts";

const PASSWORD = "correct horse battery";
const [ENTER, CONTROL_C, CONTROL_D, BACKSPACE] = ["\r", "\x03", "\x04", "\x7f"];
const ASKED = "password: ";
const AGAIN = "the same once more: ";

/** Types each answer when its question is there. Returns what the terminal showed, and the exit code. */
async function typed(
  command: readonly string[],
  home: string,
  answers: readonly (readonly [question: string, answer: string])[],
) {
  let said = "";
  const left = [...answers];
  const terminal = startTerminal(["sh", "-c", '"$0" "$@"; echo "exit=$?"', binaryPath("cairn"), ...command], {
    environment: process.env,
    variables: { HOME: home, TERM: "xterm" },
    columns: 500,
    rows: 24,
    output: (chunk) => {
      said += new TextDecoder().decode(chunk);
      const [next] = left;
      if (!next || !said.includes(next[0])) return;
      left.shift();
      terminal.write(new TextEncoder().encode(next[1]));
    },
    drained: () => {},
  })!;
  await terminal.ended;
  const [, text = "", exitCode] = /^(.*)exit=(\d+)\r?\n/s.exec(said) ?? [];
  return { text: text.replaceAll("\r\n", "\n"), exitCode: Number(exitCode), unasked: left.length };
}

describe.skipIf(process.platform === "win32")("on a terminal", () => {
  test("a new password is asked for twice, and signs in; nothing of it is shown", async () => {
    await using server = await runContext();
    const set = ["user", "password", "root", "--server-dir", server.directory];
    const done = await typed(set, server.directory, [
      [ASKED, `${PASSWORD}x${BACKSPACE}${ENTER}`],
      [AGAIN, `${PASSWORD}${ENTER}`],
    ]);
    expect(done).toEqual({
      exitCode: 0,
      unasked: 0,
      text: `${ASKED}\n${AGAIN}\nthe password of root is set\n`,
    });
    const login = ["auth", "login", "root", "--server", server.url];
    const entered = await typed(login, server.directory, [[ASKED, `${PASSWORD}${ENTER}`]]);
    expect([entered.exitCode, entered.text]).toEqual([
      0,
      expect.stringContaining(`${ASKED}\nsigned in to ${server.url} as root until `),
    ]);
    const wrong = await typed(login, server.directory, [[ASKED, `other${ENTER}`]]);
    expect([wrong.exitCode, wrong.text]).toEqual([2, expect.stringContaining("invalid credentials")]);
  });

  test("two that differ, and one that is broken off, change nothing", async () => {
    await using server = await runContext();
    const set = ["user", "password", "root", "--server-dir", server.directory];
    const differ = await typed(set, server.directory, [
      [ASKED, `${PASSWORD}${ENTER}`],
      [AGAIN, `${PASSWORD}!${ENTER}`],
    ]);
    expect([differ.exitCode, differ.text]).toEqual([
      1,
      expect.stringContaining("the two are not the same; nothing was changed"),
    ]);
    for (const end of [CONTROL_C, CONTROL_D]) {
      const broken = await typed(set, server.directory, [[ASKED, end]]);
      expect([broken.exitCode, broken.text]).toEqual([
        1,
        expect.stringContaining("broken off; nothing was changed"),
      ]);
    }
    expect(await server.admin.get("/users/root")).toMatchObject({ has_password: false });
  });
});

test("from a pipe nobody is asked", async () => {
  await using server = await runContext();
  const command = [binaryPath("cairn"), "user", "password", "root", "--server-dir", server.directory];
  const child = Bun.spawn(command, {
    stdio: [new Blob([`${PASSWORD}\n`]), "pipe", "pipe"],
    env: process.env,
  });
  expect(await child.stderr.text()).not.toContain("password:");
  expect([await child.exited, await child.stdout.text()]).toEqual([0, "the password of root is set\n"]);
  const login = { name: "root", password: PASSWORD };
  expect(await server.as("").post("/auth/login", login)).toHaveProperty("token");
});
