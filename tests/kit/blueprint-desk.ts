// For tests of the blueprint in the browser: a running service with a scripted model, and workspaces with an orchestrator and two workers
// that no wire connects yet.

import type { Locator, Page } from "playwright-core";
import type { Position, Wire } from "../../src/service/blueprint/schema.ts";
import type { BlueprintRecord } from "../../src/service/snapshot/schema.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";
import { furnish } from "./furnish.ts";
import { type ScriptedModel, startModel } from "./model/index.ts";
import { type RunningService, type RunOptions, runService } from "./running.ts";

export interface Desk {
  readonly id: number;
  readonly boss: number;
  readonly scribe: number;
  readonly scout: number;
  /** Of the view in the browser. */
  readonly path: string;
}

export const SCRIBE_AT: Position = { x: 340, y: -90 };
export const SCOUT_AT: Position = { x: 340, y: 90 };

export interface Office extends AsyncDisposable {
  readonly service: RunningService;
  readonly model: ScriptedModel;
  readonly browser: TestBrowser;
  readonly models: { readonly boss: number; readonly worker: number };
  desk(name: string): Promise<Desk>;
  blueprint(at: Desk): Promise<BlueprintRecord>;
  /** From and to, by agent. */
  wires(at: Desk): Promise<readonly (readonly [number, number])[]>;
  place(at: Desk, agentId: number): Promise<Position>;
  addWire(at: Desk, from: number, to: number): Promise<Wire>;
  /** Runs a turn to its end; names of the tools that the orchestrator was offered last. */
  turn(at: Desk, text: string): Promise<readonly string[]>;
}

export async function blueprintOffice(options: RunOptions = {}): Promise<Office> {
  const stack = new AsyncDisposableStack();
  const model = stack.use(await startModel());
  const service = stack.use(await runService(options));
  // The first to go: pages must not see the others end.
  const browser = stack.use(await startBrowser());
  const { admin } = service;
  await furnish(admin, model);
  const catalogue = await admin.get("/models");
  const modelNamed = (name: string) => catalogue.find((one) => one.model_name === name)!.id;
  const models = { boss: modelNamed("boss"), worker: modelNamed("worker") };
  const blueprint = (at: Desk) => admin.get(`/workspaces/${at.id}/blueprint`);
  return {
    service,
    model,
    browser,
    models,
    blueprint,
    async desk(name) {
      const { id } = await admin.post("/workspaces", {
        name,
        orchestrator_model_id: models.boss,
      });
      const [orchestrator] = await admin.get(`/workspaces/${id}/agents`);
      const worker = async (agent: string, position: Position) => {
        const fields = { name: agent, role: `You are ${agent}.`, model_id: models.worker, position };
        return (await admin.post(`/workspaces/${id}/agents`, fields)).id;
      };
      const scribe = await worker("scribe", SCRIBE_AT);
      const scout = await worker("scout", SCOUT_AT);
      return { id, boss: orchestrator!.id, scribe, scout, path: `/workspaces/${id}/blueprint` };
    },
    wires: async (at) =>
      (await blueprint(at)).wires.map((wire) => [wire.from_agent_id, wire.to_agent_id] as const),
    place: async (at, agentId) => (await blueprint(at)).agents.find(({ id }) => id === agentId)!.position,
    addWire: (at, from, to) =>
      admin.post(`/workspaces/${at.id}/wires`, { from_agent_id: from, to_agent_id: to }),
    async turn(at, text) {
      const reader = await admin.events(`/workspaces/${at.id}/chat`, { method: "POST", body: { text } });
      await reader.all();
      return model
        .requestsOf("boss")
        .at(-1)!
        .tools.map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
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
