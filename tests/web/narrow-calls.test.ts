// Goal: in one column, a tool call shows enough of its arguments to tell it from another, beside its name or below it.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { call, say } from "../kit/model/index.ts";

/** Room for a dozen letters. */
const READABLE_PX = 72;
const PATH = "documents/that-nobody-has-written-yet.md";

const widthOf = async (page: Page, selector: string) =>
  (await page.locator(selector).filter({ hasText: PATH }).first().boundingBox())!.width;

onScreen(
  "calls in one column",
  async () => {
    const at = await screen({ model: true });
    at.model.script("boss", [
      [say("I note it."), call("memory_write", { name: PATH, text: "Herons." })],
      say("It was refused."),
    ]);
    const { turn } = await at.chat("Note it.");
    return Object.assign(at, { turnId: turn.id });
  },
  (at) => {
    test("shows the summary of a failed call in the chat", async () => {
      const page = await at.look(at.own, { width: 390 });
      await page.getByRole("button", { name: /^memory_write.*not written/ }).waitFor();
      expect(await widthOf(page, ".chat-summary")).toBeGreaterThan(READABLE_PX);
    });

    test("shows the arguments of a call in Activity, with its end", async () => {
      const page = await at.look(`${at.own}/activity?turn=${at.turnId}`, { width: 390 });
      const row = page.getByRole("row", { name: /memory_write/ });
      await row.getByText("failed").waitFor();
      expect(await widthOf(page, ".activity-about")).toBeGreaterThan(READABLE_PX);
      const cut = (element: Element) => element.scrollWidth > element.clientWidth;
      expect(await row.locator(".activity-note").evaluate(cut)).toBe(false);
    });
  },
);
