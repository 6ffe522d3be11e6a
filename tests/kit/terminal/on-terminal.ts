// A program on a terminal of its own, and a person who types when they are asked.

import { LATE, within } from "../../../src/kit/concurrency/deadline.ts";
import { startTerminal } from "../../../src/kit/processes/process.ts";
import { RUN_LIMIT_MS } from "../wait-limit.ts";

const SHOWN_CHARACTERS = 2_000;

const EXIT = /^(.*)exit=(\d+)\r?\n/s;

interface Shown {
  /** With plain line ends. */
  readonly text: string;
  readonly exitCode: number;
  /** Answers whose question never came. */
  readonly unasked: number;
}

/** Types each answer when its question is there, after the question before. */
export async function onTerminal(
  command: readonly string[],
  variables: Record<string, string> = {},
  answers: readonly (readonly [question: string, answer: string])[] = [],
  columns = 500,
): Promise<Shown> {
  let said = "";
  let read = 0;
  const left = [...answers];
  const decoder = new TextDecoder();
  const terminal = startTerminal(["sh", "-c", '"$0" "$@"; echo "exit=$?"', ...command], {
    environment: process.env,
    variables: { TERM: "xterm", ...variables },
    columns,
    rows: 24,
    output: (chunk) => {
      said += decoder.decode(chunk, { stream: true });
      for (;;) {
        const [question, answer] = left[0] ?? [];
        const at = question === undefined ? -1 : said.indexOf(question, read);
        if (at < 0) return;
        read = at + question!.length;
        left.shift();
        terminal.write(new TextEncoder().encode(answer));
      }
    },
    drained: () => {},
  })!;
  // A program that still waits for a key would outlive the test.
  const done = await within(RUN_LIMIT_MS, terminal.ended);
  if (done === LATE) {
    terminal.kill();
    await terminal.ended;
    throw new Error(`the program still waits: ${said.slice(-SHOWN_CHARACTERS)}`);
  }
  const [, text = "", exitCode] = EXIT.exec(said) ?? [];
  return { text: text.replaceAll("\r\n", "\n"), exitCode: Number(exitCode), unasked: left.length };
}
