// Goal: a conversation of ten thousand entries is as easy to look at as a short one: the page holds only what is in sight, one gets to its
// beginning and its end, and what one reads stays where it is when earlier pages come in.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser.ts";
import { belowSight } from "../kit/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { furnish } from "../kit/furnish.ts";
import { addTurns } from "../kit/long-conversation.ts";
import { say, startModel } from "../kit/model/index.ts";
import { runService, type RunningService } from "../kit/running.ts";

const ENTRIES = 10_000;
const SETUP_MS = 30_000;
const TEST_MS = 60_000;
/** Of the whole page, frame included. */
const NODES_MAX = 2_500;

describe.if(hasBrowser)(`a conversation of ${ENTRIES} entries`, () => {
  const stack = new AsyncDisposableStack();
  let service: RunningService;
  let browser: TestBrowser;
  let workspaceId = 0;
  const model = startModel();

  beforeAll(async () => {
    const folder = stack.use(await temporaryFolder());
    stack.use(await model);
    const first = await runService({ data: `${folder.path}/data` });
    ({ workspaceId } = await furnish(first.admin, await model));
    (await model).script("boss", [say("Answer 0.")]);
    await using reader = await first.admin.events(`/workspaces/${workspaceId}/chat`, {
      method: "POST",
      body: { text: "Question 0." },
    });
    await reader.all();
    await first.end("SIGTERM");
    const db = new Database(join(folder.path, "data/service.db"));
    addTurns(db, workspaceId, ENTRIES / 2 - 1);
    db.close(true);
    service = stack.use(await runService({ data: `${folder.path}/data` }));
    browser = stack.use(await startBrowser());
  }, SETUP_MS);
  afterAll(() => stack.disposeAsync());

  const conversation = (page: Page) => page.getByRole("group", { name: "Conversation" });
  const nodes = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");
  /** The text at the top of what is in sight, and how far below the edge it stands. */
  const atTop = (page: Page) =>
    conversation(page).evaluate((element) => {
      const edge = element.getBoundingClientRect().top;
      const row = [...element.querySelectorAll(".chat-row")].find(
        (one) => one.getBoundingClientRect().bottom > edge + 1,
      )!;
      return { text: row.textContent, offset: Math.round(row.getBoundingClientRect().top - edge) };
    });

  test(
    "opens at its end, holds few nodes, and is read back to the first question",
    async () => {
      const page = await browser.open(service.url, `/workspaces/${workspaceId}`);
      await page.getByText(`Answer ${ENTRIES / 2 - 1}.`).waitFor();
      await eventually(() => belowSight(page), 0);
      expect(await nodes(page)).toBeLessThan(NODES_MAX);
      let most = 0;
      const first = page.getByText("Question 0.", { exact: true });
      for (let pages = 0; pages < 80 && (await first.count()) === 0; pages++) {
        await conversation(page).evaluate((element) => element.scrollTo({ top: 0 }));
        // Until what came before is there, or nothing is left.
        const moved =
          "document.querySelector('.chat-scroll').scrollTop > 400 || document.body.textContent.includes('Question 0.')";
        await eventually(() => page.evaluate(moved), true);
        most = Math.max(most, await nodes(page));
      }
      await first.waitFor();
      expect(most).toBeLessThan(NODES_MAX);
      await page.getByRole("button", { name: "Jump to latest" }).click();
      await page.getByText(`Answer ${ENTRIES / 2 - 1}.`).waitFor();
      await eventually(() => belowSight(page), 0);
      expect(await nodes(page)).toBeLessThan(NODES_MAX);
    },
    TEST_MS,
  );

  test(
    "what one reads stays where it is when the page before it comes in",
    async () => {
      const page = await browser.open(service.url, `/workspaces/${workspaceId}`);
      await page.getByText(`Answer ${ENTRIES / 2 - 1}.`).waitFor();
      // The next page comes when the test says so.
      const asked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      await page.route(/\/entries\?.*before=/, async (route) => {
        asked.resolve();
        await release.promise;
        await route.continue();
      });
      await conversation(page).evaluate((element) => element.scrollTo({ top: 300 }));
      await asked.promise;
      await eventually(async () => (await atTop(page)).offset <= 0, true);
      const before = await atTop(page);
      const height = () => conversation(page).evaluate((element) => element.scrollHeight);
      const heightBefore = await height();
      release.resolve();
      await eventually(async () => (await height()) > heightBefore + 5_000, true);
      const after = await atTop(page);
      expect(after.text).toBe(before.text);
      // The browser scrolls by whole pixels.
      expect(Math.abs(after.offset - before.offset)).toBeLessThanOrEqual(1);
    },
    TEST_MS,
  );
});
