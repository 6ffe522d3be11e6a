// Goal: the conversation is in the order of requests, workers appear under their call, unchanged items keep their identity, and adding an
// entry to ten thousand reads no other turn.

import { beforeAll, describe, expect, test } from "bun:test";
import type { Approval, DecisionRecord } from "../../../src/service/approvals/schema.ts";
import type { WorkspaceEvent } from "../../../src/service/events.ts";
import { reduce, reduceAll } from "../../../web/state/reducer.ts";
import { chipState } from "../../../web/state/tool-state.ts";
import { type Bubble, createTranscript, type Item } from "../../../web/state/transcript.ts";
import { stateOf, type WorkspaceState } from "../../../web/state/workspace-state.ts";
import { type Recording, recordedTurns } from "../../kit/service/recorded-turns.ts";
import { entryOf, TIME, turnOf } from "../../kit/service/shown-records.ts";

const ENTRIES = 10_000;

let recording: Recording;
beforeAll(async () => {
  recording = await recordedTurns();
});

const DECISION: DecisionRecord = {
  id: 1,
  kind: "grant",
  subject_id: 1,
  decision: "granted",
  by: "admin",
  auth: "loopback",
  reason: null,
  time: "2026-01-01T00:00:00.000Z",
  subject: null,
  version: null,
  content_hash: null,
  agent: null,
  agent_id: 1,
  requested_at: null,
  turn_id: null,
};

const transcriptOf = (state: WorkspaceState) => createTranscript()(state);

/** One readable line per item. */
function read(items: readonly Item[], state: WorkspaceState): string[] {
  const name = (id: number) => state.agentNames.get(id);
  return items.map((item) => {
    if (item.kind === "message") return `${item.userName}: ${item.text}`;
    if (item.kind === "decided")
      return item.decisions.map(({ decision, by }) => `${decision} by ${by}`).join(", ");
    if (item.kind === "queued") return `queued: ${item.turn.text}`;
    if (item.kind === "end") return `${item.turn.status}${item.last ? ", last" : ""}: ${item.turn.error}`;
    const said = item.segments.map(({ entry, chips }) =>
      [entry.text, ...chips.map((chip) => `[${chip.tool} ${chipState(chip, item, state)}]`)].join(""),
    );
    const caller = item.callerId === undefined ? "" : ` for ${name(item.callerId)}`;
    return `${"  ".repeat(item.depth)}${name(item.agentId)}${caller}: ${said.join(" / ")}${item.live ? " …" : ""}${item.failure ? ` !${item.failure.text}` : ""}`;
  });
}

const WHOLE = [
  "admin: Do it.",
  "orchestrator: I ask both.[delegate ok][delegate ok][file_list ok]",
  "  scout for orchestrator: Nothing to see.",
  "  scribe for orchestrator: I write.[file_write ok] / Written.",
  "orchestrator: One more thing.[file_list ok] / Here it is.",
  "admin: Again.",
  expect.stringMatching(/^failed: .*the prompt is not to my taste/) as unknown as string,
  "admin: Make one.",
  "orchestrator: [agent_create ok] / [agent_remove ok] / Made and removed.",
];

