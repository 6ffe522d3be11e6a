// Goal: the canvas derives from the records alone: sides of wires, positions of pills, live lines, undo steps.

import { describe, expect, test } from "bun:test";
import { Position } from "@xyflow/system";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type { Run, ToolCall } from "../../../web/state/workspace-state.ts";
import {
  boundsOf,
  cardAt,
  neighbourOf,
  overlap,
  panInto,
  sideTowards,
} from "../../../web/screens/blueprint/geometry.ts";
import {
  ATTACHMENTS_DRAWN_MAX,
  attachmentPath,
  attachmentsOf,
  drawnWires,
  gateRect,
  type Shown,
  sidesOf,
  stack,
} from "../../../web/screens/blueprint/graph.ts";
import {
  afterRedo,
  afterUndo,
  emptyHistory,
  forgotten,
  moving,
  recorded,
  STEPS_MAX,
  toggling,
} from "../../../web/parts/editing/history.ts";
import { liveOf } from "../../../web/state/live.ts";
import { tidy } from "../../../web/screens/blueprint/tidy.ts";

const NOW = "2026-01-01T00:00:00Z";

function agent(id: number, x: number, y: number): Agent {
  return {
    id,
    workspace_id: 1,
    name: id === 1 ? "orchestrator" : `worker ${id}`,
    role: "",
    model_id: 1,
    orchestrator: id === 1,
    position: { x, y },
    budget: null,
    created_at: NOW,
  };
}

const wire = (id: number, from: number, to: number) => ({
  id,
  workspace_id: 1,
  from_agent_id: from,
  to_agent_id: to,
  created_at: NOW,
});
const gear = (id: number, agentId: number | null, status: "pending" | "approved" = "approved") => ({
  id,
  workspace_id: 1,
  gear_id: id,
  gear_name: `gear_${id}`,
  gear_status: status,
  agent_id: agentId,
  created_at: NOW,
});
const instruction = (id: number, agentId: number | null) => ({
  id,
  workspace_id: 1,
  instruction_id: id,
  name: `text ${id}`,
  version: 1,
  agent_id: agentId,
  created_at: NOW,
});
const nothing: Shown = { agents: [], wires: [], gearBindings: [], instructionBindings: [], grants: [] };

describe("geometry", () => {
  const from = cardAt({ x: 0, y: 0 });

  test("starts a wire sideways if there is space, otherwise vertically", () => {
    const side = (x: number, y: number) => sideTowards(from, cardAt({ x, y }));
    expect([side(400, 0), side(-400, 300), side(400, 300), side(40, 300), side(-100, -300)]).toEqual([
      Position.Right,
      Position.Left,
      Position.Right,
      Position.Bottom,
      Position.Top,
    ]);
  });

  test("moves to the nearest card in the direction of an arrow key", () => {
    const cards = new Map([
      [1, cardAt({ x: 0, y: 0 })],
      [2, cardAt({ x: 400, y: 100 })],
      [3, cardAt({ x: 800, y: 0 })],
      [4, cardAt({ x: 0, y: 300 })],
    ]);
    expect(neighbourOf(1, "right", cards)).toBe(2);
    expect(neighbourOf(1, "down", cards)).toBe(4);
    expect(neighbourOf(1, "left", cards)).toBeUndefined();
    expect(neighbourOf(3, "left", cards)).toBe(2);
    expect(neighbourOf(9, "left", cards)).toBeUndefined();
  });

  test("bounds all cards, and pans no further than needed", () => {
    expect(boundsOf([])).toBeUndefined();
    expect(boundsOf([from, cardAt({ x: -100, y: 50 })])).toEqual({ x: -100, y: 0, width: 314, height: 142 });
    const view = { width: 1000, height: 500 };
    expect(panInto({ x: 100, y: 100, width: 214, height: 92 }, view, 24)).toEqual({ x: 0, y: 0 });
    expect(panInto({ x: 900, y: -50, width: 214, height: 92 }, view, 24)).toEqual({ x: -138, y: 74 });
  });
});

