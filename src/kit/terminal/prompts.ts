// Questions to a person at a terminal: choose with the arrow keys, type a line, type a secret. Escape goes back to the question before, Ctrl+C
// cancels. They are shown on stderr where that is the terminal, since data goes to stdout. The library is loaded with the first question.

import type { Readable, Writable } from "node:stream";
import type * as clack from "@clack/prompts";
import { stderrIsTerminal, terminalIsGone } from "../environment.ts";
import { AppError } from "../error.ts";
import { visible, visibleInLine } from "../text/visible.ts";

/** A question ends this soon after its terminal was closed. */
const LOOK_EVERY_MS = 1_000;

/** The person wants the question before this one. */
export const BACK = Symbol("back");
export type Answered<T> = T | typeof BACK;

export interface Choice<V extends string> {
  readonly value: V;
  readonly label: string;
  /** One sentence. */
  readonly hint: string;
}

type Library = typeof clack;

/** `initial`: the choice that Enter takes. Raises `refused` if the person cancels, as the others do. */
export function choose<V extends string>(
  message: string,
  choices: readonly Choice<V>[],
  initial?: V,
): Promise<Answered<V>> {
  const width = Math.max(...choices.map(({ label }) => Bun.stringWidth(label)));
  const options = choices.map(({ value, label, hint }) => ({
    value: value as string,
    label: visibleInLine(`${label}${" ".repeat(width - Bun.stringWidth(label))}  ${hint}`),
  }));
  return asked<V>((library, at) =>
    library.select({
      message: visible(message),
      options,
      ...(initial === undefined ? {} : { initialValue: initial }),
      ...at,
    }),
  );
}

interface Line {
  readonly message: string;
  /** An earlier answer or its beginning: Enter accepts it, and the person can edit it. */
  readonly initial?: string | undefined;
  /** Without `initial`: the answer that Enter accepts, and that any other text replaces. */
  readonly suggested?: string | undefined;
  /** Returns what is wrong with the text. */
  readonly problem: (text: string) => string | undefined;
}

export function typeLine({ message, initial, suggested, problem }: Line): Promise<Answered<string>> {
  const isSuggested = initial === undefined && suggested !== undefined;
  return asked<string>((library, at) =>
    library.text({
      message: visible(message),
      ...(initial === undefined ? {} : { initialValue: initial }),
      ...(isSuggested ? { placeholder: visibleInLine(suggested), defaultValue: suggested } : {}),
      validate: (text) => problem((text || (isSuggested ? suggested : "")).trim()),
      ...at,
    }),
  ).then((answer) => (answer === BACK ? BACK : answer.trim()));
}

/** Shows a mask in place of the text. */
export function typeSecret(message: string): Promise<Answered<string>> {
  return asked<string>((library, at) =>
    library.password({
      message: visible(message),
      validate: (text) => ((text ?? "").trim() === "" ? "must not be empty" : undefined),
      ...at,
    }),
  ).then((answer) => (answer === BACK ? BACK : answer.trim()));
}

/** Opens a series of questions: what they are for, and the keys. */
export async function introduce(text: string): Promise<void> {
  const { intro } = await import("@clack/prompts");
  intro(visible(`${text} · Escape: back · Ctrl+C: cancel`), { output: streams().output });
}

/** Tells something between two questions: why an answer was refused. */
export async function objectTo(text: string): Promise<void> {
  const { log } = await import("@clack/prompts");
  log.warn(visible(text), { output: streams().output });
}

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

function streams(): Streams {
  return { input: process.stdin, output: stderrIsTerminal() ? process.stderr : process.stdout };
}

interface Pressed {
  readonly name?: string;
  readonly ctrl?: boolean;
}

async function asked<T>(
  ask: (library: Library, at: Streams & { readonly signal: AbortSignal }) => Promise<unknown>,
): Promise<Answered<T>> {
  const library = await import("@clack/prompts");
  const left = new AbortController();
  let key: string | undefined;
  // The library takes Escape and Ctrl+C for one thing, and would wait forever after Ctrl+D or the end of the input.
  const listen = (_text: unknown, pressed?: Pressed) => {
    key = pressed?.name;
    if (pressed?.ctrl === true && key === "d") left.abort();
  };
  const end = () => left.abort();
  process.stdin.on("keypress", listen).once("end", end);
  const gone = Promise.withResolvers<never>();
  // The library would wait: it cannot draw its end.
  const look = setInterval(() => terminalIsGone() && gone.reject(cancelled()), LOOK_EVERY_MS);
  try {
    const answer = await Promise.race([ask(library, { ...streams(), signal: left.signal }), gone.promise]);
    if (!library.isCancel(answer)) return answer as T;
    if (key === "escape" && !left.signal.aborted) return BACK;
    throw cancelled();
  } finally {
    clearInterval(look);
    process.stdin.off("keypress", listen).off("end", end);
  }
}

export function cancelled(): AppError {
  return new AppError("refused", "cancelled; nothing was changed", { cancelled: true });
}

export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.details?.["cancelled"] === true;
}
