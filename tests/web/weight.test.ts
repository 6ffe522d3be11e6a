// Goal: the chat view loads at most 150 KB of page, scripts and style sheets, as transferred.

import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { hasBrowser } from "../kit/browser.ts";
import { say } from "../kit/model/index.ts";
import { screen } from "../kit/screen.ts";

const BYTES_MAX = 150_000;
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
  const all = (await page.evaluate(READ)) as Part[];
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

test.if(hasBrowser)("limits the first load of the chat view", async () => {
  await using at = await screen({ model: { boss: [say("**Hello.** Ask me for `anything`.")] } });
  await at.chat("Who is there?");
  const page = await at.open(at.own);
  await page.getByText("Ask me for", { exact: false }).waitFor();
  const parts = await settledPartsOf(page);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const heaviest = parts.toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  console.log(
    `the chat view's first load: ${(total / 1000).toFixed(1)} KB in ${parts.length} files; ${heaviest
      .map(({ path, bytes }) => `${path.split("/").at(-1) || "page"} ${(bytes / 1000).toFixed(1)}`)
      .join(", ")}`,
  );
  expect(parts.length).toBeGreaterThan(2);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(BYTES_MAX);
});
