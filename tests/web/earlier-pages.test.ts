// Goal: lists that load earlier pages have every item once, however impatiently those are loaded, and whatever is new meanwhile.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { contextScreen } from "../kit/browser/context-screen.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { addTurns } from "../kit/service/long-conversation.ts";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { bytes } from "../kit/store/file-engine.ts";

/** Of a page, as the slider loads them. */
const PAGE = 100;
/** The most that a table shows at first. */
const SHOWN_ROWS = 200;

async function longRoom() {
  const at = await screen({ model: true });
  at.model.script("boss", [say("First.")]);
  await at.chat("Question 0.");
  await at.restart((data) => {
    const db = new Database(join(data, "service.db"));
    addTurns(db, at.workspaceId, 3 * PAGE);
    db.close();
  });
  return at;
}

const numbersOf = (page: Page) =>
  page
    .getByRole("table", { name: "Turns" })
    .locator("tbody td:first-child")
    .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
/** `count` numbers, from the highest down. */
const newest = (highest: number, count: number) =>
  Array.from({ length: count }, (_, index) => highest - index);

onScreen("the list of turns", longRoom, (at) => {
  /** The real one and those that were added. */
  let turns = 3 * PAGE + 1;
  const ask = async () => {
    at.model.script("boss", [say("Yes.")]);
    await at.chat(`Question ${turns}.`);
    turns += 1;
  };
  const open = () => at.open(`${at.own}/activity`, { width: 1400 });

  test("misses no turn when one begins while an earlier page is loaded", async () => {
    await using page = await open();
    await eventually(() => numbersOf(page), newest(turns, PAGE));
    const loading = await holdRequest(page, /\/summaries\?.*before=/, { what: "answer" });
    await page.getByRole("button", { name: "Load earlier turns" }).click();
    await loading.held;
    await ask();
    await eventually(async () => (await numbersOf(page))[0], turns);
    await loading.letGo();
    await eventually(() => numbersOf(page), newest(turns, SHOWN_ROWS));
  });

  test("keeps an earlier page that arrives while the newest is read again", async () => {
    await using page = await open();
    await eventually(() => numbersOf(page), newest(turns, PAGE));
    const reading = await holdRequest(page, /\/summaries\?/, { what: "answer" });
    await ask();
    await reading.held;
    await page.getByRole("button", { name: "Load earlier turns" }).click();
    await eventually(async () => (await numbersOf(page)).length >= 2 * PAGE, true);
    await reading.letGo();
    await eventually(() => numbersOf(page), newest(turns, SHOWN_ROWS));
  });
});

onScreen("earlier blueprints", longRoom, (at) => {
  test("loads a page once, also with two clicks", async () => {
    await using page = await at.open(`${at.own}/blueprint`);
    const slider = page.getByRole("slider", { name: "Blueprint as of" });
    await eventually(() => slider.getAttribute("max"), String(PAGE));
    const earlier = page.getByRole("button", { name: "Load earlier turns" });
    const loading = await holdRequest(page, /\/turns\?.*before=/);
    await earlier.dblclick();
    await loading.held;
    await page.getByRole("button", { name: "Load earlier turns", disabled: true }).waitFor();
    await loading.letGo();
    await eventually(() => earlier.isDisabled(), false);
    await eventually(() => slider.getAttribute("max"), String(2 * PAGE));
  });

  test("has each turn once after the workspace reads the same ones for another branch", async () => {
    await using page = await at.open(`${at.own}/blueprint`);
    const slider = page.getByRole("slider", { name: "Blueprint as of" });
    await eventually(() => slider.getAttribute("max"), String(PAGE));
    await page.getByRole("button", { name: "Load earlier turns" }).click();
    await eventually(() => slider.getAttribute("max"), String(2 * PAGE));
    const [first] = await at.admin.get(`${at.own}/turns?limit=1&before=2`);
    at.model.script("boss", [say("Yes.")]);
    const body = { text: "Another second question.", after: first!.id };
    await using answer = await at.admin.events(`${at.own}/chat`, { method: "POST", body });
    await answer.all();
    await eventually(() => slider.getAttribute("max"), String(3 * PAGE + 2));
  });
});

/** Of a page, as the history loads them. */
const VERSIONS = 50;
const MANY = "team/many.md";

onScreen(
  "the versions of a document of the space",
  () =>
    contextScreen(async (space) => {
      for (let version = 0; version < VERSIONS + 10; version += 1)
        await space.write(MANY, bytes(`Version ${version + 1}.\n`), version === 0 ? null : version);
    }),
  (at) => {
    test("keep the one that a new version moves out of the newest page", async () => {
      await using page = await at.openContext(MANY, "history");
      const numbers = () =>
        page
          .locator(".context-versions .tag")
          .evaluateAll((tags) =>
            tags.flatMap(({ textContent: text }) => (text?.startsWith("v") ? [Number(text.slice(1))] : [])),
          );
      await eventually(numbers, newest(VERSIONS + 10, VERSIONS));
      await page.getByRole("button", { name: "Load earlier versions" }).click();
      await eventually(numbers, newest(VERSIONS + 10, VERSIONS + 10));
      await at.put(MANY, "Newer.\n");
      // As when the window gets the focus again.
      const looked = () => page.evaluate(() => void window.dispatchEvent(new Event("visibilitychange")));
      await eventually(async () => {
        await looked();
        return (await numbers())[0];
      }, VERSIONS + 11);
      expect(await numbers()).toEqual(newest(VERSIONS + 11, VERSIONS + 11));
    });
  },
);
