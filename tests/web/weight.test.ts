// Goal: the chat view loads at most 150 KB of page, scripts and style sheets, as transferred, in at most 18 files; with code and approval
// cards, until they are on the screen. Colours of code and the rest come after that.

import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { hasBrowser } from "../kit/browser/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { call, say } from "../kit/model/index.ts";
import { screen, withBrowser } from "../kit/browser/screen.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";

const BYTES_MAX = 150_000;
/** Far away, each costs as much as its bytes. */
const FILES_MAX = 18;
setDefaultTimeout(90_000);
/** Loading counts as finished after this time without a new file. */
const QUIET_MS = 500;

interface Part {
  readonly path: string;
  readonly bytes: number;
}

const READ = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
  ({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }),
)`;

/** Page, scripts and sheets; fonts and images do not block the text. */
async function partsOf(page: Page): Promise<Part[]> {
  return onlyParts((await page.evaluate(READ)) as Part[]);
}

function onlyParts(all: readonly Part[]): Part[] {
  return all.filter(({ path }) => !path.startsWith("/api/") && !/\.(woff2|svg|png|ico)$/.test(path));
}

async function settledPartsOf(page: Page): Promise<Part[]> {
  let before = await partsOf(page);
  for (;;) {
    await page.waitForTimeout(QUIET_MS);
    const now = await partsOf(page);
    if (now.length === before.length) return now;
    before = now;
  }
}

function judge(what: string, parts: readonly Part[]): void {
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const heaviest = parts.toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  console.log(
    `${what}: ${(total / 1000).toFixed(1)} KB in ${parts.length} files; ${heaviest
      .map(({ path, bytes }) => `${path.split("/").at(-1) || "page"} ${(bytes / 1000).toFixed(1)}`)
      .join(", ")}`,
  );
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.length).toBeLessThanOrEqual(FILES_MAX);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(BYTES_MAX);
}

test.if(hasBrowser)("limits the first load of the chat view", async () => {
  await using at = await screen({ model: { boss: [say("**Hello.** Ask me for `anything`.")] } });
  await at.chat("Who is there?");
  const page = await at.open(at.own);
  await page.getByText("Ask me for", { exact: false }).waitFor();
  judge("the chat view's first load", await settledPartsOf(page));
});

const CODE = "```python\ndef answer():\n    return 42\n```\n\n```ts\nconst answer: number = 42;\n```";

test.if(hasBrowser && searchable)(
  "limits what a chat with code and approvals loads until they are painted",
  async () => {
    await using at = await withBrowser(await searchLab());
    await at.grant();
    at.model.script("boss", [
      [say(CODE), call("web_search", { query: "one" }), call("web_search", { query: "two" })],
    ]);
    await at.begin("Show me code.");
    await at.pending(2);
    const page = await at.open("/settings");
    // Everything that is on the way when the last card is painted counts; what comes later is held back until then.
    await page.addInitScript(`new MutationObserver((_, self) => {
    if (document.querySelectorAll(".approval .btn").length < 4 || document.querySelectorAll(".md-code").length < 2) return;
    self.disconnect();
    window.loadedWhenShown = ${READ};
  }).observe(document, { childList: true, subtree: true })`);
    await page.goto(`${at.url}${at.own}`);
    await eventually(() => page.evaluate("window.loadedWhenShown !== undefined"), true);
    judge(
      "a chat with code and cards until it is shown",
      onlyParts((await page.evaluate("loadedWhenShown")) as Part[]),
    );
    // The colours arrive by themselves.
    await page.locator(".md-code .tok-keyword").first().waitFor();
    const fonts = (await page.evaluate(
      `[...document.querySelectorAll("link[rel=preload][as=font]")].map(({ href }) => /inter|jetbrains-mono/.exec(href)?.[0])`,
    )) as string[];
    expect(fonts).toEqual(["inter", "jetbrains-mono"]);
  },
);

test.if(hasBrowser)("reads the browser's data of locales only for what it shows", async () => {
  await using at = await screen({ model: "silent" });
  const page = await at.browser.open("about:blank", "");
  await page.addInitScript(`
    globalThis.formatters = [];
    for (const name of ["Collator", "DateTimeFormat", "ListFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat"]) {
      const { supportedLocalesOf } = Intl[name];
      Intl[name] = new Proxy(Intl[name], {
        construct: (target, given) => (formatters.push(name), new target(...given)),
      });
      Intl[name].supportedLocalesOf = (given) => (formatters.push(name), supportedLocalesOf(given));
    }`);
  await page.goto(`${at.url}/approvals`);
  await page.getByRole("heading", { name: "Nothing pending" }).waitFor();
  expect(await page.evaluate("formatters")).toEqual([]);
});
