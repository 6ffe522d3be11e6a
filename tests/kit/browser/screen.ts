// A browser on the interface of the compiled service, shared by all tests of a group:
//
//   onScreen("gears", () => screen({ workers: ["scout"] }), (at) => {
//     test("…", async () => { const page = await at.open("/gears"); … });
//   });

import { describe, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { type BrowserKind, hasBrowser, type PageOptions, startBrowser } from "./browser.ts";
import { shared } from "../group-resource.ts";
import type { RunOptions } from "../service/running.ts";
import { compiledWorld, type Furniture } from "../service/world.ts";

/** Of a test; a busy machine is slow. */
const TEST_MS_MAX = 90_000;

/** Left out where there is no browser. */
export function onScreen<T extends AsyncDisposable>(
  title: string,
  make: () => Promise<T>,
  tests: (at: T) => void,
): void {
  describe.if(hasBrowser)(title, () => {
    setDefaultTimeout(TEST_MS_MAX);
    tests(shared(make));
  });
}

export async function screen<const Name extends string = never>(
  options: Furniture<Name> & RunOptions & { readonly browser?: BrowserKind } = {},
) {
  return withBrowser(await compiledWorld(options), options.browser);
}

/** Any running service gets a browser. The browser ends first: pages must not see the service end. */
export async function withBrowser<
  W extends { readonly url: string; use<T extends AsyncDisposable>(thing: T): T },
>(at: W, kind?: BrowserKind) {
  const browser = at.use(await startBrowser(kind));
  const open = (path: string, page?: PageOptions): Promise<Page> => browser.open(at.url, path, page);
  const seen = new Map<string, Page>();
  return Object.assign(at, {
    browser,
    /** Opens an address of the interface; a page of its own person unless a context is given. */
    open,
    /**
     * As `open`, for tests that only look: all those with the same options share a page, because one that goes to its next address takes half the
     * processor of a new one. A test that types, decides, signs in or changes requests leaves something to the next, so it opens a page of its own.
     */
    async look(path: string, options: Omit<PageOptions, "context"> = {}): Promise<Page> {
      const key = JSON.stringify(options);
      const before = seen.get(key);
      if (before !== undefined) await before.goto(at.url + path);
      const page = before ?? (await open(path, options));
      seen.set(key, page);
      return page;
    },
  });
}
