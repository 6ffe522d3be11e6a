// Goal: a conversation of ten thousand entries reads like a short one: the page renders only visible entries, both ends are reachable, and
// the scroll position holds when earlier pages load.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { belowSight } from "../kit/browser/chat-room.ts";
import { longConversation } from "../kit/browser/chat-typing.ts";
import { eventually } from "../kit/eventually.ts";
import { onScreen, withBrowser } from "../kit/browser/screen.ts";

const ENTRIES = 10_000;
/** For the whole page, including the frame. */
const NODES_MAX = 2_500;

const chat = async () => withBrowser(await longConversation(ENTRIES));

onScreen(`a conversation of ${ENTRIES} entries`, chat, (at) => {
  const conversation = (page: Page) => page.getByRole("group", { name: "Conversation" });
  const nodes = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");
  /** The first visible text, and its distance from the top edge. */
  const atTop = (page: Page) =>
    conversation(page).evaluate((element) => {
      const edge = element.getBoundingClientRect().top;
      const row = [...element.querySelectorAll(".chat-row")].find(
        (one) => one.getBoundingClientRect().bottom > edge + 1,
      )!;
      return { text: row.textContent, offset: Math.round(row.getBoundingClientRect().top - edge) };
    });

  test("opens at its end, renders few nodes, and scrolls back to the first question", async () => {
    await using page = await at.open(at.own);
    await page.getByText(`Answer ${ENTRIES / 2 - 1}.`).waitFor();
    await eventually(() => belowSight(page), 0);
    expect(await nodes(page)).toBeLessThan(NODES_MAX);
    let most = 0;
    const first = page.getByText("Question 0.", { exact: true });
    for (let pages = 0; pages < 80 && (await first.count()) === 0; pages++) {
      await conversation(page).evaluate((element) => element.scrollTo({ top: 0 }));
      // Waits until the earlier page is loaded, or none is left.
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
  });

  test("prints what is loaded and says what is left out; the command loads up to a thousand first", async () => {
    await using page = await at.open(at.own, { theme: "dark" });
    const last = page.getByText(`Answer ${ENTRIES / 2 - 1}.`);
    await last.waitFor();
    await eventually(() => belowSight(page), 0);
    await page.evaluate(`window.printed = [];
      window.print = () => window.dispatchEvent(new Event("beforeprint"));
      for (const type of ["beforeprint", "afterprint"])
        addEventListener(type, () => printed.push(document.querySelectorAll(".chat-row").length))`);
    const printed = () => page.evaluate<number[]>("printed");
    const rows = await page.locator(".chat-row").count();
    expect(rows).toBeLessThan(60);
    const paper = Buffer.from(await page.pdf());
    // The page's own listener comes first, so each count is of after it.
    await eventually(() => printed(), [200, rows]);
    expect((paper.toString("latin1").match(/\/Type \/Page\b/g) ?? []).length).toBeGreaterThan(5);
    await eventually(() => belowSight(page), 0);
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.getByText("Earlier messages are left out.").waitFor();
    expect(await page.getByLabel("Message the orchestrator").isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: null });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("print conv");
    await page.getByRole("option", { name: "Print conversation" }).waitFor();
    await page.keyboard.press("Enter");
    await eventually(async () => (await printed()).at(-1), 1_000);
    await page.getByText("Earlier messages are left out.").waitFor();
  });

  test("keeps the scroll position when an earlier page loads", async () => {
    await using page = await at.open(at.own);
    await page.getByText(`Answer ${ENTRIES / 2 - 1}.`).waitFor();
    // The test releases the next page.
    let isAsked = false;
    const release = Promise.withResolvers<void>();
    await page.route(/\/entries\?.*before=/, async (route) => {
      isAsked = true;
      await release.promise;
      await route.continue();
    });
    // The page still follows its end while it measures its last rows.
    await eventually(async () => {
      if (!isAsked) await conversation(page).evaluate((element) => element.scrollTo({ top: 300 }));
      return isAsked;
    }, true);
    await eventually(async () => (await atTop(page)).offset <= 0, true);
    const before = await atTop(page);
    const height = () => conversation(page).evaluate((element) => element.scrollHeight);
    const heightBefore = await height();
    release.resolve();
    await eventually(async () => (await height()) > heightBefore + 5_000, true);
    const after = await atTop(page);
    expect(after.text).toBe(before.text);
    // Browsers scroll by whole pixels.
    expect(Math.abs(after.offset - before.offset)).toBeLessThanOrEqual(1);
  });
});
