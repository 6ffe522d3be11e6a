// Goal: the preview equals the next request, the stored call equals the sent one, and forgetting removes exactly the chosen entries.

import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Prompt } from "../../../src/service/conversation/schema.ts";
import { Call, CallDiff } from "../../../src/service/turns/schema.ts";
import { call, gate, hang, say, type ModelRequest } from "../../kit/model/index.ts";
import { protocols, type World, world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

interface PartView {
  kind: string;
  source: string;
  role: string;
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  call_id: string | null;
  tokens: number;
  droppable: boolean;
}

/** A prompt's parts in the form of a request to the scripted model. */
function asRead(parts: readonly PartView[]) {
  const messages: ReturnType<typeof received>["messages"] = [];
  for (const part of parts.filter((each) => ["user", "assistant", "tool"].includes(each.role))) {
    const role = part.role === "assistant" ? "assistant" : "user";
    if (messages.at(-1)?.role !== role) messages.push({ role, text: "", calls: [], results: [] });
    const last = messages.at(-1)!;
    if (part.role === "tool") last.results.push({ id: part.call_id!, text: part.text });
    else if (part.text !== "") last.text = [last.text, part.text].filter((text) => text !== "").join("\n");
    last.calls.push(
      ...part.calls.map(({ id, name, arguments: json }) => ({ id, name, args: JSON.parse(json) as unknown })),
    );
  }
  const tools = parts.flatMap((part) =>
    part.kind === "tools" ? (JSON.parse(part.text) as { name: string; parameters: unknown }[]) : [],
  );
  return {
    system: parts
      .filter((part) => part.role === "system")
      .map((part) => part.text)
      .join("\n\n"),
    messages,
    tools: tools.map((tool) => ({ name: tool.name, schema: tool.parameters as Record<string, unknown> })),
  };
}

function received(request: ModelRequest) {
  return {
    system: request.system,
    messages: request.messages.map(({ role, text, calls, results }) => ({
      role,
      text,
      calls: calls.map(({ id, name, args }) => ({ id, name, args })),
      results: results.map((result) => ({ id: result.id, text: result.text })),
    })),
    tools: request.tools.map((tool) => ({ name: tool.name, schema: tool.schema })),
  };
}

const preview = async (lab: World, agentId: number) =>
  (await lab.admin.get(`/agents/${agentId}/prompt`)).parts;
const stored = async (lab: World, callId: number) => (await lab.admin.get(`/calls/${callId}`)).parts;
const spoken = (text: string): PartView => ({
  kind: "entry",
  source: "",
  role: "user",
  text,
  calls: [],
  call_id: null,
  tokens: 0,
  droppable: true,
});
const textsOf = (request: ModelRequest) =>
  request.messages.flatMap((message) =>
    [...message.results.map((result) => result.text), message.text].filter((text) => text !== ""),
  );

describe.each(protocols)("%s", (protocol) => {
  test("previews the next request of every agent, and stores every call as received", async () => {
    await using lab = await world({ protocol });
    const [ann, bob] = [await lab.addWorker("ann"), await lab.addWorker("bob")];
    const wires = [
      [ann, bob],
      [ann, lab.orchestratorId],
      [bob, ann],
    ] as const;
    for (const [from_agent_id, to_agent_id] of wires)
      await lab.admin.post(`${lab.own}/wires`, { from_agent_id, to_agent_id });
    expect((await preview(lab, lab.orchestratorId)).map((part) => part.source)).toEqual([
      `agent:${lab.orchestratorId}`,
      "tools",
    ]);
    const delegate = (agent: string) => call("delegate", { agent, task: `for ${agent}` });
    lab.model.script("boss", [
      [say("I ask."), delegate("ann"), call("model_list")],
      say("Done."),
      say("Bye."),
    ]);
    lab.model.script("ann", [[delegate("bob")], say("ann says so")]);
    lab.model.script("bob", [say("bob says so")]);
    const before = { boss: await preview(lab, lab.orchestratorId), ann: await preview(lab, ann) };
    const { turn } = await lab.chat("hello");
    expect(received(lab.model.requestsOf("boss")[0]!)).toEqual(asRead([...before.boss, spoken("hello")]));
    expect(received(lab.model.requestsOf("ann")[0]!)).toEqual(asRead([...before.ann, spoken("for ann")]));
    const calls = await lab.calls(turn.id);
    const sent = await Promise.all(calls.map((each) => stored(lab, each.id)));
    expect(sent.map(asRead)).toEqual(lab.model.requests.map(received));
    const then = await preview(lab, lab.orchestratorId);
    await lab.chat("and?");
    expect(received(lab.model.requests.at(-1)!)).toEqual(asRead([...then, spoken("and?")]));
    expect(then.every((part) => part.tokens > 0)).toBe(true);
  });

  test("shows the difference between two calls", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [call("model_list"), say("Done.")]);
    const { turn } = await lab.chat("hello");
    const [first, second] = await lab.calls(turn.id);
    const diff = await lab.admin.get(`/calls/${first!.id}/diff?to=${second!.id}`);
    expect(diff).toMatchObject({
      from: first!.id,
      to: second!.id,
      same: 3,
      changes: [
        { change: "added", source: "entry:2" },
        { change: "added", source: "entry:3" },
      ],
    });
    // They are generated while sent, without the check of other responses.
    const paths = [`/agents/${lab.orchestratorId}/prompt`, `/calls/${first!.id}`];
    const answers = await Promise.all(paths.map((path) => lab.admin.get(path)));
    for (const [index, schema] of [Prompt, Call, CallDiff].entries())
      expect([...Value.Errors(schema, [...answers, diff][index])]).toEqual([]);
    const back = await lab.admin.get(`/calls/${second!.id}/diff?to=${first!.id}`);
    expect(back.changes.map((each) => each.change)).toEqual(["removed", "removed"]);
  });

  test("omits forgotten entries and sends restored ones, without changing stored calls", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [
      [say("I look."), call("model_list")],
      say("Seen."),
      say("Two."),
      say("Three."),
      say("Four."),
      say("Five."),
    ]);
    const { turn } = await lab.chat("one");
    const [person, asked, result, answer] = (await lab.entries()).map((entry) => entry.id);
    const forget = (id: number | undefined) => lab.admin.delete(`/entries/${id}`);
    const restore = (id: number | undefined) => lab.admin.post(`/entries/${id}/restore`);
    const sentTo = async (text: string) => {
      await lab.chat(text);
      return textsOf(lab.model.requests.at(-1)!);
    };
    await forget(result);
    expect(await sentTo("two")).toEqual(["one", "I look.", "(This result was forgotten.)", "Seen.", "two"]);
    await forget(asked);
    expect(await sentTo("three")).toEqual(["one", "Seen.", "two", "Two.", "three"]);
    await forget(person);
    expect(await sentTo("four")).toEqual(["two", "Two.", "three", "Three.", "four"]);
    for (const id of [person, asked, result]) await restore(id);
    await forget(answer);
    const all = await sentTo("five");
    expect(all.slice(0, 4)).toEqual(["one", "I look.", expect.stringContaining("boss"), "two"]);
    expect(lab.model.problems).toEqual([]);
    const [, second] = await lab.calls(turn.id);
    expect(asRead(await stored(lab, second!.id))).toEqual(received(lab.model.requests[1]!));
  });

  test("makes a valid request after forgetting everything, even during a turn", async () => {
    await using lab = await world({ protocol });
    const held = gate();
    lab.model.script("boss", [say("one"), [held, call("model_list")], say("two")]);
    await lab.chat("first");
    const turn = await lab.begin("second");
    await held.reached;
    const entries = await lab.entries();
    await lab.admin.delete(`/entries/${entries.at(-1)!.id}`);
    held.open();
    expect(await lab.end(turn)).toMatchObject({ status: "done", error: null });
    for (const entry of await lab.entries()) await lab.admin.delete(`/entries/${entry.id}`);
    await lab.expectNextTurnWorks();
    expect(textsOf(lab.model.requests.at(-1)!)).toEqual(["and now?"]);
  });

  test("resumes a cancelled turn whose message was forgotten", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [say("one"), hang(), say("two")]);
    await lab.chat("first");
    const turn = await lab.begin("second");
    await lab.model.waitFor(2);
    await lab.admin.post(`/turns/${turn.id}/cancel`);
    await lab.admin.delete(`/entries/${(await lab.entries()).at(-1)!.id}`);
    await lab.admin.post(`/turns/${turn.id}/resume`);
    expect(await lab.end(turn)).toMatchObject({ status: "done", error: null });
    expect(textsOf(lab.model.requests.at(-1)!)).toEqual(["first", "one", "(Continue from here.)"]);
    expect(lab.model.problems).toEqual([]);
  });
});

