// Goal: a message is found from anywhere and opened where it stands: far up, on another branch, forgotten; and its link can be copied.

import { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { bubble, composer, write } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { addTurns } from "../kit/service/long-conversation.ts";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const TURNS = 400;
const FIRST = "Where does the kingfisher nest?";

async function longRoom() {
  const at = await screen({ model: true });
  at.model.script("boss", [say("In the riverbank.")]);
  const first = await at.chat(FIRST);
  await at.restart((data) => {
    const db = new Database(join(data, "service.db"));
    addTurns(db, at.workspaceId, TURNS);
    db.close();
  });
  return Object.assign(at, { firstTurn: first.turn });
}

onScreen("links to entries", longRoom, (at) => {
  let question: number;
  let answer: number;
  beforeAll(async () => {
    const find = async (q: string) =>
      (await at.admin.get(`/search?q=${q}&kind=entry`)).groups[0]?.results[0]?.id ?? 0;
    await eventually(async () => (await find("kingfisher")) > 0, true);
    await eventually(async () => (await find("riverbank")) > 0, true);
    [question, answer] = [await find("kingfisher"), await find("riverbank")];
  });

  const entry = (page: Page, id: number) => page.locator(`[data-entry="${id}"]`);
  /** It is in sight, and has the focus. */
  const isShown = (page: Page, id: number) =>
    entry(page, id).evaluate((element) => {
      const view = element.closest(".chat-scroll")!.getBoundingClientRect();
      const own = element.getBoundingClientRect();
      return own.top >= view.top && own.top < view.bottom && document.activeElement === element;
    });

  test("the palette finds a message far up by a part of a word, and opens it", async () => {
    await using page = await at.open("/settings");
    await page.getByRole("navigation", { name: "Main" }).waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await page.keyboard.type("kingfi");
    const found = page.getByRole("group", { name: "Messages" }).getByRole("option");
    await found.filter({ hasText: FIRST }).waitFor();
    await eventually(() => found.first().locator("mark").allInnerTexts(), ["kingfi"]);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await found.filter({ hasText: FIRST }).click();
    await eventually(() => new URL(page.url()).search, `?entry=${question}`);
    await entry(page, question).waitFor();
    await eventually(() => isShown(page, question), true);
    // It is offered again, and opens again after scrolling away.
    await page.getByRole("group", { name: "Conversation" }).evaluate((list) => (list.scrollTop += 2_000));
    await page.keyboard.press("Control+k");
    await page.getByRole("group", { name: "Recent" }).getByRole("option").first().click();
    await eventually(() => isShown(page, question), true);
  });

  test("leaves the focus where a person types while the message is still being looked for", async () => {
    await using page = await at.browser.open("about:blank", "");
    const looking = await holdRequest(page, /\/entries\?.*before=/);
    await page.goto(`${at.url}${at.own}?entry=${question}`);
    await looking.held;
    await composer(page).click();
    await page.keyboard.type("A reed ");
    await looking.letGo();
    await entry(page, question).and(page.locator(".chat-found")).waitFor();
    await page.keyboard.type("warbler?");
    await eventually(() => composer(page).inputValue(), "A reed warbler?");
  });

  test("an address that was opened before takes no focus when an answer streams", async () => {
    await using page = await at.open(`${at.own}?entry=${question}`);
    await eventually(() => isShown(page, question), true);
    at.model.script("boss", [say("At the river, too.")]);
    await composer(page).click();
    await write(page, "Where else?");
    await page.keyboard.type("And ");
    await bubble(page, "orchestrator", "At the river, too.").waitFor();
    await page.keyboard.type("when?");
    await eventually(() => composer(page).inputValue(), "And when?");
  });

  test("copies a link that opens the entry, also a forgotten one", async () => {
    await using page = await at.open(`${at.own}?entry=${answer}`);
    await eventually(() => isShown(page, answer), true);
    await page.evaluate(
      "navigator.clipboard.writeText = (text) => ((window.copied = text), Promise.resolve())",
    );
    await entry(page, answer)
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Copy link" }).click();
    await eventually(() => page.evaluate("window.copied"), `${at.url}${at.own}?entry=${answer}`);
    await at.admin.delete(`/entries/${answer}`);
    await page.reload();
    await eventually(() => isShown(page, answer), true);
    expect(await entry(page, answer).getAttribute("class")).toContain("chat-forgotten");
  });

  test("offers to switch to the branch of the entry, and says when there is none", async () => {
    at.model.script("boss", [say("Begun again.")]);
    await at.end(await at.begin("Another beginning", { after: null }));
    await using page = await at.open(`${at.own}?entry=${question}`);
    await bubble(page, "orchestrator", "Begun again.").waitFor();
    await page.getByText("The linked message is on another branch.").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Switch to it" }).click();
    await entry(page, question).waitFor();
    await eventually(() => isShown(page, question), true);
    await page.goto(`${at.url}${at.own}?entry=99999999`);
    await page.getByText("The linked message is not in this workspace.").waitFor();
    at.browser.expected(/404/);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await eventually(() => new URL(page.url()).search, "");
    await composer(page).waitFor();
  });
});
