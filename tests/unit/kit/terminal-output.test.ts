// Goal: the output of a program on a terminal is read to its end, however late the system hands it over, and nothing else appears in it.

import { describe, expect, test } from "bun:test";
import { startTerminal } from "../../../src/kit/processes/process.ts";
import { TerminalOutput } from "../../../src/kit/processes/terminal-output.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const ECHO_LIMIT_MS = 3000;

const posix = process.platform !== "win32";

/** A terminal in its state after the end of the program: hands over bytes only when told to. */
function endedProgram() {
  let shown = "";
  let mark = "";
  const clock = manualClock();
  const flags = { inputFlags: 0o2400, outputFlags: 0o5, localFlags: 0o73 };
  const terminal = { closed: false, ...flags, write: (data: string) => void (mark = data) };
  const output = new TerminalOutput((chunk) => void (shown += new TextDecoder().decode(chunk)));
  const take = (text: string) => output.take(new TextEncoder().encode(text));
  return {
    terminal,
    take,
    shown: () => shown,
    mark: () => mark,
    clock,
    toEnd: (system: string) => output.toEnd(terminal, system, clock),
  };
}

describe("the output of a program that has ended", () => {
  test("is complete when the terminal has echoed the mark, and the mark is not shown", async () => {
    const program = endedProgram();
    program.take("first ");
    const ended = program.toEnd("linux");
    const { inputFlags, outputFlags, localFlags } = program.terminal;
    expect({ inputFlags, outputFlags, localFlags }).toEqual({ inputFlags: 0, outputFlags: 0, localFlags: 8 });
    program.clock.advance(ECHO_LIMIT_MS - 1);
    program.take(`late ${program.mark().slice(0, 5)}`);
    program.take("last ");
    program.take(program.mark().slice(0, 9));
    program.take(`${program.mark().slice(9)} of another program`);
    await ended;
    program.take("of another program");
    expect(program.shown()).toBe(`first late ${program.mark().slice(0, 5)}last `);
    expect(program.clock.waits()).toEqual([]);
  });

  test("is left after a number of turns when no echo comes, with all that came", async () => {
    const program = endedProgram();
    const ended = program.toEnd("linux");
    const start = program.mark().slice(0, 5);
    program.take(`last ${start}`);
    program.clock.advance(ECHO_LIMIT_MS);
    await ended;
    expect(program.shown()).toBe(`last ${start}`);
  });

  test("asks for no echo where terminals have none", async () => {
    const program = endedProgram();
    const ended = program.toEnd("win32");
    program.take("last");
    program.clock.advance(ECHO_LIMIT_MS);
    await ended;
    expect([program.mark(), program.shown(), program.terminal.localFlags]).toEqual(["", "last", 0o73]);
  });
});

describe.if(posix)("a program on a terminal", () => {
  const run = async (script: string) => {
    let shown = "";
    const terminal = startTerminal(["sh", "-c", script], {
      environment: process.env,
      columns: 80,
      rows: 24,
      output: (chunk) => void (shown += new TextDecoder().decode(chunk)),
      drained: () => {},
    })!;
    await terminal.ended;
    return shown.replaceAll("\r\n", "\n");
  };

  test("shows its last words, and nothing after them", async () => {
    const scripts = Array.from({ length: 20 }, (_, index) => run(`printf 'the end of ${index}'; exit 3`));
    expect(await Promise.all(scripts)).toEqual(scripts.map((_, index) => `the end of ${index}`));
  });

  test("shows more than the system buffers", async () => {
    expect(await run("seq 1 40000")).toBe(`${Array.from({ length: 40_000 }, (_, n) => n + 1).join("\n")}\n`);
  });
});
