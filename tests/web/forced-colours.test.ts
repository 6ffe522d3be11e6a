// Goal: with the colours of a person's system (Windows high contrast), choices, matches, bars and the arrow of a select field stay visible.

import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../kit/eventually.ts";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const spent = async () => {
  const at = await screen({ model: { boss: [say("Done.", { usage: { input: 400, output: 20 } })] } });
  await at.chat("Do it.");
  return at;
};

onScreen("the colours of the system", spent, (at) => {
  const open = async (path: string) => {
    const page = await at.browser.open("about:blank", "");
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(at.url + path);
    return page;
  };
  const styleOf = (of: Locator, property: string) =>
    of.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  const canvas = (page: Page) => styleOf(page.locator("body"), "background-color");

  test("marks the chosen result of the palette, and keeps its matches readable", async () => {
    await using page = await open(at.own);
    await page.getByRole("link", { name: "Chat" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("orch");
    const chosen = page.getByRole("option", { selected: true });
    // Results that arrive meanwhile replace it, and an element that is gone has no style.
    await eventually(() => styleOf(chosen, "outline-style"), "solid");
    const mark = chosen.locator("mark");
    await eventually(async () => (await styleOf(mark, "color")) === (await styleOf(chosen, "color")), true);
  });

  test("underlines only the view that is shown", async () => {
    await using page = await open(at.own);
    const line = (name: string) => styleOf(page.getByRole("link", { name }), "border-bottom-color");
    expect(await line("Chat")).not.toBe(await canvas(page));
    expect(await line("Files")).toBe(await canvas(page));
  });

  test("shows shares and the time of steps as bars", async () => {
    await using page = await open(`${at.own}/activity?turn=1`);
    for (const bar of [page.locator(".activity-bar-of").first(), page.locator(".views .bar > i").first()]) {
      await bar.waitFor();
      expect(await styleOf(bar, "background-color")).not.toBe(await canvas(page));
    }
  });

  test("marks the chosen row of a table, and draws the arrow of a select field", async () => {
    await using page = await open("/people?show=person-1");
    const row = page.locator("tr[aria-current=true]");
    await row.waitFor();
    expect(await styleOf(row, "outline-style")).toBe("solid");
    await page.goto(`${at.url}/gears?new=1`);
    expect(await styleOf(page.locator("select.input").first(), "appearance")).toBe("auto");
  });
});
