// Goal: an agent has no durable tools while its prompt contains text from the web or anything derived from it, until a person clears it.

import { expect, test } from "bun:test";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { misfits } from "../../kit/http/event-check.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { found } from "../../kit/service/search-service.ts";
import { searchable, searchLab, type SearchLab } from "../../kit/service/searching.ts";
import { refusal } from "../../kit/http/refusal.ts";

const search = call("web_search", { query: "heron migration 2026" });

/** Runs a turn with one approved search. */
async function searched(lab: SearchLab, text: string): Promise<Turn> {
  const turn = await lab.begin(text);
  await lab.decide((await lab.pending())[0]!, "approve");
  await lab.end(turn);
  return lab.admin.get(`/turns/${turn.id}`);
}

async function plain(lab: SearchLab, text: string): Promise<Turn> {
  const turn = await lab.begin(text);
  await lab.end(turn);
  return lab.admin.get(`/turns/${turn.id}`);
}

const entries = (lab: SearchLab) => lab.admin.get(`${lab.own}/entries?limit=500`);

/** The kind and mark of each entry of the conversation with the orchestrator. */
async function marks(lab: SearchLab): Promise<string[]> {
  const thread = (await entries(lab)).filter((entry) => entry.thread === 0);
  return thread.map((entry) => `${entry.kind}${entry.tainted ? " tainted" : ""}`);
}

const tainted = async (lab: SearchLab) =>
  (await entries(lab)).filter((entry) => entry.tainted && entry.thread === 0 && !entry.forgotten);

/** Reports for each request to a model whether it offered a durable tool. */
const offered = (lab: SearchLab, model = "boss") =>
  lab.model.requestsOf(model).map(({ tools }) => tools.some(({ name }) => name === "file_write"));

test.if(searchable)("lasts across turns until every entry is forgotten or cleared", async () => {
  await using lab = await searchLab();
  await lab.grant();
  lab.model.script("boss", [say("Hi."), search, say("They fly."), say("Yes."), say("Clean.")]);
  expect((await plain(lab, "hello")).tainted).toBe(false);
  expect((await searched(lab, "look")).tainted).toBe(true);
  expect((await plain(lab, "and?")).tainted).toBe(true);
  const before = ["person", "agent", "person", "agent", "tool tainted", "agent tainted"];
  expect(await marks(lab)).toEqual([...before, "person", "agent tainted"]);

  const [result, answer, last] = await tainted(lab);
  await lab.admin.delete(`/entries/${result!.id}`);
  const cleared = await lab.admin.post(`/entries/${answer!.id}/clear-taint`);
  expect(cleared).toEqual({ ...answer!, tainted: false });
  const prompt = await lab.admin.get(`/agents/${lab.orchestratorId}/prompt`);
  expect(prompt.parts.filter((part) => part.tainted).map((part) => part.source)).toEqual([
    `entry:${last!.id}`,
  ]);
  await lab.admin.post(`/entries/${last!.id}/clear-taint`);
  await lab.admin.post(`/entries/${last!.id}/clear-taint`);
  expect((await plain(lab, "now?")).tainted).toBe(false);
  expect(offered(lab)).toEqual([true, true, false, false, true]);

  const records = await lab.admin.get("/audit?action=entry.clear_taint");
  expect(records.map(({ target, content_hash }) => [target, content_hash])).toEqual([
    [`entry:${last!.id}`, sha256Hex(last!.text)],
    [`entry:${answer!.id}`, sha256Hex(answer!.text)],
  ]);
  await using reader = await lab.admin.events(`${lab.own}/events?after=0`);
  await reader.until(({ type, data }) => type === "turn.finished" && data.data.turn.text === "now?");
  expect(misfits(reader.seen)).toEqual([]);
  const told = reader.seen.filter(({ type }) => type === "entry.taint_cleared");
  expect(told.map(({ data }) => data.data.entry_id)).toEqual([answer!.id, last!.id]);
});

test.if(searchable)("clears all marks up to the last entry that a person has read", async () => {
  await using lab = await searchLab();
  await lab.grant();
  lab.model.script("boss", [search, say("They fly."), say("Yes."), say("Clean.")]);
  await searched(lab, "look");
  const [result, answer] = await tainted(lab);
  await plain(lab, "more");
  const path = `${lab.own}/clear-taint` as const;
  expect(await lab.admin.post(path, { through: answer!.id })).toEqual({ cleared: 2, left: 0 });
  // Later entries keep their mark.
  const [later, ...others] = await tainted(lab);
  expect([later!.text, others]).toEqual(["Yes.", []]);
  expect(await lab.admin.post(path, { through: later!.id })).toEqual({ cleared: 1, left: 0 });
  expect(await lab.admin.post(path, { through: later!.id })).toEqual({ cleared: 0, left: 0 });
  expect((await plain(lab, "now?")).tainted).toBe(false);
  const records = await lab.admin.get("/audit?action=workspace.clear_taint");
  expect(records.map(({ detail, content_hash }) => [detail, content_hash])).toEqual([
    [{ first: later!.id, last: later!.id, entries: 1 }, sha256Hex("Yes.")],
    [{ first: result!.id, last: answer!.id, entries: 2 }, sha256Hex(`${result!.text}\n${answer!.text}`)],
  ]);
});

