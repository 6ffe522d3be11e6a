// Goal: people who use a keyboard or a screen reader reach everything in the order in which it is seen, past long lists in one step, and hear how
// a turn ended.

import { afterEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chatRoom, write } from "../kit/browser/chat-room.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { eventually } from "../kit/eventually.ts";
import { gate, httpError, say } from "../kit/model/index.ts";
import { makeGear } from "../kit/service/gears.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const PEOPLE = 30;

onScreen("by keyboard", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  /** The name of the pane and the text of the element with the focus. */
  const focused = (page: Page) =>
    page.evaluate(() => {
      const at = document.activeElement!;
      const name = at.getAttribute("aria-label") ?? at.textContent.trim();
      return [at.closest("aside")?.getAttribute("aria-label") ?? "main", name] as const;
    });

  test("passes a table in one step, to the details of the chosen row", async () => {
    for (let index = 1; index <= PEOPLE; index++)
      await room.admin.post("/users", { name: `person ${index}`, role: "member" });
    await using page = await room.open("/people");
    const rows = page.getByRole("table", { name: "People" }).locator("tbody tr");
    await rows.nth(PEOPLE).waitFor();
    const at = () => rows.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement));
    await rows.first().focus();
    await page.keyboard.press("End");
    await eventually(() => at(), PEOPLE);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await eventually(() => at(), PEOPLE - 2);
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Details" }).waitFor();
    await eventually(() => rows.nth(PEOPLE - 2).getAttribute("aria-current"), "true");
    await page.keyboard.press("Tab");
    await eventually(() => at(), -1);
    await page.keyboard.press("Shift+Tab");
    await eventually(() => at(), PEOPLE - 2);
    await page.keyboard.press("Home");
    await eventually(() => at(), 0);
    // Neither under the heading of the columns nor outside.
    const head = page.getByRole("table", { name: "People" }).locator("th").first();
    for (let step = 0; step < PEOPLE; step++) {
      const row = rows.nth(await at());
      await eventually(async () => (await edgesOf(row)).top >= (await edgesOf(head)).bottom - 1, true);
      await page.keyboard.press("ArrowDown");
    }
  });

  test("follows the order in which panes are seen", async () => {
    const { own } = await room.desk();
    await room.admin.raw("PUT", `${own}/file?path=a.md`, { body: "x" });
    await using page = await room.open(`${own}/files?path=a.md`);
    await page.getByRole("textbox", { name: "a.md" }).waitFor();
    await page.getByRole("button", { name: /tokens/ }).focus();
    await page.keyboard.press("Tab");
    await eventually(() => focused(page), ["Workspace files", "Find in files"]);
    await makeGear(room.admin, { name: "odd" });
    await page.goto(`${room.url}/approvals`);
    await page.getByRole("complementary", { name: "Pending approvals" }).waitFor();
    await page.getByRole("heading", { name: "Gear" }).waitFor();
    const headings = await page.getByRole("heading").allTextContents();
    expect(headings[0]).toBe("Approvals");
  });

  test("titles each view of a workspace and of a gear", async () => {
    const { own } = await room.desk();
    await using page = await room.open(own);
    const { name } = await room.admin.get(own);
    const titles: string[] = [];
    for (const view of ["Chat", "Blueprint", "Files", "Memory", "Activity"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByRole("region", { name: view, exact: true }).waitFor();
      titles.push((await page.title()).replace(/^\(\d+\) /, ""));
    }
    expect(titles).toEqual([
      `${name} · Cairn`,
      ...["Blueprint", "Files", "Memory", "Activity"].map((view) => `${view} · ${name} · Cairn`),
    ]);
    // There is no memory.
    room.browser.expected(/status of 503/);
    await page.goto(`${room.url}/gears/${room.gears["slow_count"]!.id}/runs`);
    await eventually(async () => (await page.title()).replace(/^\(\d+\) /, ""), "Runs · slow_count · Cairn");
  });

  test("announces an answer as a whole, and a turn that failed or was stopped", async () => {
    const { own } = await room.desk();
    await using page = await room.open(own);
    const heard = page.getByRole("status");
    const hold = gate();
    room.model.script("boss", [[...say("**All** of it "), hold, ...say("is `counted`.")]]);
    await write(page, "Count.");
    await heard.filter({ hasText: "orchestrator is answering" }).waitFor();
    expect(await heard.filter({ hasText: "All of it" }).count()).toBe(0);
    hold.open();
    const answered = heard.filter({ hasText: "orchestrator answered: All of it is counted." });
    await answered.waitFor();
    await answered.waitFor({ state: "detached" });
    room.model.script("boss", [httpError(400, "no such model")]);
    await write(page, "Again.");
    await heard.filter({ hasText: /^The turn failed: / }).waitFor();
    const end = gate();
    room.model.script("boss", [[...say("I "), end]]);
    await write(page, "Once more.");
    await page.getByRole("button", { name: "Stop" }).click();
    await heard.getByText("Stopped", { exact: true }).waitFor();
    end.open();
  });

  test("keeps the focus above the buttons at the end of a dialog", async () => {
    const { own } = await room.desk();
    room.model.script("boss", [say("One.")]);
    await using page = await room.open(own, { height: 420 });
    await write(page, "Hello.");
    await page.getByRole("status").filter({ hasText: "answered" }).waitFor();
    await page.getByRole("button", { name: /tokens/ }).click();
    const dialog = page.getByRole("dialog", { name: "Usage and budget" });
    const last = dialog.locator("summary").last();
    await last.waitFor();
    await dialog.evaluate((element) => element.scrollTo(0, 0));
    await last.focus();
    const buttons = dialog.locator(".actions").last();
    await eventually(async () => (await edgesOf(last)).bottom <= (await edgesOf(buttons)).top, true);
  });

  test("asks before Escape closes a dialog with typed limits", async () => {
    const { own } = await room.desk();
    room.model.script("boss", [say("One.")]);
    await using page = await room.open(own);
    await write(page, "Hello.");
    await page.getByRole("status").filter({ hasText: "answered" }).waitFor();
    await page.getByRole("button", { name: /tokens/ }).click();
    const dialog = page.getByRole("dialog", { name: "Usage and budget" });
    await dialog.getByRole("button", { name: "Set limits" }).click();
    const limit = dialog.getByLabel("Tokens per day");
    await limit.fill("1000");
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    for (const close of ["Escape", "Close"]) {
      if (close === "Escape") await page.keyboard.press(close);
      else await dialog.getByRole("button", { name: close }).click();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      expect(await limit.inputValue()).toBe("1000");
    }
    await dialog.getByRole("button", { name: "Save limits" }).click();
    await dialog.getByRole("button", { name: "Edit limits" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
});
