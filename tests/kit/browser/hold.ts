// A slow network, under control: the first request of its kind waits until the test lets it go on, all others pass.

import type { Page, Request } from "playwright-core";
import { within } from "../within.ts";

interface Held {
  /** Resolves once the request waits. */
  readonly held: Promise<void>;
  /** Resolves once the page has had the answer and painted what follows from it. */
  readonly letGo: () => Promise<void>;
}

const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/** `answer`: the server answers at once, and the page gets this answer late. `method`: GET unless given. */
export async function holdRequest(
  page: Page,
  url: RegExp,
  {
    what = "request",
    method = "GET",
  }: { readonly what?: "request" | "answer"; readonly method?: string } = {},
): Promise<Held> {
  const held = Promise.withResolvers<Request>();
  const open = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route(url, async (route) => {
    const request = route.request();
    if (!isFirst || request.method() !== method) return route.fallback();
    isFirst = false;
    const response = what === "answer" ? await route.fetch() : undefined;
    held.resolve(request);
    await open.promise;
    await (response ? route.fulfill({ response }) : route.continue());
  });
  const waits = () => within(`a request to ${url}`, held.promise);
  return {
    get held() {
      return waits().then(() => {});
    },
    async letGo() {
      open.resolve();
      const response = await within("its answer", (await waits()).response());
      await within("the end of its answer", Promise.resolve(response?.finished()));
      await within("two frames", page.evaluate(TWO_FRAMES));
    },
  };
}
