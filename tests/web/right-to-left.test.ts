// Goal: in lists, text written from the right keeps its own direction and begins where its column begins, below its name, in every row.

import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { edgesOf } from "../kit/browser/edges.ts";
import { eventually } from "../kit/eventually.ts";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const NAME = "مساحة";
const DESCRIPTION = "وصف قصير";
const MESSAGE = "كيف حالك اليوم؟";

const written = async () => {
  const at = await screen({ model: { boss: [say("نعم.")] } });
  const asked = { name: NAME, description: DESCRIPTION, orchestrator_model_id: at.bossId };
  await at.enter((await at.admin.post("/workspaces", asked)).id);
  await at.admin.post(`${at.own}/agents`, { name: NAME, role: "", model_id: at.bossId });
  await at.chat(MESSAGE);
  return at;
};

onScreen("text from the right", written, (at) => {
  /** The left edge of the letters, not of their box. */
  const leftOf = (text: Locator) =>
    text.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return Math.round(range.getBoundingClientRect().left);
    });

  test("puts the description of a workspace below its name", async () => {
    const page = await at.look("/workspaces");
    const row = page.getByRole("row").filter({ hasText: NAME });
    await row.getByText(DESCRIPTION).waitFor();
    expect(await leftOf(row.getByText(DESCRIPTION))).toBe(await leftOf(row.getByText(NAME)));
  });

  test("puts the message of a turn above its author", async () => {
    const page = await at.look(`${at.own}/activity`);
    const row = page.getByRole("table", { name: "Turns" }).getByRole("row").filter({ hasText: MESSAGE });
    await row.getByText(MESSAGE).waitFor();
    expect(await leftOf(row.getByText(MESSAGE))).toBe(await leftOf(row.getByText("admin", { exact: true })));
  });

  test("puts the name of an agent beside its avatar", async () => {
    const page = await at.look(`${at.own}/blueprint`);
    const name = page.locator(".blueprint-card-name").getByText(NAME);
    await eventually(async () => (await leftOf(name)) - Math.round((await edgesOf(name)).left), 0);
  });
});
