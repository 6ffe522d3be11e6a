// A workspace to chat in, in a browser: the compiled service, a scripted model, workers that the orchestrator may ask, and a gear whose
// program prints, waits until the test lets it go on, and prints again.

import type { Locator, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { temporaryFolder } from "../folder.ts";
import type { Place } from "../service/place.ts";
import { screen } from "./screen.ts";

export const SLOW_GEAR = "slow_count";

export async function chatRoom() {
  const folder = await temporaryFolder();
  const goOn = `${folder.path}/go-on`;
  const code = `echo counting; while [ ! -e '${goOn}' ]; do sleep 0.02; done; echo counted`;
  const at = await screen({ model: true, gears: [{ name: SLOW_GEAR, code }], under: [folder] });
  let made = 0;
  return Object.assign(at, {
    /** Another workspace, empty; with workers of these names, whose model is `worker`. */
    async desk(...workers: readonly string[]): Promise<Place> {
      const models = Object.fromEntries(workers.map((name) => [name, "worker"]));
      const desk = await at.place(`desk ${++made}`, { workers: models });
      await at.admin.post(`${desk.own}/gears`, { gear_id: at.gears[SLOW_GEAR]!.id });
      return desk;
    },
    /** Ends what a test left running, so that the next one's script is not answered to it. */
    async endTurns(): Promise<void> {
      for (const { id } of await at.admin.get("/workspaces"))
        for (const turn of await at.admin.get(`/workspaces/${id}/turns`))
          if (["queued", "running", "waiting"].includes(turn.status))
            await at.admin.post(`/turns/${turn.id}/cancel`);
    },
    /** Lets the gear `slow_count` go on. */
    letGearGo: async () => void (await Bun.write(goOn, "")),
  });
}

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message the orchestrator" });

/** As a person would: types it, presses Enter, and sees it taken. */
export async function write(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await eventually(() => composer(page).inputValue(), "");
}

/** Finds the text of an agent, in one of its bubbles. */
export const bubble = (page: Page, agent: string, text: string): Locator =>
  page.getByRole("article", { name: `${agent} answered` }).filter({ hasText: text });

/** A tool call, by the tool's name. */
export const chip = (page: Page, tool: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^${tool}\\b`) });

/** The conversation ends this many pixels below the visible part. */
export const belowSight = (page: Page): Promise<number> =>
  page
    .getByRole("group", { name: "Conversation" })
    .evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
