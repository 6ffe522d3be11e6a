// A conversation as long as one wants, and a person who types into it while an answer streams: for the benchmark of the chat and for the
// test of its budgets.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { TestBrowser } from "./browser.ts";
import { composer } from "./chat-room.ts";
import { addTurns } from "../service/long-conversation.ts";
import { say } from "../model/index.ts";
import { compiledWorld } from "../service/world.ts";

/** Between two tokens: fifty in a second. */
export const EVERY_MS = 20;
const KEY_EVERY_MS = 70;
/** The answer has to last longer than the typing. */
const TOKENS_PER_KEY = 6;

/** A service with one conversation of this many entries. */
export async function longConversation(entries: number) {
  const at = await compiledWorld({ model: { boss: [say("Answer 0.")] } });
  await at.chat("Question 0.");
  return at.restart((data) => {
    const db = new Database(join(data, "service.db"));
    addTurns(db, at.workspaceId, entries / 2 - 1);
    db.close(true);
  });
}

interface Typed {
  /** From each key to the moment after the frame that shows it, ms, ascending. */
  readonly paints: number[];
  /** The sum of all layout shifts meanwhile. */
  readonly shift: number;
}

/** Types this many keys into the composer while fifty tokens a second arrive below this many entries. */
export async function typeWhileStreaming(
  browser: TestBrowser,
  entries: number,
  keys: number,
): Promise<Typed> {
  await using at = await longConversation(entries);
  const page = await browser.open(at.url, at.own);
  await page.getByText(`Answer ${entries / 2 - 1}.`).waitFor();
  await page.evaluate(WATCH);
  const tokens = keys * TOKENS_PER_KEY;
  const text = "Words of an **answer** that goes on, and on. \n\n- with\n- a list\n\n".repeat(tokens / 10);
  at.model.script("boss", [say(text, { chunks: tokens, everyMs: EVERY_MS })]);
  await at.begin("Speak.");
  await page.getByText("is answering").first().waitFor();
  await composer(page).focus();
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press("e");
    await Bun.sleep(KEY_EVERY_MS);
  }
  const stillSpeaks = (await page.getByText("is answering").count()) > 0;
  if (!stillSpeaks) throw new Error("the answer ended before the typing did");
  const { paints, shift } = (await page.evaluate("watched")) as Typed;
  if (paints.length < keys) throw new Error(`${paints.length} of ${keys} keys were seen`);
  await page.context().close();
  return { paints: paints.sort((a, b) => a - b), shift };
}

/** From a key to the moment after the frame that shows it; and every shift of the layout, those after a key too. */
const WATCH = `
  globalThis.watched = { paints: [], shift: 0 };
  addEventListener("input", (event) => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => watched.paints.push(performance.now() - event.timeStamp);
      channel.port2.postMessage(undefined);
    });
  }, true);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.shift += entry.value;
  }).observe({ type: "layout-shift" });
`;