describe("recorded turns", () => {
  test("are in order, from a snapshot and from events", () => {
    const late = stateOf(recording.after);
    expect(read(transcriptOf(late), late)).toEqual(WHOLE);
    const live = reduceAll(stateOf(recording.before), recording.events);
    expect(read(transcriptOf(live), live)).toEqual(WHOLE);
  });

  test("only add keys in place, event by event, and keep the identity of unaffected items", () => {
    const transcript = createTranscript();
    let state = stateOf(recording.before);
    let before = transcript(state);
    for (const event of recording.events) {
      state = reduce(state, event);
      const now = transcript(state);
      const keys = now.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      // An agent that failed before speaking disappears.
      const saidNothing = (item: Item) => item.kind === "bubble" && item.live && item.segments.length === 0;
      const stayed = before.filter((item) => !saidNothing(item) || keys.includes(item.key));
      // Earlier items are still there, in the same order.
      expect(keys.filter((key) => stayed.some((item) => item.key === key))).toEqual(
        stayed.map(({ key }) => key),
      );
      if (event.id === null) {
        const changed = now.filter((item) => !before.includes(item));
        // A streamed word creates at most its own bubble.
        expect(changed.length).toBeLessThanOrEqual(1);
      }
      before = now;
    }
    expect(transcript(state)).toBe(before);
  });

  test("return the same list for a state without visible changes", () => {
    const transcript = createTranscript();
    const state = stateOf(recording.after);
    const items = transcript(state);
    expect(transcript({ ...state, usageChanges: 9, savedFiles: new Map() })).toBe(items);
  });

  test("keep the key of an answer from streaming to its record", () => {
    const transcript = createTranscript();
    let state = stateOf(recording.before);
    const spoken = new Map<number, string[]>();
    for (const event of recording.events) {
      state = reduce(state, event);
      const live = transcript(state).filter((item): item is Bubble => item.kind === "bubble" && item.live);
      for (const bubble of live) {
        if (!state.speech.has(bubble.runId)) continue;
        spoken.set(bubble.runId, [...new Set([...(spoken.get(bubble.runId) ?? []), bubble.key])]);
      }
    }
    const keys = new Set(transcript(state).map(({ key }) => key));
    expect(spoken.size).toBeGreaterThan(2);
    for (const key of [...spoken.values()].flat()) expect(keys.has(key)).toBe(true);
  });
});

// Hand-made states: rare or long ones.

function stateWith(fields: Partial<WorkspaceState>): WorkspaceState {
  const agentNames = new Map([
    [1, "orchestrator"],
    [2, "scout"],
    [3, "scribe"],
  ]);
  return { ...stateOf(recording.before), agentNames, ...fields };
}

const delegate = (id: string, agent: string) => ({
  id,
  name: "delegate",
  arguments: JSON.stringify({ agent, task: "t" }),
});

describe("workers", () => {
  test("are in the order of their calls even if the second one starts and ends first; nested workers are below", () => {
    const entries = [
      entryOf(1, "person"),
      entryOf(2, "agent", { calls: [delegate("c1", "scout"), delegate("c2", "scribe")] }),
      entryOf(3, "task", { run_id: 20, agent_id: 3, thread: 20, call_id: "c2" }),
      entryOf(4, "task", { run_id: 10, agent_id: 2, thread: 10, call_id: "c1" }),
      entryOf(5, "agent", { run_id: 20, agent_id: 3, thread: 20 }),
      entryOf(6, "tool", { call_id: "c2", tool: "delegate", outcome: "ok" }),
      entryOf(7, "agent", { run_id: 10, agent_id: 2, thread: 10, calls: [delegate("c3", "scribe")] }),
      entryOf(8, "task", { run_id: 30, agent_id: 3, thread: 30, call_id: "c3" }),
    ];
    const state = stateWith({
      entries,
      turns: [turnOf(1, { status: "running", finished_at: null })],
      runs: new Map([
        [30, { id: 30, turnId: 1, agentId: 3, state: "waiting", since: TIME, limit: undefined }],
      ]),
    });
    expect(read(transcriptOf(state), state)).toEqual([
      "admin: person 1",
      "orchestrator: agent 2[delegate waiting][delegate ok]",
      "  scout for orchestrator: agent 7[delegate waiting]",
      "    scribe for scout:  …",
      "  scribe for orchestrator: agent 5",
    ]);
  });

  test("that failed say why, after their last answer and the workers below it", () => {
    const scribe = { run_id: 20, agent_id: 3, thread: 20 };
    const entries = [
      entryOf(1, "agent", { calls: [delegate("c1", "scribe")] }),
      entryOf(2, "task", { ...scribe, call_id: "c1" }),
      entryOf(3, "agent", { ...scribe, calls: [delegate("c2", "scout")] }),
      entryOf(4, "task", { run_id: 30, agent_id: 2, thread: 30, call_id: "c2" }),
      entryOf(6, "tool", { outcome: "error", call_id: "c1", text: "too long" }),
    ];
    const state = stateWith({ entries });
    expect(read(transcriptOf(state), state)).toEqual([
      "orchestrator: agent 1[delegate error]",
      "  scribe for orchestrator: agent 3[delegate interrupted]",
      "    scout for scribe: ",
      "  scribe for orchestrator:  !too long",
    ]);
  });

  test("are shown even if their records do not name the call", () => {
    const entries = [
      entryOf(1, "person"),
      entryOf(2, "agent", { calls: [delegate("c1", "scout")] }),
      entryOf(3, "task", { run_id: 10, agent_id: 2, thread: 10 }),
      entryOf(4, "agent", { run_id: 10, agent_id: 2, thread: 10 }),
      entryOf(5, "tool", { call_id: "c1", outcome: "ok" }),
    ];
    const state = stateWith({ entries, turns: [turnOf(1)] });
    expect(read(transcriptOf(state), state)).toEqual([
      "admin: person 1",
      "orchestrator: agent 2[delegate ok]",
      "  scout: agent 4",
    ]);
  });
});

