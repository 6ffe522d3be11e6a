// A workspace, and what tests do in it: chat, wait for turns, read what is on record.

import { expect } from "bun:test";
import type { Agent, Wire } from "../../../src/service/blueprint/schema.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import type { Client, StreamEvent } from "../http/client.ts";
import { call, say, type ScriptedModel } from "../model/index.ts";

export abstract class Place {
  abstract readonly admin: Client;
  abstract readonly model: ScriptedModel;
  /** Of a catalogue entry with this name, which is made when it is not there. */
  abstract modelId(name: string): Promise<number>;

  workspaceId = 0;
  orchestratorId = 0;
  /** Ids of the workers, by name. */
  readonly agents: Record<string, number> = {};

  /** The address of the workspace: `admin.get(`${place.own}/turns`)`. */
  get own(): `/workspaces/${number}` {
    return `/workspaces/${this.workspaceId}`;
  }

  /** Goes to a workspace that is there. */
  async enter(workspaceId: number): Promise<this> {
    this.workspaceId = workspaceId;
    this.orchestratorId = (await this.orchestrator()).id;
    return this;
  }

  async orchestrator(): Promise<Agent> {
    return (await this.admin.get(`${this.own}/agents`))[0]!;
  }

  blueprint(as = this.admin) {
    return as.get(`${this.own}/blueprint`);
  }

  /** An agent that no wire leads to yet. Its model has its name unless another is said. */
  async agent(name: string, fields: { model?: string; [field: string]: unknown } = {}): Promise<Agent> {
    const { model = name, ...rest } = fields;
    const model_id = await this.modelId(model);
    const agent = await this.admin.post(`${this.own}/agents`, {
      name,
      role: `You are ${name}.`,
      model_id,
      ...rest,
    });
    this.agents[name] = agent.id;
    return agent;
  }

  wire(from: number, to: number): Promise<Wire> {
    return this.admin.post(`${this.own}/wires`, { from_agent_id: from, to_agent_id: to });
  }

  /** An agent to whom the orchestrator can delegate. */
  async addWorker(name: string, model = name): Promise<number> {
    const { id } = await this.agent(name, { model });
    await this.wire(this.orchestratorId, id);
    return id;
  }

  /** Starts a turn and answers with its record at once. */
  async begin(text: string, fields: Record<string, unknown> = {}): Promise<Turn> {
    return (await this.admin.post(`${this.own}/chat`, { text, ...fields })).turn;
  }

  /** The record of a turn when it is over. */
  async end({ id }: { readonly id: number }, as = this.admin): Promise<Turn> {
    await using reader = await as.events(`/turns/${id}/events`);
    await reader.all();
    return as.get(`/turns/${id}`);
  }

  /** Sends a message and waits for the end of the turn. */
  async chat(text: string): Promise<{ events: StreamEvent[]; turn: Turn }> {
    await using reader = await this.admin.events(`${this.own}/chat`, { method: "POST", body: { text } });
    const events = await reader.all();
    const finished = events.findLast((event) => event.type === "turn.finished");
    if (!finished) throw new Error("the turn did not finish");
    return { events, turn: (finished.data as { data: { turn: Turn } }).data.turn };
  }

  /** Shares the workspace with a new team of these people. */
  async share(...people: readonly { readonly id: number }[]): Promise<number> {
    const name = `team of ${people.map((one) => one.id).join(" and ")}`;
    const { id } = await this.admin.post("/teams", { name });
    for (const one of people) await this.admin.put(`/teams/${id}/members/${one.id}`);
    await this.admin.put(`${this.own}/teams/${id}`);
    return id;
  }

  entries() {
    return this.admin.get(`${this.own}/entries?limit=500`);
  }

  calls(turnId: number) {
    return this.admin.get(`/turns/${turnId}/calls`);
  }

  /** Kind and words of the conversation with the orchestrator. */
  async conversation(): Promise<string[]> {
    return (await this.entries())
      .filter(({ thread }) => thread === 0)
      .map(({ kind, partial, text }) => `${kind}${partial ? " (partial)" : ""}: ${text}`);
  }

  /** The results that the orchestrator gets when it calls these tools, all at once, in a turn that ends well. */
  async callTools(...calls: readonly [tool: string, input: object][]): Promise<string[]> {
    this.model.script("boss", [calls.map(([tool, input]) => call(tool, input)), say("done")]);
    const { turn } = await this.chat("go");
    expect(turn).toMatchObject({ status: "done", error: null });
    return this.model.resultsOf("boss");
  }

  /** Whatever happened before: the next turn is accepted by both protocols' rules and ends well. */
  async expectNextTurnWorks(model = "boss"): Promise<void> {
    this.model.script(model, [say("fine again")]);
    const { turn } = await this.chat("and now?");
    expect(turn).toMatchObject({ status: "done", error: null });
    expect(this.model.problems).toEqual([]);
    expect((await this.conversation()).at(-1)).toBe("agent: fine again");
  }
}