test.if(searchable)("marks an answer even if its tainted input is forgotten meanwhile", async () => {
  await using lab = await searchLab();
  await lab.grant();
  const held = gate();
  const write = call("file_write", { path: "note.md", content: "They fly." });
  lab.model.script("boss", [search, [held, write], say("Written?")]);
  const turn = await lab.begin("look");
  await lab.decide((await lab.pending())[0]!, "approve");
  await held.reached;
  const [result] = await tainted(lab);
  await lab.admin.delete(`/entries/${result!.id}`);
  held.open();
  await lab.end(turn);
  const made = ["agent tainted", "tool tainted", "agent tainted"];
  expect(await marks(lab)).toEqual(["person", "agent", "tool tainted", ...made]);
  expect((await entries(lab)).at(-2)).toMatchObject({ tool: "file_write", outcome: "error" });
});

test.if(searchable)("restores the mark with a forgotten entry", async () => {
  await using lab = await searchLab();
  await lab.grant();
  lab.model.script("boss", [search, say("They fly."), say("Yes.")]);
  await searched(lab, "look");
  const [result, answer] = await tainted(lab);
  for (const { id } of [result!, answer!]) await lab.admin.delete(`/entries/${id}`);
  expect((await lab.admin.post(`/entries/${answer!.id}/restore`)).tainted).toBe(true);
  expect((await plain(lab, "more")).tainted).toBe(true);
});

test.if(searchable)("passes a worker's mark to its caller, but not to another agent's", async () => {
  await using lab = await searchLab();
  const scout = await lab.addWorker("scout");
  await lab.addWorker("scribe");
  await lab.grant(scout);
  const ask = (agent: string) => call("delegate", { agent, task: "work" });
  lab.model.script("boss", [[ask("scout"), ask("scribe")], ask("scribe"), say("Done.")]);
  lab.model.script("scout", [search, say("Found.")]);
  lab.model.script("scribe", [say("Written."), say("Nothing written.")]);
  expect((await searched(lab, "go")).status).toBe("done");
  expect(offered(lab)).toEqual([true, false, false]);
  expect(offered(lab, "scout")).toEqual([true, false]);
  // First called before its caller had read anything, then by one that had.
  expect(offered(lab, "scribe")).toEqual([true, false]);
  const results = (await entries(lab)).filter((entry) => entry.kind === "tool" && entry.tool === "delegate");
  expect(results.map(({ text, tainted: mark }) => [text, mark]).toSorted()).toEqual([
    ["Found.", true],
    ["Nothing written.", true],
    ["Written.", expect.any(Boolean)],
  ]);
});

test.if(searchable)("drops results that arrive after their person lost access", async () => {
  await using lab = await searchLab();
  await lab.grant();
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const held = gate();
  lab.service.answer(async () => {
    held.reach();
    await held.opened;
    return found([{ title: "Herons", url: "https://example.org/", description: "They fly." }]);
  });
  lab.model.script("boss", [search, say("never")]);
  const path = `${lab.own}/chat` as const;
  const { turn } = await ann.post(path, { text: "look" });
  await lab.decide((await lab.pending())[0]!, "approve");
  await held.reached;
  await lab.admin.delete(`/teams/${team}/members/${ann.id}`);
  held.open();
  await lab.end(turn);
  expect(await lab.admin.get(`/turns/${turn.id}`)).toMatchObject({
    status: "cancelled",
    error: "ann lost access to this workspace",
    tainted: false,
  });
  expect((await entries(lab)).filter(({ text }) => text.includes("They fly."))).toEqual([]);
});

test.if(searchable)("lets only people who see the workspace clear marks", async () => {
  await using lab = await searchLab();
  await lab.grant();
  const ann = await lab.user("ann");
  lab.model.script("boss", [search, say("They fly.")]);
  await searched(lab, "look");
  const [result] = await tainted(lab);
  await refusal(
    ann.post(`/entries/${result!.id}/clear-taint`),
    "not_found",
    `entry ${result!.id}: not found`,
  );
});