describe("pills", () => {
  test("are beside their agent, those of all agents beside the orchestrator", () => {
    const shown: Shown = {
      ...nothing,
      agents: [agent(1, 0, 0), agent(2, 400, 0)],
      gearBindings: [gear(1, 2), gear(2, null, "pending"), gear(3, 99)],
      instructionBindings: [instruction(1, 2)],
    };
    const drawn = [...attachmentsOf(shown)].map(([key, group]) => [
      key,
      group.map(({ key: own, label, note, owner }) => `${own} ${label} (${note}) at ${owner}`),
    ]);
    expect(drawn).toEqual([
      [2, ["gear-binding-1 gear_1 () at 2", "instruction-binding-1 text 1 () at 2"]],
      [0, ["gear-binding-2 gear_2 (pending, all agents) at 1"]],
    ]);
  });

  test("are counted beyond a handful", () => {
    const many = Array.from({ length: 12 }, (_, index) => gear(index + 1, 2));
    const shown: Shown = { ...nothing, agents: [agent(1, 0, 0), agent(2, 400, 0)], gearBindings: many };
    const group = attachmentsOf(shown).get(2)!;
    expect(group.length).toBe(ATTACHMENTS_DRAWN_MAX);
    expect(group.at(-1)).toMatchObject({ kind: "more", label: "8 more", id: 2 });
  });

  test("choose a side without cards and wires", () => {
    const shown: Shown = {
      ...nothing,
      agents: [agent(1, 0, 0), agent(2, 400, 0), agent(3, 700, 0), agent(4, 400, 200)],
      wires: [wire(1, 1, 2)],
      gearBindings: [gear(1, 1), gear(2, 2), gear(3, 3), gear(4, null)],
    };
    const groups = attachmentsOf(shown);
    const sides = sidesOf(shown, groups);
    expect(Object.fromEntries(sides)).toEqual({
      // A wire leaves on the right.
      1: Position.Bottom,
      // Right of it stands another card, on the left a wire arrives.
      2: Position.Bottom,
      3: Position.Right,
      0: Position.Top,
    });
    const cards = shown.agents.map(({ position }) => cardAt(position));
    for (const [key, group] of groups) {
      const own = cardAt(shown.agents.find(({ id }) => id === group[0]!.owner)!.position);
      for (const rect of stack(own, sides.get(key)!, group))
        expect(cards.reduce((sum, card) => sum + overlap(card, rect), 0)).toBe(0);
    }
  });

  test("have lines that do not overlap above and below a card", () => {
    const card = cardAt({ x: 0, y: 0 });
    const shown: Shown = {
      ...nothing,
      agents: [agent(1, 0, 0)],
      gearBindings: [gear(1, 1), gear(2, 1), gear(3, 1)],
    };
    const group = attachmentsOf(shown).get(1)!;
    for (const side of [Position.Bottom, Position.Top]) {
      const rects = stack(card, side, group);
      const trunks = rects.map((rect, index) => {
        const [x, , , ...rest] = attachmentPath(card, { rect, side, index, group: group.length })
          .match(/-?[\d.]+/g)!
          .map(Number);
        expect(rest.at(-1)).toBe(rect.x);
        return x!;
      });
      // The one that turns off first stands furthest in, and none runs through a node.
      expect(trunks).toEqual([30, 22, 14]);
      expect(rects.every((rect) => rect.x > 30)).toBe(true);
    }
    const [alone] = stack(card, Position.Bottom, group.slice(0, 1));
    expect(attachmentPath(card, { rect: alone!, side: Position.Bottom, index: 0, group: 1 })).toBe(
      "M40,92V116",
    );
  });

  test("place the gate right of everything, level with the agents that have a grant", () => {
    const cards = [cardAt({ x: 0, y: 0 }), cardAt({ x: 400, y: 200 })];
    const gate = gateRect(cards, [cards[1]!], "asks");
    expect(gate.x).toBeGreaterThan(614);
    expect(gate.y + gate.height / 2).toBe(246);
    expect(gateRect([], [], "asks").y).toBe(32);
  });

  test("mark a wire that has a reverse one", () => {
    expect(drawnWires([wire(1, 1, 2), wire(2, 2, 1), wire(3, 1, 3)]).map(({ reversed }) => reversed)).toEqual(
      [true, true, false],
    );
  });
});

describe("live", () => {
  const run = (id: number, agentId: number, state: Run["state"]): [number, Run] => [
    id,
    { id, turnId: 1, agentId, state, limit: undefined, since: NOW },
  ];
  const call = (
    callId: string,
    runId: number,
    tool: string,
    args: unknown,
    done = false,
  ): [string, ToolCall] => [
    callId,
    {
      callId,
      runId,
      agentId: runId,
      turnId: 1,
      tool,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
      output: "",
      outcome: done ? "ok" : undefined,
      text: undefined,
      durationMs: undefined,
      askedAt: NOW,
    },
  ];
  const base = {
    agents: [agent(1, 0, 0), agent(2, 0, 0), agent(3, 0, 0)],
    wires: [wire(5, 1, 2), wire(6, 1, 3)],
    gearBindings: [gear(7, 2), gear(8, null)],
    grants: [
      {
        id: 9,
        workspace_id: 1,
        agent_id: 2,
        granted_by: "admin",
        auth: "loopback" as const,
        created_at: NOW,
      },
    ],
  };

  test("shows the waiting run of an agent with several runs", () => {
    const runs = new Map([
      run(1, 1, "thinking"),
      run(2, 1, "waiting"),
      run(3, 2, "done"),
      run(4, 3, "working"),
    ]);
    expect([...liveOf({ ...base, runs, tools: new Map() }).activity]).toEqual([
      [1, "waiting"],
      [3, "working"],
    ]);
  });

  test("highlights lines while their call is open", () => {
    const runs = new Map([run(1, 1, "working"), run(2, 2, "waiting")]);
    const tools = new Map([
      call("a", 1, "delegate", { agent: " Worker 2", task: "x" }),
      call("b", 1, "delegate", { agent: "worker 3" }, true),
      call("c", 1, "delegate", "{broken"),
      call("d", 2, "gear_7", {}),
      call("e", 2, "web_search", { query: "x" }),
      call("f", 1, "gear_8", {}),
      call("g", 77, "gear_7", {}),
    ]);
    const live = liveOf({ ...base, runs, tools });
    expect([[...live.wires], [...live.gearBindings], [...live.grants]]).toEqual([[5], [7, 8], [9]]);
  });
});

