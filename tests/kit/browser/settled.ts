// Waits until a page shows all it is going to show: no request is open except event streams, which stay open, nothing says that it loads, and
// fonts, highlighting and whatever else waited for an answer have been painted. For pictures; a test waits for the thing itself.

import type { Page, Request } from "playwright-core";

/** After this a page is taken as it is. */
const SETTLE_MS = 4_000;
const LOOK_EVERY_MS = 20;
/** Answers lead to further requests, at the latest when the browser has nothing else to do. */
const QUIET_LOOKS = 3;

const NOTHING_TO_DO = `document.fonts.ready.then(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 500 })))))`;

const isStream = (request: Request) => request.headers()["accept"] === "text/event-stream";

/** Call it before the page loads what is to be awaited. */
export function settling(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (!isStream(request)) open.add(request);
  });
  page.on("requestfinished", (request) => void open.delete(request));
  page.on("requestfailed", (request) => void open.delete(request));
  return async () => {
    const until = performance.now() + SETTLE_MS;
    const busy = page.locator(".skeleton, .spinner, [aria-busy=true]").first();
    for (let quiet = 0; quiet < QUIET_LOOKS && performance.now() < until; await Bun.sleep(LOOK_EVERY_MS)) {
      await page.evaluate(NOTHING_TO_DO);
      quiet = open.size === 0 && !(await busy.isVisible()) ? quiet + 1 : 0;
    }
  };
}
