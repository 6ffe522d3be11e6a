// A real browser on the interface of a running service. Pages collect what must never happen (uncaught errors, refusals by the CSP, console
// errors) and the test fails with it when the browser is disposed of.

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { locateTool } from "../../../release/system-packages.ts";
import { thingsOfRun } from "../run-end.ts";
import { interceptAtOnce } from "./interception.ts";

const executablePath = locateTool("chromium");
/** Without a browser, tests of the interface are left out, aloud. */
export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) console.log("skipped: no browser on this machine (chromium)");
/**
 * Features that tests do without. Each window would start a renderer for the popup of the address bar, which costs more processor than the page. The
 * rest is the driver's own list, which this argument replaces.
 */
const FEATURES_OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "SpareRendererForSitePerProcess",
  "ThirdPartyStoragePartitioning",
];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${FEATURES_OFF.join(",")}`,
];
/**
 * A browser that needs less processor: no processes of their own for network and drawing, and none of the compilers that pay only on pages that live
 * long. Elsewhere than on Linux nobody has tried it. The other feature is the driver's own, which this argument replaces.
 */
export const LIGHT_BROWSER_ARGUMENTS =
  process.platform === "linux"
    ? [
        ...ARGUMENTS,
        "--in-process-gpu",
        // One for each person: else each page has one for `about:blank` and another one for its first address.
        "--renderer-process-limit=1",
        "--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface",
        "--js-flags=--no-turbofan --no-maglev",
      ]
    : ARGUMENTS;
/** `people's`: as people have it, for whatever judges its time or looks. */
export type BrowserKind = "light" | "people's";
/** A busy machine is slow; a screen that is not there after this never comes. */
const WAIT_MS_MAX = 20_000;

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** A phone: fingers in place of a pointer. */
  readonly touch?: boolean;
  /** With the service worker, past which tests cannot see or change requests. */
  readonly offline?: boolean;
  /** Of the former page: the same person on another tab. */
  readonly context?: BrowserContext;
}

export interface TestBrowser extends AsyncDisposable {
  /** Another person, who shares no cookies and no storage with others. */
  newContext(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
  /** A page of its own person unless a context is given; opens `path`. */
  open(url: string, path: string, options?: PageOptions): Promise<Page>;
  /** The errors in pages so far; those that a test expects are taken out with `expected`. */
  readonly faults: string[];
  /**
   * Takes out faults that the test provoked: the console's line about a refused request. Of the pages that are open, also those to come: the line
   * may arrive later than what a person sees of it.
   */
  expected(pattern: RegExp): void;
}

const programs = new Map<BrowserKind, Browser>();

/** The files of one run share a program of each kind; without a run, it ends with its owner. */
async function programOf(kind: BrowserKind, owner: AsyncDisposableStack): Promise<Browser> {
  const run = thingsOfRun();
  const before = programs.get(kind);
  if (run !== undefined && before?.isConnected()) return before;
  const args = kind === "light" ? LIGHT_BROWSER_ARGUMENTS : ARGUMENTS;
  const browser = (run ?? owner).use(await chromium.launch({ executablePath: executablePath!, args }));
  programs.set(kind, browser);
  return browser;
}

/** In a run of tests, a light one unless asked otherwise. */
export async function startBrowser(
  kind: BrowserKind = thingsOfRun() === undefined ? "people's" : "light",
): Promise<TestBrowser> {
  const owner = new AsyncDisposableStack();
  const browser = await programOf(kind, owner);
  let faults: string[] = [];
  /** The faults that are expected of each page. */
  const pages = new Map<Page, RegExp[]>();
  const note = (page: Page, text: string) => {
    const fault = `${page.url()}: ${text}`;
    if (!pages.get(page)?.some((pattern) => pattern.test(fault))) faults.push(fault);
  };
  const newContext: TestBrowser["newContext"] = async (options) =>
    owner.use(await browser.newContext(options));
  return {
    newContext,
    get faults() {
      return faults;
    },
    expected(pattern) {
      faults = faults.filter((fault) => !pattern.test(fault));
      for (const patterns of pages.values()) patterns.push(pattern);
    },
    async open(url, path, options = {}) {
      const context =
        options.context ??
        (await newContext({
          viewport: { width: options.width ?? 1280, height: options.height ?? 860 },
          colorScheme: options.theme ?? "light",
          hasTouch: options.touch ?? false,
          isMobile: options.touch ?? false,
          serviceWorkers: options.offline ? "allow" : "block",
          reducedMotion: "reduce",
          locale: "en-GB",
          timezoneId: "UTC",
        }));
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS_MAX);
      if (!options.offline) interceptAtOnce(page);
      pages.set(page, []);
      page.once("close", () => pages.delete(page));
      page.on("pageerror", (error) => note(page, error.message));
      page.on("console", (message) => {
        if (message.type() === "error") note(page, message.text());
      });
      await page.goto(url + path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await owner.disposeAsync();
      if (faults.length > 0) throw new Error(`in the browser:\n${faults.join("\n")}`);
    },
  };
}
