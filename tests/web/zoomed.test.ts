// Goal: on a page that is zoomed to 400 % (WCAG 1.4.10: 320 by 256 pixels) nothing is cut off or beside the page, and a conversation keeps room.
// On a tablet and in half a window, a page beside an open pane stays readable.

import { test } from "bun:test";
import { call, say } from "../kit/model/index.ts";
import { eventually } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const ZOOMED = { width: 320, height: 256 };
/** Four lines of text. */
const CONVERSATION_PX = 80;
const TABLET = { width: 768, height: 1024 };
const HALF = { width: 960, height: 1040 };
/** Forty characters of text. */
const READABLE_PX = 280;
const LONG = "Migration of the archive";

const talked = async () => {
  const at = await screen({ workers: ["scout"] });
  const usage = { input: 22_400, output: 39 };
  at.model.script("boss", [call("delegate", { agent: "scout", task: "Look." }), say("Done.", { usage })]);
  at.model.script("scout", [say("Seen.", { usage })]);
  await at.chat("Go.");
  await at.workspace(LONG);
  return at;
};

onScreen("a page with little room", talked, (at) => {
  test("at 400 % shows all views and the number of tokens, and scrolls no screen sideways", async () => {
    const views = ["", "/blueprint", "/files", "/activity", "/activity?turn=1"];
    for (const view of views) {
      const page = await at.look(at.own + view, ZOOMED);
      await page.locator(".workspace-meter").waitFor();
      await eventually(() => page.locator(".skeleton").count(), 0);
      const meter = page.locator(".workspace-meter");
      await eventually(async () => (await edgesOf(meter)).right <= ZOOMED.width, true);
      const wide = () =>
        page
          .locator(".screen, .views, .workspace-view:not(.behind)")
          .evaluateAll((all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className),
          );
      await eventually(async () => ({ view, wide: await wide() }), { view, wide: [] });
    }
  });

  test("at 400 % leaves room for the conversation above the message box", async () => {
    const page = await at.look(at.own, ZOOMED);
    await page.getByText("Done.").first().waitFor();
    const conversation = page.locator(".chat-scroll");
    await eventually(async () => (await edgesOf(conversation)).height >= CONVERSATION_PX, true);
  });

  test("at 400 % writes no name of a step over its numbers", async () => {
    const page = await at.look(`${at.own}/activity?turn=1`, ZOOMED);
    const rows = page.locator(".activity-row[aria-level]");
    await rows.first().waitFor();
    for (const row of await rows.all()) {
      const name = row.locator(".activity-name > .ellipsis").first();
      const number = row.locator(".activity-number").first();
      await eventually(async () => (await edgesOf(name)).right <= (await edgesOf(number)).left, true);
    }
  });

  test("leaves a conversation and a form enough width beside an inspector on a tablet", async () => {
    const page = await at.look(`${at.own}?inspect=agent-${at.orchestratorId}`, TABLET);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    for (const pane of [page.locator(".chat-box"), inspector])
      await eventually(async () => (await edgesOf(pane)).width >= READABLE_PX, true);
  });

  test("at 200 % shows the names of workspaces whole", async () => {
    const page = await at.look("/workspaces", { width: 640, height: 430 });
    const name = page.getByRole("link", { name: LONG });
    await eventually(() => name.evaluate((link) => link.scrollWidth <= link.clientWidth), true);
  });

  test("shows the names of a table whole on a tablet, and the columns that fit beside an open pane", async () => {
    const tablet = await at.look("/workspaces", TABLET);
    const name = tablet.getByRole("link", { name: LONG });
    await eventually(() => name.evaluate((link) => link.scrollWidth <= link.clientWidth), true);
    const page = await at.look("/people", HALF);
    const columns = page.getByRole("table", { name: "People" }).getByRole("columnheader");
    await eventually(() => columns.allTextContents(), ["Name", "Role", "Password", "Tokens", "Last used"]);
    await page.goto(`${at.url}/people?show=person-1`);
    await page.getByRole("complementary", { name: "Details" }).waitFor();
    await eventually(() => columns.allTextContents(), ["Name", "Role"]);
  });

  test("covers no button of the blueprint with the minimap beside an inspector", async () => {
    const page = await at.look(`${at.own}/blueprint?inspect=agent-${at.orchestratorId}`, HALF);
    await page.getByRole("complementary", { name: "Inspector" }).waitFor();
    await page.getByRole("button", { name: "List", exact: true }).click({ trial: true });
  });
});
