// Goal: tokens and costs are counted as providers report them, missing reports do not count as zero, and budgets hold.

import { describe, expect, test } from "bun:test";
import {
  call,
  errorInStream,
  hang,
  noUsage,
  repeatedUsage,
  say,
  splitUsage,
  usage,
} from "../../kit/model/index.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { DAY_MS, manualClock } from "../../kit/manual-clock.ts";
import { type Protocol, protocols, type World, world } from "../../kit/service/world.ts";

const usageOf = (lab: World) => lab.admin.get(`${lab.own}/usage`);
const delegate = (agent: string) => call("delegate", { agent, task: "x" });
const tokens = (input: number, output: number, cached = 0) => usage({ input, output, cached });

async function price(lab: World, name: string, fields: Record<string, number | null>): Promise<void> {
  const models = await lab.admin.get("/models");
  await lab.admin.patch(`/models/${models.find((model) => model.model_name === name)!.id}`, fields);
}

describe.each(protocols)("%s", (protocol) => {
  test("sums tokens, shares and costs of every agent", async () => {
    await using lab = await world({ protocol });
    await lab.addWorker("ann");
    await price(lab, "boss", { input_price: 10, cached_input_price: 1, output_price: 50 });
    lab.model.script("boss", [
      [delegate("ann"), tokens(1000, 100, 400)],
      [say("done"), tokens(2000, 200)],
    ]);
    lab.model.script("ann", [[say("ok"), tokens(600, 100)]]);
    await lab.chat("go");
    const cost = (600 * 10 + 400 * 1 + 100 * 50 + 2000 * 10 + 200 * 50) / 1e6;
    const boss = {
      calls: 2,
      unreported_calls: 0,
      input_tokens: 3000,
      cached_input_tokens: 400,
      output_tokens: 300,
      unpriced_calls: 0,
    };
    const ann = {
      calls: 1,
      unreported_calls: 0,
      input_tokens: 600,
      cached_input_tokens: 0,
      output_tokens: 100,
      unpriced_calls: 1,
    };
    const seen = await usageOf(lab);
    expect(seen).toMatchObject({
      calls: 3,
      input_tokens: 3600,
      cached_input_tokens: 400,
      output_tokens: 400,
      unpriced_calls: 1,
      unreported_calls: 0,
    });
    expect(seen.agents).toMatchObject([
      { agent: "orchestrator", ...boss, share: 0.825 },
      { agent: "ann", ...ann, cost: null, share: 0.175 },
    ]);
    expect([seen.cost, seen.agents[0]!.cost]).toEqual([cost, cost]);
  });

  test("counts repeated or split reports once", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [
      [say("a b c d"), repeatedUsage({ input: 100, output: 20 })],
      [say("a b"), splitUsage({ input: 100, output: 20 })],
    ]);
    const [first, second] = [(await lab.chat("1")).turn, (await lab.chat("2")).turn];
    expect(await lab.calls(first.id)).toMatchObject([{ input_tokens: 100, output_tokens: 20 }]);
    expect(await lab.calls(second.id)).toMatchObject([{ input_tokens: 100, output_tokens: 20 }]);
  });
});

test("sums costs and checks budgets in decimal", async () => {
  await using lab = await world({ model: true });
  await price(lab, "boss", { input_price: 0.1, output_price: 0 });
  await lab.admin.patch(lab.own, { budget: { cost_per_day: 0.3 } });
  lab.model.on("boss", [say("ok"), tokens(1_000_000, 1)]);
  for (let n = 0; n < 3; n++) expect((await lab.chat("go")).turn.status).toBe("done");
  expect(await usageOf(lab)).toMatchObject({ cost: 0.3, today: { cost: 0.3 } });
  expect((await lab.chat("go")).turn).toMatchObject({
    status: "failed",
    error: "the money budget for a day (0.3) of the workspace is used up",
  });
});

test("does not count a missing report as zero", async () => {
  await using lab = await world({ protocol: "openai-compatible" });
  await price(lab, "boss", { input_price: 10, output_price: 50 });
  expect(await usageOf(lab)).toMatchObject({
    calls: 0,
    cost: null,
    agents: [{ calls: 0, share: null, cost: null }],
  });
  lab.model.script("boss", [[say("hello"), noUsage()]]);
  const { turn } = await lab.chat("go");
  expect(turn.status).toBe("done");
  expect(await lab.calls(turn.id)).toMatchObject([
    { input_tokens: null, cached_input_tokens: null, output_tokens: null, cost: null },
  ]);
  expect(await usageOf(lab)).toMatchObject({
    calls: 1,
    unreported_calls: 1,
    unpriced_calls: 1,
    cost: null,
    today: { tokens: 0, cost: null, unpriced_calls: 1 },
    agents: [{ unreported_calls: 1, share: null }],
  });
});

