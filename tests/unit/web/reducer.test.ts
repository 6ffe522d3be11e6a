// Goal: however events reach a browser (live, twice, after a reconnect, after a newer snapshot), its final state equals the server's
// records.

import { beforeAll, describe, expect, test } from "bun:test";
import { array, assert, nat, property, tuple } from "fast-check";
import type { WorkspaceEvent } from "../../../src/service/events.ts";
import { reduce, reduceAll } from "../../../web/state/reducer.ts";
import { type Snapshot, stateOf, type WorkspaceState } from "../../../web/state/workspace-state.ts";
import { type Recording, recordedTurns } from "../../kit/service/recorded-turns.ts";

let recording: Recording;
beforeAll(async () => {
  recording = await recordedTurns();
});

/** The parts that the server records. */
function records(state: WorkspaceState) {
  const { workspace, agents, wires, gearBindings, instructionBindings, contextBindings } = state;
  const { grants, turns, entries, approvals, decisions } = state;
  const bindings = { gearBindings, instructionBindings, contextBindings };
  return { workspace, agents, wires, ...bindings, grants, turns, entries, approvals, decisions };
}

/** Everything except the position in the stream. */
function knowledge(state: WorkspaceState) {
  return { ...state, usageChanges: 0 };
}

describe("a recorded stream", () => {
  test("leads from the first snapshot to the last one", () => {
    const end = reduceAll(stateOf(recording.before), recording.events);
    expect(records(end)).toEqual(records(stateOf(recording.after)));
    expect(end.lastId).toBe(recording.after.blueprint.event_id!);
    // No one speaks or works at the end.
    expect([end.speech.size, end.runs.size, end.gone]).toEqual([0, 0, false]);
  });

  test("gives the same result without streamed text", () => {
    const live = reduceAll(stateOf(recording.before), recording.events);
    const late = reduceAll(stateOf(recording.before), recording.stored);
    expect(knowledge(late)).toEqual(knowledge(live));
  });

  test("names deleted agents", () => {
    const end = reduceAll(stateOf(recording.before), recording.events);
    const helper = recording.events.find((event) => event.type === "agent.created");
    expect(helper?.type === "agent.created" && end.agentNames.get(helper.data.agent.id)).toBe("helper");
    expect(end.agents.map(({ name }) => name)).toEqual(["orchestrator", "scribe", "scout"]);
  });
});

describe("repeated events", () => {
  test("return the same object", () => {
    const end = reduceAll(stateOf(recording.before), recording.events);
    for (const event of recording.stored) expect(reduce(end, event)).toBe(end);
  });

  test("change nothing after any number of reconnects from any point", () => {
    const { stored } = recording;
    const whole = knowledge(reduceAll(stateOf(recording.before), stored));
    const cut = nat({ max: stored.length });
    assert(
      property(array(tuple(cut, cut), { maxLength: 6 }), (reconnects) => {
        let state = stateOf(recording.before);
        for (const [a, b] of reconnects) {
          const known = stored.findIndex(({ id }) => id! > state.lastId);
          // From a known event to any later one.
          const from = Math.min(a, known < 0 ? stored.length : known);
          state = reduceAll(state, stored.slice(from, Math.max(from, b)));
        }
        state = reduceAll(state, stored);
        expect(knowledge(state)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a snapshot newer than the events", () => {
  /** As when a viewer follows an open turn from its start. */
  const followed = (snapshot: Snapshot, after: number): WorkspaceState => ({
    ...stateOf(snapshot),
    lastId: after,
  });

  test("keeps its records over older events", () => {
    const end = reduceAll(followed(recording.after, 0), recording.stored);
    expect(records(end)).toEqual(records(stateOf(recording.after)));
    expect(end.agents.map(({ name }) => name)).toEqual(["orchestrator", "scribe", "scout"]);
  });

  test("still shows the tools of the followed turn, with arguments, result and time", () => {
    const firstTurn = recording.after.turns[0]!.id;
    const upTo = recording.stored.findIndex(
      (event) => event.type === "turn.finished" && event.turn_id === firstTurn,
    );
    const middle = reduceAll(followed(recording.after, 0), recording.stored.slice(0, upTo));
    expect([...middle.tools.values()].map(({ tool, outcome }) => `${tool} ${outcome}`).toSorted()).toEqual([
      "delegate ok",
      "delegate ok",
      "file_list ok",
      "file_list ok",
      "file_write ok",
    ]);
    expect([...middle.tools.values()].find(({ tool }) => tool === "file_write")?.arguments).toBe(
      JSON.stringify({ path: "a.md", content: "a" }),
    );
  });
});

describe("streamed text", () => {
  const delta = (runId: number, text: string, kind: "text" | "reasoning" = "text"): WorkspaceEvent => ({
    id: null,
    type: "delta",
    turn_id: 1,
    time: "",
    data: { run_id: runId, agent_id: 1, kind, text },
  });

  test("grows with each delta, changes nothing else, and is replaced by a partial", () => {
    const start = stateOf(recording.before);
    const spoken = reduceAll(start, [
      delta(5, "Hel"),
      delta(5, "lo"),
      delta(5, "hm", "reasoning"),
      delta(6, "x"),
    ]);
    expect([...spoken.speech.values()].map(({ text, reasoning }) => [text, reasoning])).toEqual([
      ["Hello", "hm"],
      ["x", ""],
    ]);
    expect([spoken.entries, spoken.turns, spoken.tools, spoken.runs]).toEqual([
      start.entries,
      start.turns,
      start.tools,
      start.runs,
    ]);
    expect(spoken.entries).toBe(start.entries);
    const partial: WorkspaceEvent = {
      id: null,
      type: "partial",
      turn_id: 1,
      time: "",
      data: { run_id: 5, agent_id: 1, text: "Hello there", reasoning: "" },
    };
    expect(reduce(spoken, partial).speech.get(5)?.text).toBe("Hello there");
  });

  test("disappears when the answer is recorded", () => {
    const at = recording.events.findIndex(
      (event) => event.type === "entry" && event.data.entry.kind === "agent",
    );
    const before = reduceAll(stateOf(recording.before), recording.events.slice(0, at));
    const after = reduce(before, recording.events[at]!);
    expect([before.speech.size, after.speech.size]).toEqual([1, 0]);
  });
});

test("keeps a turn open after an end that was not final; clears a mark", () => {
  const ended = recording.stored.find((event) => event.type === "turn.finished");
  if (ended?.type !== "turn.finished") throw new Error("the recording has no end of a turn");
  const { turn } = ended.data;
  const entry = { ...recording.after.entries[0]!, tainted: true };
  const start: WorkspaceState = {
    ...stateOf(recording.before),
    turns: [{ ...turn, status: "running", finished_at: null }],
    entries: [entry],
  };
  const next = (state: WorkspaceState) => ({ ...ended, id: state.lastId + 1 });
  const resumed = reduce(start, { ...next(start), data: { ...ended.data, final: false } });
  expect(resumed.turns).toEqual(start.turns);
  const over = reduce(resumed, { ...next(resumed), data: { ...ended.data, final: true } });
  expect(over.turns).toEqual([turn]);
  const cleared = reduce(over, {
    ...next(over),
    type: "entry.taint_cleared",
    data: { entry_id: entry.id },
  });
  expect(cleared.entries).toEqual([{ ...entry, tainted: false }]);
});