describe("history", () => {
  const step = toggling("wire", { kind: "wire", from: 1, to: 2, present: true });
  const other = toggling("gear", { kind: "gear", id: 1, agentId: null, present: false });

  test("moves steps between undo and redo; a new step clears redo", () => {
    const two = recorded(recorded(emptyHistory, step), other);
    const back = afterUndo(two, other);
    expect(back).toEqual({ done: [step], undone: [other] });
    expect(afterRedo(back, other)).toEqual({ done: [step, other], undone: [] });
    expect(recorded(back, step)).toEqual({ done: [step, step], undone: [] });
    expect(forgotten(back, other)).toEqual({ done: [step], undone: [] });
    expect(afterUndo(two, step)).toEqual({ done: [other], undone: [step] });
  });

  test("undoes a step by its opposite", () => {
    expect(step.backward).toEqual([{ kind: "wire", from: 1, to: 2, present: false }]);
    const at = { x: 0, y: 0 };
    const to = { x: 10, y: 0 };
    expect(
      moving("move", [
        { agentId: 1, from: at, to },
        { agentId: 2, from: at, to: at },
      ]),
    ).toEqual({
      label: "move",
      forward: [{ kind: "move", agentId: 1, to }],
      backward: [{ kind: "move", agentId: 1, to: at }],
    });
    expect(moving("move", [{ agentId: 2, from: at, to: at }])).toBeUndefined();
  });

  test("drops the oldest steps", () => {
    const labels = Array.from({ length: STEPS_MAX + 5 }, (_, index) => String(index));
    const full = labels.reduce((history, label) => recorded(history, { ...step, label }), emptyHistory);
    expect([full.done.length, full.done[0]!.label]).toEqual([STEPS_MAX, "5"]);
  });
});

describe("tidy", () => {
  test("follows the wires from left to right and keeps the orchestrator in place", async () => {
    const shown = {
      agents: [agent(1, 30, 40), agent(2, 0, 0), agent(3, 0, 0), agent(4, 0, 0)],
      wires: [wire(1, 1, 2), wire(2, 1, 3), wire(3, 3, 4)],
    };
    const places = await tidy(shown, new Map());
    expect(places.get(1)).toEqual({ x: 30, y: 40 });
    expect(places.get(2)!.x).toBe(places.get(3)!.x);
    expect(places.get(2)!.y).toBeLessThan(places.get(3)!.y);
    expect(places.get(3)!.x).toBeGreaterThan(30 + 214);
    expect(places.get(4)!.x).toBeGreaterThan(places.get(3)!.x + 214);
  });

  test("does not stretch the layout along a cycle of wires", async () => {
    const agents = Array.from({ length: 30 }, (_, index) => agent(index + 1, 0, 0));
    const ring = agents.slice(1).map(({ id }) => wire(100 + id, id, id === 30 ? 2 : id + 1));
    const star = agents.slice(1).map(({ id }) => wire(id, 1, id));
    const places = await tidy({ agents, wires: [...star, ...ring] }, new Map());
    const bounds = boundsOf([...places.values()].map(cardAt))!;
    expect(bounds.width).toBeLessThan(8 * 214);
  });

  test("lays out 200 agents with their pills without overlaps and without one long column", async () => {
    const agents = Array.from({ length: 200 }, (_, index) => agent(index + 1, 0, 0));
    const wires = agents.slice(1).map(({ id }) => wire(id, 1, id));
    const gearBindings = agents.slice(0, 60).map(({ id }) => gear(id, id));
    const shown: Shown = { ...nothing, agents, wires, gearBindings };
    const groups = attachmentsOf(shown);
    const places = await tidy(shown, groups);
    const moved: Shown = {
      ...shown,
      agents: agents.map((one) => ({ ...one, position: places.get(one.id)! })),
    };
    const sides = sidesOf(moved, groups);
    const rects = [
      ...[...places.values()].map(cardAt),
      ...[...groups].flatMap(([key, group]) =>
        stack(cardAt(places.get(group[0]!.owner)!), sides.get(key)!, group),
      ),
    ];
    const covered = rects.flatMap((one, index) =>
      rects.slice(index + 1).filter((other) => overlap(one, other) > 0),
    );
    expect(covered).toEqual([]);
    const bounds = boundsOf(rects)!;
    expect(bounds.width / bounds.height).toBeGreaterThan(0.5);
    expect(bounds.width / bounds.height).toBeLessThan(4);
  });
});
