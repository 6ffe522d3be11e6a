// Goal: an instruction and the review of a gear do not jump while they open: they are shown once all that belongs to them is there.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { holdRequest } from "../kit/browser/hold.ts";
import { SLOW_CLOCK } from "../kit/browser/page-time.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { approvedGear } from "../kit/service/gears.ts";

/** Adds up how far what is in sight moves by itself, as browsers do: 1 is all of the window by all of its height. */
const WATCH = `{
  window.moved = 0;
  const add = (entries) => entries.forEach(({ value }) => (window.moved += value));
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  window.movedNow = () => (add(observer.takeRecords()), window.moved);
}`;
const MOVED = "window.movedNow()";
/** Nobody notices less. */
const MOVED_MAX = 0.01;

onScreen(
  "what opens on a phone",
  async () => {
    const at = await screen({ model: true });
    const { id: instructionId } = await at.admin.post("/instructions", {
      name: "tone",
      text: "# Tone\n\nShort.",
    });
    await at.admin.post(`${at.own}/instructions`, { instruction_id: instructionId, agent_id: null });
    const gear = await approvedGear(at.admin, { name: "opened", code: "echo 1\n" });
    await at.admin.put(`/gears/${gear.id}`, { code: "echo 2\n".repeat(20) });
    return Object.assign(at, { instructionId, gearId: gear.id });
  },
  (at) => {
    const openSlowly = async (path: string, late: RegExp, landmark: (page: Page) => Promise<void>) => {
      const page = await at.open("/settings", { width: 390 });
      const answer = await holdRequest(page, late, { what: "answer" });
      await page.addInitScript(SLOW_CLOCK + WATCH);
      await page.goto(at.url + path);
      await answer.held;
      await landmark(page);
      await answer.letGo();
      return page;
    };

    test("does not move an instruction when its bindings come", async () => {
      const page = await openSlowly(
        `/library/${at.instructionId}`,
        /\/workspaces\/\d+\/instructions$/,
        (opening) => opening.getByRole("heading", { name: "Bound to" }).waitFor(),
      );
      await page.locator(".library-uses").getByRole("link").waitFor();
      expect(await page.evaluate<number>(MOVED)).toBeLessThan(MOVED_MAX);
    });

    test("does not move the review of a gear when the version comes that it is compared with", async () => {
      const page = await openSlowly(`/gears/${at.gearId}/review`, /\/versions\?/, (opening) =>
        opening.getByRole("heading", { name: "Tests" }).waitFor(),
      );
      await page.getByText("echo 2").first().waitFor();
      expect(await page.evaluate<number>(MOVED)).toBeLessThan(MOVED_MAX);
    });
  },
);
