// Goal: on a terminal a password is asked for and not shown, a new one twice; breaking off changes nothing. Elsewhere it is read from the
// standard input, and nobody is asked. The compiled program runs on a terminal of its own.

import { describe, expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { within } from "../kit/within.ts";

const PASSWORD = "correct horse battery";
const [ENTER, CONTROL_C, CONTROL_D, BACKSPACE] = ["\r", "\x03", "\x04", "\x7f"];
const ASKED = "password: ";
const AGAIN = "repeat the password: ";

const typed = (server: RunningContext, command: string[], ...answers: [question: string, answer: string][]) =>
  onTerminal([binaryPath("cairn"), ...command], { HOME: server.directory }, answers);
const setting = ({ directory }: RunningContext) => ["user", "password", "root", "--server-dir", directory];

describe.skipIf(process.platform === "win32")("on a terminal", () => {
  test("a new password is asked for twice, and signs in; nothing of it is shown", async () => {
    await using server = await runContext();
    const slip = `${PASSWORD}x${BACKSPACE}${ENTER}`;
    const done = await typed(server, setting(server), [ASKED, slip], [AGAIN, `${PASSWORD}${ENTER}`]);
    expect(done).toEqual({ exitCode: 0, unasked: 0, text: `${ASKED}\n${AGAIN}\nset the password of root\n` });
    const login = ["auth", "login", "root", "--server", server.url];
    const entered = await typed(server, login, [ASKED, `${PASSWORD}${ENTER}`]);
    expect([entered.exitCode, entered.text]).toEqual([
      0,
      expect.stringContaining(`${ASKED}\nsigned in to ${server.url} as root until `),
    ]);
    const wrong = await typed(server, login, [ASKED, `other${ENTER}`]);
    expect([wrong.exitCode, wrong.text]).toEqual([2, expect.stringContaining("invalid credentials")]);
  });

  test("two different passwords or a cancelled prompt change nothing", async () => {
    await using server = await runContext();
    const [right, other] = [`${PASSWORD}${ENTER}`, `${PASSWORD}!${ENTER}`];
    const cases: [says: string, ...answers: [string, string][]][] = [
      ["the passwords differ; nothing was changed", [ASKED, right], [AGAIN, other]],
      ["cancelled; nothing was changed", [ASKED, CONTROL_C]],
      ["cancelled; nothing was changed", [ASKED, CONTROL_D]],
    ];
    for (const [says, ...answers] of cases) {
      const { exitCode, text } = await typed(server, setting(server), ...answers);
      expect([exitCode, text]).toEqual([1, expect.stringContaining(says)]);
    }
    expect(await server.admin.get("/users/root")).toMatchObject({ has_password: false });
  });
});

test("reads a password from a pipe without a prompt", async () => {
  await using server = await runContext();
  const child = Bun.spawn([binaryPath("cairn"), ...setting(server)], {
    stdio: [new Blob([`${PASSWORD}\n`]), "pipe", "pipe"],
    env: process.env,
  });
  expect(await child.stderr.text()).not.toContain("password:");
  expect([await within("the command ends", child.exited), await child.stdout.text()]).toEqual([
    0,
    "set the password of root\n",
  ]);
  const login = { name: "root", password: PASSWORD };
  expect(await server.as("").post("/auth/login", login)).toHaveProperty("token");
});
