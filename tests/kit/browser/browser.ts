// A real browser on the interface of a running service. Pages collect what must never happen (uncaught errors, refusals by the CSP, console
// errors) and the test fails with it when the browser is disposed of.

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { locateTool } from "../../../release/system-packages.ts";

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
  "ThirdPartyStoragePartitioning",
];
export const BROWSER_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${FEATURES_OFF.join(",")}`,
];
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
  readonly browser: Browser;
  /** A page of its own person unless a context is given; opens `path`. */
  open(url: string, path: string, options?: PageOptions): Promise<Page>;
  /** The errors in pages so far; those that a test expects are taken out with `expected`. */
  readonly faults: string[];
  /** Takes out faults that the test provoked: the console's line about a refused request. */
  expected(pattern: RegExp): void;
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath: executablePath!, args: BROWSER_ARGUMENTS });
  let faults: string[] = [];
  return {
    browser,
    get faults() {
      return faults;
    },
    expected(pattern) {
      faults = faults.filter((fault) => !pattern.test(fault));
    },
    async open(url, path, options = {}) {
      const context =
        options.context ??
        (await browser.newContext({
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
      page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(`${page.url()}: ${message.text()}`);
      });
      await page.goto(url + path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      if (faults.length > 0) throw new Error(`in the browser:\n${faults.join("\n")}`);
    },
  };
}
