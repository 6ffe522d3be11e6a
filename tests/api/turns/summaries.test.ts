// Goal: the turns of a workspace are listed with their agents, tokens and cost, filtered by status, agent and text, and exported as JSON and CSV.

import { expect, test } from "bun:test";
import { call, say } from "../../kit/model/index.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { world } from "../../kit/service/world.ts";

async function threeTurns() {
  const lab = await world({ model: true, workers: ["scout"], people: { ann: "member" } });
  lab.model.script("boss", [
    say("One."),
    [call("delegate", { agent: "scout", task: "Look." })],
    say("Seen."),
    say("Three."),
  ]);
  lab.model.script("scout", [say("A heron.")]);
  for (const text of ["=1+1 count birds", "Where is the heron?", "the last one"]) await lab.chat(text);
  return lab;
}

test("lists what turns took, newest first, in pages, by filters", async () => {
  await using lab = await threeTurns();
  const list = (query = "limit=50") => lab.admin.get(`${lab.own}/turns/summaries?${query}`);
  const numbers = async (query: string) => (await list(query)).turns.map(({ number }) => number);
  const all = await list();
  expect(all.before).toBeNull();
  expect(all.turns.map(({ number, agents, calls, status }) => ({ number, agents, calls, status }))).toEqual([
    { number: 3, agents: ["orchestrator"], calls: 1, status: "done" },
    { number: 2, agents: ["orchestrator", "scout"], calls: 3, status: "done" },
    { number: 1, agents: ["orchestrator"], calls: 1, status: "done" },
  ]);
  const second = all.turns[1]!;
  const sent = await lab.calls(second.id);
  const sum = (values: readonly (number | null)[]) =>
    values.reduce<number>((total, one) => total + (one ?? 0), 0);
  expect([second.input_tokens, second.output_tokens, second.cost, second.unpriced_calls]).toEqual([
    sum(sent.map(({ input_tokens: tokens }) => tokens)),
    sum(sent.map(({ output_tokens: tokens }) => tokens)),
    null,
    3,
  ]);
  expect(await numbers(`agent_id=${lab.agents["scout"]}`)).toEqual([2]);
  expect(await numbers("text=HERON+where")).toEqual([2]);
  expect(await numbers("text=admin")).toEqual([3, 2, 1]);
  expect(await numbers("status=failed")).toEqual([]);
  const page = await list("limit=2");
  expect(page.turns.map(({ number }) => number)).toEqual([3, 2]);
  expect(await numbers(`limit=2&before=${page.before}`)).toEqual([1]);
  await refusal(lab.people.ann.get(`${lab.own}/turns/summaries`), "not_found");
  await refusal(lab.admin.get(`${lab.own}/turns/summaries?status=nothing` as never), "invalid");
});

test("exports them; no message runs as a formula", async () => {
  await using lab = await threeTurns();
  const csv = await lab.admin.raw("GET", `${lab.own}/turns/export?format=csv`);
  expect([csv.headers.get("content-type"), csv.headers.get("content-disposition")]).toEqual([
    "text/csv; charset=utf-8",
    `attachment; filename="turns-${lab.workspaceId}.csv"`,
  ]);
  const lines = (await csv.text()).trimEnd().split("\r\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toStartWith("number,status,truncated,user_name,text,");
  expect(lines[3]).toStartWith("1,done,false,admin,'=1+1 count birds,");
  expect(lines[2]).toContain('"orchestrator, scout",3,');
  const json = await lab.admin.raw("GET", `${lab.own}/turns/export?format=json&text=heron`);
  expect(json.headers.get("content-disposition")).toBe(
    `attachment; filename="turns-${lab.workspaceId}.json"`,
  );
  expect(await json.json()).toMatchObject({ workspace_id: lab.workspaceId, turns: [{ number: 2 }] });
  await refusal(lab.people.ann.get(`${lab.own}/turns/export?format=json`), "not_found");
});
