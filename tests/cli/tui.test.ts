// Goal: `cairn tui` on a real terminal: it draws, lends the terminal to an editor, and leaves it as it was however it ends.

import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { startTerminal } from "../../src/kit/processes/process.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairn, data } from "../kit/cli/cairn.ts";
import { Emulator } from "../kit/terminal/emulator.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { DOWN, ENTER } from "../kit/terminal/on-screen.ts";

async function notes(): Promise<Folder> {
  const folder = await temporaryFolder();
  await data("init", "solo", "--dir", join(folder.path, "notes"), "--template", "blank", "--non-interactive");
  await folder.write("notes/a.md", "one\n");
  await data("space", "adopt", "--dir", join(folder.path, "notes"));
  return folder;
}

interface Running extends AsyncDisposable {
  readonly terminal: Emulator;
  /** Of the program, as the shell around it says. */
  readonly pid: () => Promise<number>;
  readonly ended: Promise<void>;
  press(keys: string, wanted: string | RegExp): Promise<string>;
}

/** The shell prints how the program ended, on the screen that was there before. */
async function tui(directory: string, variables: Record<string, string> = {}): Promise<Running> {
  const terminal = new Emulator(100, 30);
  const folder = await temporaryFolder();
  const pidFile = join(folder.path, "pid");
  const script = `stty sane; sh -c 'echo $$ > "$PIDFILE"; exec "$0" "$@"' "$0" "$@"; echo "exit=$?"; stty -a`;
  const child = startTerminal(["sh", "-c", script, binaryPath("cairn"), "tui", "--dir", directory], {
    environment: process.env,
    variables: { TERM: "xterm-256color", PIDFILE: pidFile, ...variables },
    columns: 100,
    rows: 30,
    output: (chunk) => void terminal.write(chunk),
    drained: () => {},
  })!;
  const type = (text: string) => child.write(new TextEncoder().encode(text));
  return {
    terminal,
    pid: async () => Number(await Bun.file(pidFile).text()),
    ended: child.ended,
    press(keys, wanted) {
      type(keys);
      return terminal.shows(wanted);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Wrapped lines and cursor, echo and line editing are as a shell needs them. */
async function expectRestored({ terminal }: Running, exit: RegExp): Promise<void> {
  await terminal.shows(exit);
  await eventually(() => terminal.isAlternate, false);
  expect(terminal.sent).toEndWith(terminal.sent.slice(terminal.sent.lastIndexOf("\u001b[?1049l")));
  const after = terminal.sent.slice(terminal.sent.lastIndexOf("\u001b[?1006l"));
  for (const off of ["\u001b[?1000l", "\u001b[?7h", "\u001b[?25h", "\u001b[?1049l"])
    expect(after).toContain(off);
}

describe("leaves the terminal as it was", () => {
  test("when the person quits", async () => {
    await using folder = await notes();
    await using running = await tui(join(folder.path, "notes"));
    await running.terminal.shows("Conflicts  ");
    expect(running.terminal.isAlternate).toBe(true);
    await running.press("q", "exit=0");
    await expectRestored(running, /exit=0/);
    await running.terminal.shows(/ icanon .* echo /s);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("after %s", async (signal) => {
    await using folder = await notes();
    await using running = await tui(join(folder.path, "notes"));
    await running.terminal.shows("Conflicts  ");
    process.kill(await running.pid(), signal);
    await expectRestored(running, /exit=\d+/);
  });
});

test("lends the terminal to the editor, and saves its text as the next version", async () => {
  await using folder = await notes();
  const editor = join(folder.path, "editor");
  await folder.write("editor", '#!/bin/sh\nprintf "your words: "\nread -r words\necho "$words" > "$1"\n');
  await chmod(editor, 0o700);
  const directory = join(folder.path, "notes");
  await using running = await tui(directory, { EDITOR: editor });
  await running.terminal.shows("Conflicts  ");
  await running.press("2", "› ");
  await running.press(ENTER, "a.md");
  await running.press("e", "your words:");
  expect(running.terminal.isAlternate).toBe(false);
  await running.press("two\r", "a.md is at v2");
  expect(running.terminal.isAlternate).toBe(true);
  await running.press(`${DOWN}q`, "exit=0");
  expect(await cairn("file", "get", "a.md", "--dir", directory)).toMatchObject({ stdout: "two\n" });
});

test("says what is missing: a terminal, or one that can show a full screen", async () => {
  await using folder = await notes();
  const directory = join(folder.path, "notes");
  expect(await cairn("tui", "--dir", directory)).toMatchObject({
    exitCode: 1,
    stderr: "Error: no terminal: cairn tui is for people; scripts use the other commands\n",
  });
  await using running = await tui(directory, { TERM: "dumb" });
  await running.terminal.shows("cannot show a full screen");
});
