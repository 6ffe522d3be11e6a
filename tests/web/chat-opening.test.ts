// Goal: a conversation does not jump while it opens: it is shown once the parts of its rows are there, or without them on a slow network.

import { expect, test } from "bun:test";
import { eventually } from "../kit/eventually.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { SLOW_CLOCK } from "../kit/browser/page-time.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { httpError, say } from "../kit/model/index.ts";

const SHOWN = `Number(getComputedStyle(document.querySelector(".chat-shown")).opacity)`;
/** The time at which the conversation is first in sight, and whether the end of its turn was in the page by then. */
const WATCH = `{
  const look = () => {
    const shown = document.querySelector(".chat-row") && document.querySelector(".chat-shown");
    if (shown && getComputedStyle(shown).opacity === "1")
      window.firstSight = document.body.textContent.includes("The turn failed");
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;
const FIRST_SIGHT = "window.firstSight";

onScreen(
  "a conversation that opens",
  async () => {
    const at = await screen({ model: { boss: [say("Hello."), httpError(400, "no such thing")] } });
    await at.chat("Who is there?");
    await at.chat("And now?");
    return at;
  },
  (at) => {
    test("is shown with the cards and endings of its rows at once", async () => {
      const page = await at.open("/settings");
      const ending = await holdRequest(page, /turn-end-.*\.js$/);
      await page.addInitScript(SLOW_CLOCK + WATCH);
      await page.goto(at.url + at.own);
      await ending.held;
      await page.locator(".chat-row").first().waitFor({ state: "attached" });
      expect(await page.evaluate(SHOWN)).toBe(0);
      await ending.letGo();
      await eventually(() => page.evaluate(FIRST_SIGHT), true);
    });

    test("is shown without a part that does not come soon", async () => {
      const page = await at.open("/settings");
      const ending = await holdRequest(page, /turn-end-.*\.js$/);
      await page.addInitScript(WATCH);
      await page.goto(at.url + at.own);
      await eventually(() => page.evaluate(FIRST_SIGHT), false);
      await page.getByText("And now?").waitFor();
      await ending.letGo();
      await page.getByText("The turn failed").waitFor();
    });
  },
);