test.each(protocols)(
  "%s: puts bound instructions, unchanged, between the role and the conversation of the right agents",
  async (protocol) => {
    await using lab = await world({ protocol });
    const ann = await lab.addWorker("ann");
    const make = (name: string, text: string) => lab.admin.post("/instructions", { name, text });
    const [style, manners] = [await make("style", "Be long."), await make("manners", "Say please.")];
    const bind = (instruction_id: number, agent_id: number | null) =>
      lab.admin.post(`${lab.own}/instructions`, { instruction_id, agent_id });
    await bind(style.id, null);
    await bind(manners.id, ann);
    await lab.admin.put(`/instructions/${style.id}`, { text: "Be brief." });
    const [boss] = await lab.admin.get(`${lab.own}/agents`);
    lab.model.script("boss", [call("delegate", { agent: "ann", task: "Look." }), say("Done."), say("Bye.")]);
    lab.model.script("ann", [say("Looked.")]);
    const before = { boss: await preview(lab, lab.orchestratorId), ann: await preview(lab, ann) };
    const head = (parts: readonly PartView[]) =>
      parts.slice(0, -1).map(({ kind, source, role, text }) => ({ kind, source, role, text }));
    const system = (kind: string, source: string, text: string) => ({ kind, source, role: "system", text });
    expect(before.boss.map(({ kind, droppable }) => [kind, droppable])).toEqual([
      ["role", false],
      ["instruction", true],
      ["tools", false],
    ]);
    const brief = system("instruction", "instruction:style@v2", "Be brief.");
    expect(head(before.boss)).toEqual([system("role", `agent:${lab.orchestratorId}`, boss!.role), brief]);
    expect(head(before.ann)).toEqual([
      system("role", `agent:${ann}`, "You are ann."),
      brief,
      system("instruction", "instruction:manners@v1", "Say please."),
    ]);
    expect([before.boss.at(-1)!.source, before.ann.at(-1)!.source]).toEqual(["tools", "tools"]);

    const { turn } = await lab.chat("hello");

    const [toBoss] = lab.model.requestsOf("boss");
    const [toAnn] = lab.model.requestsOf("ann");
    expect(toBoss!.system).toBe(`${boss!.role}\n\nBe brief.`);
    expect(toAnn!.system).toBe("You are ann.\n\nBe brief.\n\nSay please.");
    expect(received(toBoss!)).toEqual(asRead([...before.boss, spoken("hello")]));
    expect(received(toAnn!)).toEqual(asRead([...before.ann, spoken("Look.")]));
    const [first] = await lab.calls(turn.id);
    expect((await stored(lab, first!.id)).map((part) => part.source)).toEqual([
      `agent:${lab.orchestratorId}`,
      "instruction:style@v2",
      "tools",
      "entry:1",
    ]);
    const bindings = await lab.admin.get(`${lab.own}/instructions`);
    for (const { id } of bindings) await lab.admin.delete(`/instruction-bindings/${id}`);
    await lab.chat("and?");
    expect(lab.model.requests.at(-1)!.system).toBe(boss!.role);
    expect(lab.model.problems).toEqual([]);
  },
);

