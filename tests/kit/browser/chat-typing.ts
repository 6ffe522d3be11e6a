// A conversation as long as one wants, and a person who types into it while an answer streams: for the benchmark of the chat and for the
// test of its budgets.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { TestBrowser } from "./browser.ts";
import { composer } from "./chat-room.ts";
import { addTurns } from "../service/long-conversation.ts";
import { gate, say } from "../model/index.ts";
import { eventually } from "../eventually.ts";
import { mainThreadMs } from "./page-time.ts";
import { compiledWorld } from "../service/world.ts";

/** Between two tokens: fifty in a second. */
export const EVERY_MS = 20;
const PART = "Words of an **answer** that goes on, and on. \n\n- with\n- a list\n\n";
const KEY_EVERY_MS = 70;
/** Together they take a little longer than a key. No more of them come before the next key, however slow the machine is. */
export const TOKENS_PER_KEY = 4;

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
  /** Processor time of the page's main thread for a key and the tokens that arrive with it, on average. */
  readonly processorMs: number;
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
  const gates = Array.from({ length: keys }, gate);
  const parts = gates.flatMap((each) => [...say(PART, { chunks: TOKENS_PER_KEY, everyMs: EVERY_MS }), each]);
  at.model.script("boss", [parts]);
  await at.begin("Speak.");
  await page.getByText("is answering").first().waitFor();
  await composer(page).focus();
  const watched = async () => (await page.evaluate("watched")) as Pick<Typed, "paints" | "shift">;
  const processorMs = await mainThreadMs(page, async () => {
    for (const each of gates) {
      await page.keyboard.press("e");
      await Bun.sleep(KEY_EVERY_MS);
      each.open();
    }
    await page.getByText("is answering").first().waitFor({ state: "detached" });
    await eventually(async () => (await watched()).paints.length, keys);
  });
  const { paints, shift } = await watched();
  await page.context().close();
  return { paints: paints.sort((a, b) => a - b), shift, processorMs: processorMs / keys };
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
