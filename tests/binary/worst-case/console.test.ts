// Goal: no page of the console, and no form, keeps other callers waiting for more than 50 ms, whatever the space holds and whatever is typed.
// Runs late: it judges how long a request waits, in processor time.

import { afterAll, describe, test } from "bun:test";
import { CONSOLE_ROWS, furnishedConsole, UI_ROWS } from "./console-rows.ts";
import { expectNobodyWaits } from "./nobody-waits.ts";

const LIMIT_MS = 60_000;
const furnished = await furnishedConsole();
// It removes 50,000 files.
afterAll(() => furnished[Symbol.asyncDispose](), LIMIT_MS * 3);

describe("the console of a server", () => {
  const { measured, one } = furnished.console;
  for (const [name, act] of Object.entries(CONSOLE_ROWS))
    test(name, () => expectNobodyWaits(measured, () => act(one)), LIMIT_MS);
});

describe("cairn ui", () => {
  let ui: ReturnType<typeof furnished.ui> | undefined;
  for (const [name, act] of Object.entries(UI_ROWS))
    test(
      name,
      async () => {
        const { measured, one } = await (ui ??= furnished.ui());
        await expectNobodyWaits(measured, () => act(one));
      },
      LIMIT_MS,
    );
});
