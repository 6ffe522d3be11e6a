// Goal: the slider of earlier blueprints has every turn once, however impatiently earlier ones are loaded.

import { Database } from "bun:sqlite";
import { test } from "bun:test";
import { join } from "node:path";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { addTurns } from "../kit/service/long-conversation.ts";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

/** Of a page, as the slider loads them. */
const PAGE = 100;

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
});
