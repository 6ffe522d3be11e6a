// A workspace to chat in, in a browser: the compiled service, a scripted model, workers that the orchestrator may ask, and a gear whose
// program prints, waits until the test lets it go on, and prints again.

import type { Locator, Page } from "playwright-core";
import { startBrowser, type PageOptions, type TestBrowser } from "./browser.ts";
import type { Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { temporaryFolder } from "./folder.ts";
import { furnish } from "./furnish.ts";
import { approvedGear } from "./gears.ts";
import { startModel } from "./model/index.ts";
import { runService, type RunningService } from "./running.ts";

export interface ChatRoom extends AsyncDisposable {
  readonly model: Awaited<ReturnType<typeof startModel>>;
  readonly browser: TestBrowser;
  readonly service: RunningService;
  readonly admin: Client;
  /** Another workspace with the same models, empty; with workers of these names. */
  workspace(...workers: string[]): Promise<Workspace>;
  open(workspace: Workspace, options?: PageOptions): Promise<Page>;
  /** Kills the service as a crash would, and starts it again where it was. `between` gets the data directory. */
  restart(between?: (data: string) => void): Promise<void>;
  /** Ends what a test left running, so that the next one's script is not answered to it. */
  endTurns(): Promise<void>;
  /** Lets the gear `slow_count` go on. */
  letGearGo(): Promise<void>;
}

export interface Workspace {
  readonly id: number;
  readonly orchestratorId: number;
  readonly agents: Readonly<Record<string, number>>;
}

export const SLOW_GEAR = "slow_count";

export async function chatRoom(): Promise<ChatRoom> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const model = stack.use(await startModel());
  const data = `${folder.path}/data`;
  let service = await runService({ data });
  stack.defer(() => service[Symbol.asyncDispose]());
  const browser = stack.use(await startBrowser());
  await furnish(service.admin, model);
  const goOn = `${folder.path}/go-on`;
  const code = `echo counting; while [ ! -e '${goOn}' ]; do sleep 0.02; done; echo counted`;
  const gear = await approvedGear(service.admin, { name: SLOW_GEAR, code });
  const models = await service.admin.get("/models");
  const modelId = (name: string) => models.find((one) => one.model_name === name)!.id;
  let made = 0;
  return {
    model,
    browser,
    get service() {
      return service;
    },
    get admin() {
      return service.admin;
    },
    async workspace(...workers) {
      const { admin } = service;
      const { id } = await admin.post("/workspaces", {
        name: `desk ${++made}`,
        orchestrator_model_id: modelId("boss"),
      });
      const [orchestrator] = await admin.get(`/workspaces/${id}/agents`);
      const agents: Record<string, number> = {};
      for (const name of workers) {
        const fields = { name, role: `You are ${name}.`, model_id: modelId("worker") };
        const agent = await admin.post(`/workspaces/${id}/agents`, fields);
        const wire = { from_agent_id: orchestrator!.id, to_agent_id: agent.id };
        await admin.post(`/workspaces/${id}/wires`, wire);
        agents[name] = agent.id;
      }
      await admin.post(`/workspaces/${id}/gears`, { gear_id: gear.id });
      return { id, orchestratorId: orchestrator!.id, agents };
    },
    open: (workspace, options) => browser.open(service.url, `/workspaces/${workspace.id}`, options),
    async restart(between) {
      await service.end("SIGKILL");
      between?.(data);
      service = await runService({ data, listen: `127.0.0.1:${service.port}` });
    },
    async endTurns() {
      const { admin } = service;
      for (const { id } of await admin.get("/workspaces"))
        for (const turn of await admin.get(`/workspaces/${id}/turns`))
          if (["queued", "running", "waiting"].includes(turn.status))
            await admin.post(`/turns/${turn.id}/cancel`);
    },
    letGearGo: async () => void (await Bun.write(goOn, "")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message the orchestrator" });

/** As a person would: types it, presses Enter, and sees it taken. */
export async function write(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await eventually(() => composer(page).inputValue(), "");
}

/** What an agent said, in one of its bubbles. */
export const bubble = (page: Page, agent: string, text: string): Locator =>
  page.getByRole("article", { name: `${agent} answered` }).filter({ hasText: text });

/** A tool call, by the tool's name. */
export const chip = (page: Page, tool: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^${tool}\\b`) });

/** The conversation ends so many pixels below what is in sight. */
export const belowSight = (page: Page): Promise<number> =>
  page
    .getByRole("group", { name: "Conversation" })
    .evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
