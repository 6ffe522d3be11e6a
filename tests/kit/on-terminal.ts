// A program on a terminal of its own, and a person who types when they are asked.

import { startTerminal } from "../../src/kit/process.ts";

export interface Shown {
  /** With plain line ends. */
  readonly text: string;
  readonly exitCode: number;
  /** Answers whose question never came. */
  readonly unasked: number;
}

/** Types each answer when its question is there. */
export async function onTerminal(
  command: readonly string[],
  variables: Record<string, string> = {},
  answers: readonly (readonly [question: string, answer: string])[] = [],
): Promise<Shown> {
  let said = "";
  const left = [...answers];
  const decoder = new TextDecoder();
  const terminal = startTerminal(["sh", "-c", '"$0" "$@"; echo "exit=$?"', ...command], {
    environment: process.env,
    variables: { TERM: "xterm", ...variables },
    columns: 500,
    rows: 24,
    output: (chunk) => {
      said += decoder.decode(chunk, { stream: true });
      if (left.length > 0 && said.includes(left[0]![0]))
        terminal.write(new TextEncoder().encode(left.shift()![1]));
    },
    drained: () => {},
  })!;
  await terminal.ended;
  const [, text = "", exitCode] = /^(.*)exit=(\d+)\r?\n/s.exec(said) ?? [];
  return { text: text.replaceAll("\r\n", "\n"), exitCode: Number(exitCode), unasked: left.length };
}
