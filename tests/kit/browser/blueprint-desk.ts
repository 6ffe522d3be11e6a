// For tests of the blueprint in the browser: a running service with a scripted model, and workspaces with an orchestrator and two workers
// that no wire connects yet.

import type { Locator, Page } from "playwright-core";
import type { Position } from "../../../src/service/blueprint/schema.ts";
import type { Place } from "../service/place.ts";
import { screen } from "./screen.ts";

interface Desk extends Place {
  readonly scribe: number;
  readonly scout: number;
  /** Of the view in the browser. */
  readonly path: string;
}

export const SCRIBE_AT: Position = { x: 340, y: -90 };
export const SCOUT_AT: Position = { x: 340, y: 90 };

export async function blueprintOffice(options: Parameters<typeof screen>[0] = {}) {
  const at = await screen({ model: true, ...options });
  return Object.assign(at, {
    async desk(name: string): Promise<Desk> {
      const desk = await at.place(name);
      const worker = async (agent: string, position: Position) =>
        (await desk.agent(agent, { model: "worker", position })).id;
      const scribe = await worker("scribe", SCRIBE_AT);
      const scout = await worker("scout", SCOUT_AT);
      return Object.assign(desk, { scribe, scout, path: `${desk.own}/blueprint` });
    },
    /** From and to, by agent. */
    wires: async (desk: Desk) =>
      (await desk.blueprint()).wires.map((wire) => [wire.from_agent_id, wire.to_agent_id] as const),
    where: async (desk: Desk, agentId: number): Promise<Position> =>
      (await desk.blueprint()).agents.find(({ id }) => id === agentId)!.position,
    /** Runs a turn to its end; names of the tools that the orchestrator was offered last. */
    async turn(desk: Desk, text: string): Promise<readonly string[]> {
      await desk.chat(text);
      const { tools } = at.model.requestsOf("boss").at(-1)!;
      return tools.map(({ name }) => name);
    },
  });
}

/** An agent's card on the canvas. */
export function card(page: Page, name: string): Locator {
  return page
    .getByRole("group", { name: "Agents" })
    .getByRole("button", { name: new RegExp(`^${name} ?, `) });
}

export async function middleOf(of: Locator): Promise<{ x: number; y: number }> {
  const box = (await of.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Draws a line by mouse, from the dot at the edge of one card to what is given. */
export async function draw(page: Page, from: string, to: Locator): Promise<void> {
  const box = (await card(page, from).boundingBox())!;
  const start = { x: box.x + box.width, y: box.y + box.height / 2 };
  const end = await middleOf(to);
  await page.mouse.move(start.x - 40, start.y);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 20, start.y, { steps: 3 });
  await page.mouse.move(end.x, end.y, { steps: 5 });
  await page.mouse.up();
}

/** Moves a card by mouse, in pixels. */
export async function drag(page: Page, name: string, by: { x: number; y: number }): Promise<void> {
  const { x, y } = await middleOf(card(page, name));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.x / 2, y + by.y / 2, { steps: 3 });
  await page.mouse.move(x + by.x, y + by.y, { steps: 3 });
  await page.mouse.up();
}

/** A message that stands at the edge for a while. */
export function toast(page: Page, text: string | RegExp): Locator {
  return page.getByRole("region", { name: "Messages" }).getByText(text).last();
}
