// The chat in a browser: how soon a key is on the screen while an answer streams into a long conversation, whether anything jumps meanwhile,
// and how even the frames are while ten thousand entries scroll by. Needs chromium; without it there is nothing to report.

import type { Page } from "playwright-core";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { EVERY_MS, longConversation, typeWhileStreaming } from "../kit/browser/chat-typing.ts";
import { figure, percentile, type Row } from "./row.ts";

const ENTRIES_WHILE_STREAMING = 2_000;
const ENTRIES_TO_SCROLL = 10_000;
const KEYS = 150;
const SCROLL_MS = 6_000;
const SCROLL_PX_PER_FRAME = 160;
const FRAME_MS = 1000 / 60;
/** A frame that came one too late. */
const LATE_MS = FRAME_MS * 1.5;
const PAINT_MS_MAX = 50;

export async function run(): Promise<Row[]> {
  if (!hasBrowser) return [];
  await using browser = await startBrowser();
  return [...(await streaming(browser)), ...(await scrolling(browser))];
}

async function streaming(browser: TestBrowser): Promise<Row[]> {
  const { paints, shift } = await typeWhileStreaming(browser, ENTRIES_WHILE_STREAMING, KEYS);
  const detail = `${1000 / EVERY_MS} tokens/s into ${ENTRIES_WHILE_STREAMING} entries`;
  const paint = (name: string, share: number): Row => {
    const measured = percentile(paints, share);
    return figure(name, measured, { atMost: PAINT_MS_MAX });
  };
  return [
    paint(`key to paint, p50 (${detail})`, 0.5),
    paint("key to paint, p99", 0.99),
    figure("layout shift meanwhile", shift, { unit: "", atMost: 0, target: "0" }),
  ];
}

async function scrolling(browser: TestBrowser): Promise<Row[]> {
  await using place = await longConversation(ENTRIES_TO_SCROLL);
  const page = await browser.open(place.url, place.own);
  await page.getByText(`Answer ${ENTRIES_TO_SCROLL / 2 - 1}.`).waitFor();
  await readBack(page);
  const floor = await frames(page, 0);
  const measured = await frames(page, SCROLL_PX_PER_FRAME);
  await page.context().close();
  const p99 = percentile(measured, 0.99);
  const late = measured.filter((frame) => frame > LATE_MS).length / measured.length;
  return [
    figure(`frame while ${ENTRIES_TO_SCROLL} entries scroll, p50`, percentile(measured, 0.5), {
      atMost: 17,
      limit: percentile(floor, 0.5),
    }),
    figure("the same, p99", p99, {
      atMost: 2 * FRAME_MS + 1,
      target: "≤ 34 ms",
      limit: percentile(floor, 0.99),
    }),
    figure("frames that came late", late * 100, {
      unit: "%",
      atMost: 5,
      limit: (floor.filter((frame) => frame > LATE_MS).length / floor.length) * 100,
    }),
  ];
}

/** Until the whole conversation is in the page's memory. */
async function readBack(page: Page): Promise<void> {
  const first = page.getByText("Question 0.", { exact: true });
  while ((await first.count()) === 0) {
    await page.evaluate("document.querySelector('.chat-scroll').scrollTo({ top: 0 })");
    await Bun.sleep(EVERY_MS);
  }
}

/** Lengths of frames, ms, ascending, while the list moves by this many pixels in each. */
async function frames(page: Page, step: number): Promise<number[]> {
  const found = (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(".chat-scroll");
    const lengths = [];
    const started = performance.now();
    let before;
    const next = (now) => {
      if (before !== undefined) lengths.push(now - before);
      before = now;
      list.scrollTop += ${step};
      if (performance.now() - started < ${SCROLL_MS}) requestAnimationFrame(next);
      else resolve(lengths);
    };
    requestAnimationFrame(next);
  })`)) as number[];
  return found.sort((a, b) => a - b);
}
