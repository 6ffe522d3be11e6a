// Goal: on a slow network an answer that arrives late hides no gear.

import { expect, test } from "bun:test";
import { holdRequest } from "../kit/browser/hold.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen();

onScreen("gears and late answers", made, (at) => {
  test("lists a gear that was created while the list was first read", async () => {
    await using page = await at.open("/settings");
    const late = await holdRequest(page, /\/api\/v1\/gears$/, { what: "answer" });
    await page.goto(`${at.url}/gears?new=1`);
    await page.getByLabel("Name", { exact: true }).fill("created_early");
    await late.held;
    await page.getByRole("button", { name: "Create gear" }).click();
    await page.getByRole("heading", { name: "created_early" }).waitFor();
    await page.getByRole("link", { name: "Gears", exact: true }).first().click();
    await late.letGo();
    await page.getByRole("link", { name: "created_early" }).waitFor();
  });
});
