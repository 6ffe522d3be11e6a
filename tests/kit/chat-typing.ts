// A conversation as long as one wants, and a person who types into it while an answer streams: for the benchmark of the chat and for the
// test of its budgets.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { TestBrowser } from "./browser.ts";
import { composer } from "./chat-room.ts";
import { temporaryFolder } from "./folder.ts";
import { furnish } from "./furnish.ts";
import { addTurns } from "./long-conversation.ts";
import { say, startModel } from "./model/index.ts";
import { runService, type RunningService } from "./running.ts";

/** Between two tokens: fifty in a second. */
export const EVERY_MS = 20;
const KEY_EVERY_MS = 70;
/** The answer has to last longer than the typing. */
const TOKENS_PER_KEY = 6;

type Model = Awaited<ReturnType<typeof startModel>>;

export interface Place extends AsyncDisposable {
  readonly service: RunningService;
  readonly model: Model;
  readonly workspaceId: number;
}

export async function longConversation(entries: number): Promise<Place> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const model = stack.use(await startModel());
  const data = `${folder.path}/data`;
  const first = await runService({ data });
  const { workspaceId } = await furnish(first.admin, model);
  model.script("boss", [say("Answer 0.")]);
  await using reader = await first.admin.events(`/workspaces/${workspaceId}/chat`, {
    method: "POST",
    body: { text: "Question 0." },
  });
  await reader.all();
  await first.end("SIGTERM");
  const db = new Database(join(data, "service.db"));
  addTurns(db, workspaceId, entries / 2 - 1);
  db.close(true);
  const service = stack.use(await runService({ data }));
  return { service, model, workspaceId, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export interface Typed {
  /** From each key to the moment after the frame that shows it, ms, ascending. */
  readonly paints: number[];
  /** The sum of all layout shifts meanwhile. */
  readonly shift: number;
}

/** Types so many keys into the composer while fifty tokens a second come in below so many entries. */
export async function typeWhileStreaming(
  browser: TestBrowser,
  entries: number,
  keys: number,
): Promise<Typed> {
  await using place = await longConversation(entries);
  const { service, model, workspaceId } = place;
  const page = await browser.open(service.url, `/workspaces/${workspaceId}`);
  await page.getByText(`Answer ${entries / 2 - 1}.`).waitFor();
  await page.evaluate(WATCH);
  const tokens = keys * TOKENS_PER_KEY;
  const text = "Words of an **answer** that goes on, and on. \n\n- with\n- a list\n\n".repeat(tokens / 10);
  model.script("boss", [say(text, { chunks: tokens, everyMs: EVERY_MS })]);
  await service.admin.post(`/workspaces/${workspaceId}/chat`, { text: "Speak." });
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