test.each(protocols)(
  "%s: sends a model's output limit with every call, or leaves it to the provider",
  async (protocol) => {
    await using lab = await world({ protocol });
    const limited = await lab.addModel("limited", { output_tokens: 1234 });
    lab.model.on("boss", say("ok")).on("limited", say("ok"));
    const limits = () => lab.model.requests.map(({ raw }) => raw["max_tokens"]);
    await lab.chat("as it is");
    await lab.admin.patch(`/agents/${lab.orchestratorId}`, { model_id: limited });
    await lab.chat("limited");
    await lab.admin.patch(`/models/${limited}`, { output_tokens: 99 });
    await lab.chat("limited more");
    await lab.admin.patch(`/models/${limited}`, { output_tokens: null });
    await lab.chat("as it is");
    // The first protocol requires a number: its library's default for an unknown model.
    const own = protocol === "anthropic" ? 4096 : undefined;
    expect(limits()).toEqual([own, 1234, 99, own]);
    expect(lab.model.problems).toEqual([]);
  },
);

test("puts stable parts first and marks them for the provider's cache", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [call("model_list"), say("Done.")]);
  await lab.chat("hello");
  const marks = (value: unknown): number => (JSON.stringify(value).match(/"cache_control"/g) ?? []).length;
  for (const { raw } of lab.model.requests) {
    expect(Object.keys(raw).indexOf("system")).toBeLessThan(Object.keys(raw).indexOf("messages"));
    expect((raw["system"] as { cache_control: unknown }[]).at(-1)!.cache_control).toEqual({
      type: "ephemeral",
    });
    const last = (raw["messages"] as { content: { cache_control?: unknown }[] }[]).at(-1)!;
    expect(last.content.at(-1)!.cache_control).toEqual({ type: "ephemeral" });
    expect([marks(raw), marks(raw["messages"])]).toEqual([2, 1]);
  }
  const [first, second] = lab.model.requests.map(({ raw }) => JSON.stringify([raw["system"], raw["tools"]]));
  expect(second).toBe(first!);
});

test("refuses to forget a worker's entries, which are not replayed", async () => {
  await using lab = await world({ model: true });
  await lab.addWorker("ann");
  lab.model.script("boss", [call("delegate", { agent: "ann", task: "x" }), say("Done.")]);
  lab.model.script("ann", [say("I did.")]);
  await lab.chat("hello");
  const entry = (await lab.entries()).find((each) => each.text === "I did.")!;
  await refusal(lab.admin.delete(`/entries/${entry.id}`), "refused");
  await refusal(lab.admin.delete("/entries/9999"), "not_found", "entry 9999: not found");
});
