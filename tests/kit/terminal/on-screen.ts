// The terminal UI on a terminal in memory.

import { App } from "../../../src/context/tui/app.ts";
import type { Desk } from "../../../src/context/tui/desk.ts";
import { within } from "../within.ts";
import { Emulator } from "./emulator.ts";

export const DOWN = "\u001b[B";
export const ENTER = "\r";
export const ESCAPE = "\u001b";

export interface TerminalScreen extends Disposable {
  readonly terminal: Emulator;
  readonly app: App;
  /** Resolves when the session is over, with the error that ended it. */
  readonly ended: Promise<unknown>;
  /** Types, then waits for the screen to show it. */
  press(keys: string, wanted: string | RegExp): Promise<string>;
  /** From 0. */
  click(row: number, column: number, wanted: string | RegExp): Promise<string>;
}

export async function onTerminalScreen(
  desk: Desk,
  { columns = 80, rows = 24, colours = true } = {},
): Promise<TerminalScreen> {
  const terminal = new Emulator(columns, rows, colours);
  const ended = Promise.withResolvers<unknown>();
  const app = new App({ desk, terminal, onEnd: ended.resolve });
  await app.start();
  const press = (keys: string, wanted: string | RegExp) => {
    app.feed(new TextEncoder().encode(keys));
    return terminal.shows(wanted);
  };
  return {
    terminal,
    app,
    get ended() {
      return within(() => `the session ends; it shows ${terminal.text()}`, ended.promise);
    },
    press,
    click: (row, column, wanted) => press(`\u001b[<0;${column + 1};${row + 1}M`, wanted),
    [Symbol.dispose]: () => app.end(),
  };
}
