// Goal: a wrong clock in the browser changes no age on the screen.

import { expect, test } from "bun:test";
import { onScreen, screen } from "../kit/browser/screen.ts";

const HOUR_MS = 3_600_000;

const made = () => screen({ model: "silent" });

onScreen("a browser with a wrong clock", made, (at) => {
  test("says just now of a workspace that was just created, with a clock that is an hour ahead", async () => {
    await at.workspace("desk");
    await using page = await at.browser.open("about:blank", "");
    await page.addInitScript(`(() => {
      const right = Date.now.bind(Date);
      Date.now = () => right() + ${HOUR_MS};
    })()`);
    await page.goto(`${at.url}/workspaces`);
    const row = page.getByRole("row", { name: /desk/ });
    await row.waitFor();
    expect(await row.innerText()).toContain("just now");
  });
});
