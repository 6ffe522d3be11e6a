// Goal: every load of a workspace shows the cards of all its pending approvals; a search that nothing can use any more is no approval.

import { describe, setDefaultTimeout, test } from "bun:test";
import { bubble, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { call, say } from "../kit/model/index.ts";
import { withBrowser } from "../kit/browser/screen.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";
import { canShow, showcase } from "../kit/browser/showcase.ts";

setDefaultTimeout(90_000);
/** Of a race that two loads in five used to lose. */
const LOADS = 15;

describe.if(hasBrowser && canShow)("cards in the chat", () => {
  test("shows a gear, an instruction and a search of two agents at every load", async () => {
    await using desk = await showcase();
    await using browser = await startBrowser();
    const page = await browser.open("about:blank", "");
    for (let load = 0; load < LOADS; load++) {
      await page.goto(`${desk.url}/workspaces/${desk.workspaceId}`);
      for (const name of [
        "scribe asks to approve a gear",
        /^scribe asks to (?:add|change) an instruction/,
        "scout asks to search the web",
      ])
        await page.locator(".chat-asks").getByRole("region", { name }).waitFor();
      await eventually(() => page.locator(".chat-asks .approval").count(), 3);
    }
    await eventually(() => page.title(), "(3) Release desk · Cairn");
  });
});

describe.if(hasBrowser && searchable)("a search after a restart", () => {
  test("leaves the approvals once the conversation continues without it", async () => {
    await using lab = await withBrowser(await searchLab());
    await lab.grant();
    lab.model.script("boss", [[say("I look."), call("web_search", { query: "heron migration" })]]);
    await lab.begin("go");
    await lab.pending();
    await lab.restart();
    const page = await lab.open("/approvals");
    await page.getByText("heron migration", { exact: true }).first().waitFor();
    await page.goto(lab.url + lab.own);
    lab.model.script("boss", [say("Something else, then.")]);
    await write(page, "Never mind.");
    await bubble(page, "orchestrator", "Something else, then.").waitFor();
    await page
      .getByRole("button", { name: /^web_search/ })
      .getByText("interrupted")
      .waitFor();
    await page.goto(`${lab.url}/approvals`);
    await page.getByRole("heading", { name: "Nothing pending" }).waitFor();
  });
});