describe("turns that are not simply done", () => {
  test("mark a call without a result as interrupted; offer actions only at the end of the last turn", () => {
    const entries = [
      entryOf(1, "person"),
      entryOf(2, "agent", { calls: [{ id: "c1", name: "count_words", arguments: "{}" }] }),
      entryOf(3, "person", { turn_id: 2, run_id: 2 }),
    ];
    const turns = [
      turnOf(1, { status: "interrupted" }),
      turnOf(2, { status: "cancelled" }),
      turnOf(3, { status: "queued", started_at: null, finished_at: null }),
      turnOf(4, { status: "cancelled", started_at: null }),
      turnOf(5, { status: "failed", started_at: null, error: "no longer a member" }),
    ];
    const state = stateWith({ entries, turns });
    expect(read(transcriptOf(state), state)).toEqual([
      "admin: person 1",
      "orchestrator: agent 2[count_words interrupted]",
      "interrupted: null",
      "admin: person 3",
      "cancelled, last: null",
      "admin: message 5",
      "failed: no longer a member",
      "queued: message 3",
    ]);
  });

  test("hide a turn until its start is loaded, unless nothing else is shown", () => {
    const entries = [
      entryOf(10, "agent"),
      entryOf(11, "person", { turn_id: 2, run_id: 2 }),
      entryOf(12, "agent", { turn_id: 2, run_id: 2 }),
    ];
    const turns = [turnOf(1), turnOf(2)];
    const cut = stateWith({ entries, turns, hasEarlier: true });
    expect(read(transcriptOf(cut), cut)).toEqual(["admin: person 11", "orchestrator: agent 12"]);
    const whole = stateWith({ entries: [entryOf(9, "person"), ...entries], turns });
    expect(read(transcriptOf(whole), whole)).toEqual([
      "admin: person 9",
      "orchestrator: agent 10",
      "admin: person 11",
      "orchestrator: agent 12",
    ]);
    const only = stateWith({ entries: [entryOf(10, "agent")], turns: [turnOf(1)], hasEarlier: true });
    expect(read(transcriptOf(only), only)).toEqual(["orchestrator: agent 10"]);
  });
});

