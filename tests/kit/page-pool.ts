// Gives a page that a test has closed to the next test, as good as new: a new page starts a renderer, reads and compiles the whole interface
// again, which costs three times the processor of a page that has seen it. What cannot be undone for certain really closes the page.

import type { BrowserContext, Page } from "playwright-core";

/** A document of the same origin without scripts; another origin would end the renderer. */
const NEUTRAL = "/health";
/** They leave something on a page or its context that the pool does not undo. */
const SPOILERS_OF_BOTH = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "route",
  "routeFromHAR",
  "routeWebSocket",
  "setExtraHTTPHeaders",
] as const;
const SPOILERS_OF_CONTEXT = [
  ...SPOILERS_OF_BOTH,
  "grantPermissions",
  "newCDPSession",
  "newPage",
  "on",
  "once",
  "setGeolocation",
  "setHTTPCredentials",
  "setOffline",
] as const;
/** A test that listens to one of them does so for good. */
const EVENTS = [
  "close",
  "console",
  "crash",
  "dialog",
  "domcontentloaded",
  "download",
  "filechooser",
  "frameattached",
  "framedetached",
  "framenavigated",
  "load",
  "pageerror",
  "popup",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
  "websocket",
  "worker",
] as const;
const STORAGE = "local_storage,indexeddb,cache_storage,file_systems";
const NO_MEDIA = { colorScheme: null, contrast: null, forcedColors: null, media: null, reducedMotion: null };

/** Between two tests; the browser asks for an icon there in vain. */
export function isAtRest(page: Page): boolean {
  return URL.canParse(page.url()) && new URL(page.url()).pathname === NEUTRAL;
}

export class PagePool {
  readonly #free = new Map<string, Page[]>();

  /** A page that was lent under this key and came back. */
  take(key: string): Page | undefined {
    return this.#free.get(key)?.pop();
  }

  /** From now on `close` brings the page back here. Its own context has no other pages. */
  lend(key: string, page: Page, context: BrowserContext): void {
    const bare = { close: page.close.bind(page), size: page.viewportSize()! };
    const origin = new URL(key).origin;
    const listeners = listenersOf(page);
    let spoiled = false;
    const spoil = () => void (spoiled = true);
    const restorePage = watch(page, [...SPOILERS_OF_BOTH, "clock"], spoil);
    const restoreContext = watch(context, SPOILERS_OF_CONTEXT, spoil);
    const isAsLent = () =>
      !spoiled &&
      context.pages().length === 1 &&
      originOf(page) === origin &&
      listenersOf(page) === listeners;
    const close: Page["close"] = async (options) => {
      restorePage();
      restoreContext();
      Reflect.deleteProperty(page, "close");
      if (!page.isClosed() && isAsLent() && (await cleared(page, context, origin, bare.size))) {
        this.#free.set(key, [...(this.#free.get(key) ?? []), page]);
      } else await bare.close(options);
    };
    Object.assign(page, { close });
  }
}

/** Says when a member is used, until the function that it returns is called. */
function watch<T extends Page | BrowserContext>(
  thing: T,
  members: readonly (keyof T & string)[],
  used: () => void,
): () => void {
  for (const name of members) {
    const member = thing[name];
    const value = typeof member === "function" ? member.bind(thing) : member;
    Object.defineProperty(thing, name, { configurable: true, get: () => (used(), value) });
  }
  return () => {
    for (const name of members) Reflect.deleteProperty(thing, name);
  };
}

function originOf(page: Page): string {
  return URL.canParse(page.url()) ? new URL(page.url()).origin : "";
}

function listenersOf(page: Page): string {
  // Playwright's types list the events one by one.
  const emitter = page as unknown as { listenerCount(event: string): number };
  return EVENTS.map((event) => emitter.listenerCount(event)).join();
}

/** Answers false when the service is gone. */
async function cleared(
  page: Page,
  context: BrowserContext,
  origin: string,
  size: { width: number; height: number },
) {
  const leave = (dialog: { accept(): Promise<void> }) => void dialog.accept();
  page.on("dialog", leave);
  try {
    await page.mouse.move(-1, -1);
    await page.goto(origin + NEUTRAL);
    await page.evaluate("sessionStorage.clear()");
    const devtools = await context.newCDPSession(page);
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: STORAGE });
    await devtools.send("Page.resetNavigationHistory");
    await devtools.detach();
    await context.clearCookies();
    await page.setViewportSize(size);
    await page.emulateMedia(NO_MEDIA);
    return true;
  } catch {
    return false;
  } finally {
    page.off("dialog", leave);
  }
}