test("counts today's usage with delegates, from midnight UTC", async () => {
  const clock = manualClock();
  await using lab = await world({ model: true, clock });
  await lab.addWorker("ann");
  await price(lab, "boss", { input_price: 10, output_price: 10 });
  await lab.admin.patch(lab.own, { budget: { tokens_per_day: 260 } });
  lab.model.script("boss", [
    [delegate("ann"), tokens(40, 10)],
    [say("done"), tokens(90, 10)],
  ]);
  lab.model.script("ann", [[say("ok"), tokens(90, 10)]]);
  const today = async () => {
    const { agents, ...whole } = await usageOf(lab);
    return [whole, ...agents].map((each) => each.today);
  };
  const nothing = { tokens: 0, cost: 0, unpriced_calls: 0 };
  expect(await today()).toEqual([nothing, nothing, nothing]);
  await lab.chat("go");
  const whole = { tokens: 250, cost: 0.0015, unpriced_calls: 1 };
  expect(await today()).toEqual([whole, whole, { tokens: 100, cost: null, unpriced_calls: 1 }]);
  lab.model.script("boss", [
    [say("the last of this day"), tokens(9, 1)],
    [say("of the next"), tokens(1, 1)],
  ]);
  expect((await lab.chat("2")).turn.status).toBe("done");
  expect((await lab.chat("3")).turn).toMatchObject({
    status: "failed",
    error: "the token budget for a day (260) of the workspace is used up",
  });
  clock.advance(DAY_MS / 2 - 1);
  expect((await today())[0]).toEqual({ tokens: 260, cost: 0.0016, unpriced_calls: 1 });
  clock.advance(1);
  expect(await today()).toEqual([nothing, nothing, nothing]);
  expect((await lab.chat("4")).turn.status).toBe("done");
  expect((await today())[0]).toEqual({ tokens: 2, cost: 0.00002, unpriced_calls: 0 });
});

interface BudgetCase {
  name: string;
  at: "agent" | "workspace" | "worker";
  budget: Record<string, number>;
  says: string;
}

const budgets: BudgetCase[] = [
  {
    name: "the agent's tokens per turn",
    at: "agent",
    budget: { tokens_per_turn: 100 },
    says: 'the token budget for a turn (100) of agent "orchestrator" is used up',
  },
  {
    name: "the workspace's tokens per day",
    at: "workspace",
    budget: { tokens_per_day: 100 },
    says: "the token budget for a day (100) of the workspace is used up",
  },
  {
    name: "the workspace's cost per turn",
    at: "workspace",
    budget: { cost_per_turn: 0.001 },
    says: "the money budget for a turn (0.001) of the workspace is used up",
  },
  {
    name: "the agent's cost per day",
    at: "agent",
    budget: { cost_per_day: 0.001 },
    says: 'the money budget for a day (0.001) of agent "orchestrator" is used up',
  },
];

async function budgeted(
  protocol: Protocol,
  { at, budget }: Pick<BudgetCase, "at" | "budget">,
): Promise<World> {
  const lab = await world({ protocol });
  const ann = await lab.addWorker("ann");
  for (const name of ["boss", "ann"]) await price(lab, name, { input_price: 10, output_price: 10 });
  const path = at === "workspace" ? lab.own : `/agents/${at === "worker" ? ann : lab.orchestratorId}`;
  await lab.admin.patch(path, { budget });
  return lab;
}

test("counts the tokens that were reported for an answer that was never complete", async () => {
  await using lab = await world({ model: true, protocol: "anthropic" });
  await lab.admin.patch(lab.own, { budget: { tokens_per_day: 900 } });
  lab.model.script("boss", [
    [say("Half an"), tokens(400, 7), errorInStream("overloaded")],
    [say("Half an"), splitUsage({ input: 70, output: 7 }), errorInStream("overloaded")],
    [say("Half an"), tokens(500, 7), hang()],
  ]);
  expect((await lab.chat("go")).turn.status).toBe("failed");
  expect((await lab.chat("go")).turn.status).toBe("failed");
  const turn = await lab.begin("go");
  await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
  await viewer.until((event) => ["delta", "partial"].includes(event.type));
  await lab.admin.post(`/turns/${turn.id}/cancel`);
  expect(await usageOf(lab)).toMatchObject({
    calls: 3,
    unreported_calls: 1,
    input_tokens: 900,
    output_tokens: 0,
  });
  expect((await lab.chat("go")).turn).toMatchObject({
    status: "failed",
    error: "the token budget for a day (900) of the workspace is used up",
  });
});

