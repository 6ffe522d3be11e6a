// Goal: on a slow network an answer that arrives late hides no gear, leads nobody away from where they went, and takes no text that was typed.

import { expect, test } from "bun:test";
import { holdRequest } from "../kit/browser/hold.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { makeGear } from "../kit/service/gears.ts";
import { eventually } from "../kit/eventually.ts";

const made = () => screen();

onScreen("gears and late answers", made, (at) => {
  test("lists a gear that was created while the list was first read", async () => {
    await using page = await at.browser.open("about:blank", "");
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

  test("stays where the person went before a gear was created", async () => {
    const { id } = await makeGear(at.admin, { name: "seen_before" });
    await using page = await at.open(`/gears/${id}/review`);
    await page.getByRole("heading", { name: "seen_before" }).waitFor();
    await page.getByRole("link", { name: "Gears", exact: true }).first().click();
    await page.getByRole("link", { name: "Create gear" }).click();
    await page.getByLabel("Name", { exact: true }).fill("created_late");
    const creating = await holdRequest(page, /\/api\/v1\/gears$/, { method: "POST" });
    await page.getByRole("button", { name: "Create gear" }).click();
    await creating.held;
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await creating.letGo();
    expect(new URL(page.url()).pathname).toBe("/settings");
    await page.getByRole("link", { name: "Gears", exact: true }).first().click();
    await page.getByRole("link", { name: "created_late" }).waitFor();
  });

  test("keeps the text that is typed while a version is saved", async () => {
    const gear = await makeGear(at.admin, { name: "typed_meanwhile" });
    await using page = await at.open(`/gears/${gear.id}/code`);
    const description = page.getByLabel("Description");
    await description.fill("First.");
    const saving = await holdRequest(page, new RegExp(`/gears/${gear.id}$`), { method: "PUT" });
    await page.getByRole("button", { name: "Save version 2" }).click();
    await saving.held;
    await description.fill("First. Second.");
    await saving.letGo();
    await page.getByText("Saved version 2.").waitFor();
    await eventually(() => description.inputValue(), "First. Second.");
    await page.getByRole("button", { name: "Save version 3" }).click();
    await page.waitForURL(`**/gears/${gear.id}/review`);
    expect((await at.admin.get(`/gears/${gear.id}`)).description).toBe("First. Second.");
  });
});