describe("approvals", () => {
  const approval: Approval = {
    kind: "search",
    id: 7,
    title: "Search the web for: a question",
    subject: "rates",
    facts: [],
    callers: null,
    content_hash: "00",
    workspace_id: 1,
    agent: "scout",
    requested_by: "admin",
    requested_at: "2026-11-14T10:00:30.000Z",
    expires_at: null,
    decide: { method: "POST", path: "/x" },
  };
  const entries = [
    entryOf(1, "person"),
    entryOf(2, "agent", { calls: [delegate("c1", "scout")] }),
    entryOf(3, "task", { run_id: 10, agent_id: 2, thread: 10, call_id: "c1" }),
    entryOf(4, "agent", {
      run_id: 10,
      agent_id: 2,
      thread: 10,
      calls: [{ id: "s", name: "web_search", arguments: "{}" }],
    }),
  ];
  const turns = [turnOf(1, { status: "waiting", finished_at: null })];
  const bubbles = (state: WorkspaceState) =>
    transcriptOf(state).filter((item): item is Bubble => item.kind === "bubble");
  const asked = (bubble: Bubble) => [...bubble.asks, ...bubble.segments.flatMap(({ asks }) => asks)];
  const settled = (bubble: Bubble) =>
    [...bubble.decided, ...bubble.segments.flatMap(({ decided }) => decided)].map(({ by }) => by);

  test("appear under the requesting agent, and become one line once decided", () => {
    const waiting = stateWith({ entries, turns, approvals: [approval] });
    expect(bubbles(waiting).map((bubble) => [bubble.agentId, asked(bubble).length])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    const decided: WorkspaceEvent = {
      id: waiting.lastId + 1,
      type: "approval.decided",
      turn_id: 1,
      time: TIME,
      data: {
        kind: "search",
        id: 7,
        decision: "approved",
        by: "admin",
        auth: "loopback",
        reason: null,
        content_hash: "00",
        subject: approval.subject,
        version: null,
        agent: approval.agent,
        requested_at: approval.requested_at,
      },
    };
    const after = reduce(waiting, decided);
    expect(bubbles(after).map((bubble) => [asked(bubble).length, settled(bubble)])).toEqual([
      [0, []],
      [0, ["admin"]],
    ]);
    // The same from the server's list, as after a reload.
    const reloaded = { ...waiting, approvals: [], decisions: after.decisions };
    expect(bubbles(reloaded).map(settled)).toEqual([[], ["admin"]]);
    // A replay of the request does not bring the card back.
    const replayed: WorkspaceEvent = {
      id: waiting.lastId + 1,
      type: "approval.requested",
      turn_id: 1,
      time: TIME,
      data: { approval },
    };
    const later = after.decisions.map((decision) => ({ ...decision, id: waiting.lastId + 2 }));
    expect(reduce({ ...reloaded, decisions: later }, replayed).approvals).toEqual([]);
  });

  test("are readable for people, past requests and deleted agents", () => {
    const mine = { ...approval, agent: null };
    const old = { ...approval, id: 8, requested_at: "2020-01-01T00:00:00.000Z" };
    const renamed = { ...approval, id: 9, agent: "somebody" };
    const state = stateWith({ entries, turns, approvals: [mine, old, renamed] });
    expect(bubbles(state).flatMap((bubble) => asked(bubble).map(({ id }) => id))).toEqual([9]);
  });

  test("tell a search that a person rejected from one that failed", () => {
    const search = (id: string, query: string) => ({
      id,
      name: "web_search",
      arguments: JSON.stringify({ query }),
    });
    const result = (id: number, callId: string) =>
      entryOf(id, "tool", { call_id: callId, text: "Not searched.", outcome: "error" });
    const state = stateWith({
      turns: [turnOf(1)],
      entries: [
        entryOf(1, "agent", {
          calls: [search("a", "one"), search("b", "two"), search("c", "three"), search("d", "four")],
        }),
        ...["a", "b", "c", "d"].map((callId, index) => result(index + 2, callId)),
      ],
    });
    const decision = (subject: string, change: Partial<DecisionRecord>): DecisionRecord => ({
      ...DECISION,
      kind: "search",
      decision: "refused",
      agent: "orchestrator",
      requested_at: TIME,
      subject,
      ...change,
    });
    const decisions = [
      decision("two", { decision: "expired", by: null }),
      decision("one", {}),
      decision("three", { by: null, reason: "the turn was cancelled" }),
    ];
    const states = (of: WorkspaceState) =>
      bubbles(of).flatMap((item) =>
        item.segments.flatMap(({ chips }) => chips.map((chip) => chipState(chip, item, of))),
      );
    expect(states(state)).toEqual(["error", "error", "error", "error"]);
    expect(states({ ...state, decisions })).toEqual(["rejected", "expired", "error", "error"]);
  });

  test("stand after the answer with which they were asked; decisions of people stand between the turns", () => {
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const said = (id: number, turnId: number, second: number) =>
      entryOf(id, "agent", { turn_id: turnId, run_id: turnId, created_at: at(second) });
    const state = stateWith({
      entries: [said(1, 1, 1), said(2, 1, 3), said(3, 2, 7)],
      turns: [
        turnOf(1, { started_at: at(1), finished_at: at(4) }),
        turnOf(2, { started_at: at(6), finished_at: at(8) }),
      ],
    });
    const gear = {
      ...DECISION,
      kind: "gear",
      agent: "orchestrator",
      requested_at: at(2),
      time: at(5),
    } as const;
    const grant = (id: number, second: number) => ({ ...DECISION, id, time: at(second) });
    const items = transcriptOf({
      ...state,
      decisions: [grant(1, 0), { ...gear, id: 2 }, grant(3, 5), grant(4, 9)],
    });
    const words = items.flatMap((item) => {
      if (item.kind === "decided") return [`notes ${item.decisions.map(({ id }) => id).join(" ")}`];
      if (item.kind !== "bubble") return [];
      return item.segments.map(({ entry, decided }) =>
        [entry.id, ...decided.map(({ id }) => `decision ${id}`)].join(" "),
      );
    });
    expect(words).toEqual(["notes 1", "1 decision 2", "2", "notes 3", "3", "notes 4"]);
  });
});

test(`adds an entry, a word and an earlier page to ${ENTRIES} entries cheaply, without touching the others`, () => {
  const asked = new Set<number>();
  const entries = Array.from({ length: ENTRIES }, (_, index) => {
    const entry = entryOf(index + 1, index % 2 === 0 ? "person" : "agent", {
      turn_id: Math.floor(index / 2) + 1,
      run_id: Math.floor(index / 2) + 1,
    });
    const { text } = entry;
    return Object.defineProperty(entry, "text", { get: () => (asked.add(entry.id), text) });
  });
  const turns = Array.from({ length: ENTRIES / 2 }, (_, index) => turnOf(index + 1));
  const transcript = createTranscript();
  const state = stateWith({ entries: entries.slice(500), turns, hasEarlier: true });
  const before = transcript(state);
  const more = {
    ...state,
    entries: [...state.entries, entryOf(ENTRIES + 1, "agent", { turn_id: ENTRIES / 2, run_id: ENTRIES / 2 })],
  };
  // Messages of people; answers are read by their bubbles.
  expect(asked.size).toBe((ENTRIES - 500) / 2);
  asked.clear();
  const after = transcript(more);
  expect(after.filter((item) => !before.includes(item)).length).toBe(1);
  // Of the turn that grew.
  expect([...asked]).toEqual([ENTRIES - 1]);
  const spoken = {
    ...more,
    speech: new Map([[1, { runId: 99, agentId: 1, turnId: ENTRIES / 2, text: "", reasoning: "" }]]),
  };
  expect(transcript(spoken)).toBe(after);
  const earlier = transcript({ ...more, entries: [...entries, more.entries.at(-1)!], hasEarlier: false });
  expect(earlier.slice(500)).toEqual([...after]);
  expect(earlier.slice(500).every((item, index) => item === after[index])).toBe(true);
});