describe.each(protocols)("budget, %s", (protocol) => {
  test.each(budgets)(
    "$name: counts a worker's usage, and allows one last answer at the limit",
    async ({ at, budget, says }) => {
      await using lab = await budgeted(protocol, { at, budget });
      lab.model.script("boss", [
        [delegate("ann"), tokens(40, 10)],
        [say("I had to stop."), tokens(1, 1)],
      ]);
      lab.model.script("ann", [[say("ok"), tokens(90, 10)]]);
      const { turn, events } = await lab.chat("go");
      expect(turn).toMatchObject({ status: "done", error: null });
      const last = lab.model.requestsOf("boss")[1]!;
      expect(last.toolChoice).toBe("none");
      expect(last.messages.at(-1)!.text).toBe(
        `Stop here: ${says}. You can no longer call tools. Answer now with what you have, and say what is left undone.`,
      );
      expect(
        events.filter((event) => event.data.data?.limit !== undefined).map((event) => event.data.data.limit),
      ).toEqual([says]);
      lab.model.script("boss", [say("fresh")]);
      const next = (await lab.chat("next")).turn;
      if (says.includes("a day")) expect(next).toMatchObject({ status: "failed", error: says });
      else expect(next).toMatchObject({ status: "done", error: null });
      expect(lab.model.problems).toEqual([]);
    },
  );

  test("ends a worker at its own budget, but not its caller", async () => {
    await using lab = await budgeted(protocol, { at: "worker", budget: { tokens_per_turn: 50 } });
    lab.model.script("boss", [
      [delegate("ann"), tokens(500, 10)],
      [delegate("ann"), tokens(500, 10)],
      say("done"),
    ]);
    lab.model.script("ann", [[say("ok"), tokens(90, 10)]]);
    const { turn } = await lab.chat("go");
    expect(turn.status).toBe("done");
    const results = lab.model
      .requestsOf("boss")
      .slice(1)
      .map((request) => request.messages.at(-1)!.results[0]!.text);
    expect(results).toEqual([
      "ok",
      'Agent "ann" failed: the token budget for a turn (50) of agent "ann" is used up',
    ]);
  });
});

test("sums usage by day, for each agent or model; an unknown cost is never zero", async () => {
  const clock = manualClock();
  await using lab = await world({ model: true, clock });
  const { admin, own, orchestratorId } = lab;
  await lab.addWorker("scribe");
  lab.model.script("boss", [
    call("delegate", { agent: "scribe", task: "Write." }),
    say("Done."),
    say("Again."),
  ]);
  lab.model.script("worker", [say("Written.")]);
  await lab.chat("go");
  clock.advance(DAY_MS);
  await lab.chat("once more");
  const days = async (query: string) => (await admin.get(`${own}/usage/days?${query}`)).rows;
  const total = await admin.get(`${own}/usage`);
  const byAgent = await days("by=agent");
  expect(byAgent.map(({ day, name, calls }) => [day, name, calls]).toSorted()).toEqual([
    ["2026-01-01", "orchestrator", 2],
    ["2026-01-01", "scribe", 1],
    ["2026-01-02", "orchestrator", 1],
  ]);
  const sum = (rows: typeof byAgent, of: "input_tokens" | "output_tokens" | "calls") =>
    rows.reduce((all, row) => all + row[of], 0);
  const byModel = await days("by=model");
  for (const rows of [byAgent, byModel])
    for (const of of ["input_tokens", "output_tokens", "calls"] as const)
      expect(sum(rows, of)).toBe(total[of]);
  expect(byModel.map(({ name }) => name).toSorted()).toEqual(["boss", "boss", "scribe"]);
  // No model has a price.
  expect(byAgent.map(({ cost, unpriced_calls: unknown }) => [cost, unknown]).toSorted()).toEqual([
    [null, 1],
    [null, 1],
    [null, 2],
  ]);
  // The last day alone, and a removed agent by its name.
  expect((await days("days=1")).map(({ day, id }) => [day, id])).toEqual([["2026-01-02", orchestratorId]]);
  const member = await lab.user("mira");
  await refusal(member.get(`${own}/usage/days`), "not_found", `workspace ${lab.workspaceId}: not found`);
});
