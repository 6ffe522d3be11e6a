// Optimistic card positions: while cards are dragged, and until the event of the move arrives. Moves by others wait until then, so that
// nothing jumps under the hand.

import { type Accessor, createEffect, createSignal, untrack } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type { Point } from "./history.ts";

interface Held extends Point {
  /** The record at the time the server confirmed; the next record is newer than our move. Undefined until confirmed. */
  readonly agreedOn?: Agent | undefined;
}

export interface HeldPositions {
  readonly shown: Accessor<ReadonlyMap<number, Point>>;
  readonly put: (moves: ReadonlyMap<number, Point>) => void;
  /** Marks a position as confirmed. */
  readonly settle: (agentId: number) => void;
  readonly forget: (agentIds: readonly number[]) => void;
}

export function createPositions(agents: Accessor<readonly Agent[]>): HeldPositions {
  const [held, setHeld] = createSignal<ReadonlyMap<number, Held>>(new Map());
  const recordOf = (id: number) => untrack(agents).find((agent) => agent.id === id);
  const forget = (ids: readonly number[]) =>
    setHeld((before) => {
      const rest = new Map(before);
      for (const id of ids) rest.delete(id);
      return rest.size === before.size ? before : rest;
    });
  createEffect(() => {
    const current = new Map(agents().map((agent) => [agent.id, agent]));
    const over = [...untrack(held)].filter(([id, { agreedOn }]) => {
      const record = current.get(id);
      return record === undefined || (agreedOn !== undefined && agreedOn !== record);
    });
    if (over.length > 0) forget(over.map(([id]) => id));
  });
  return {
    shown: held,
    forget,
    put: (moves) =>
      void setHeld((before) => {
        const after = new Map(before);
        for (const [id, { x, y }] of moves) after.set(id, { x, y });
        return after;
      }),
    settle: (id) =>
      void setHeld((before) => {
        const at = before.get(id);
        const record = recordOf(id);
        if (!at || !record) return before;
        const after = new Map(before);
        // The event may arrive before the response.
        if (record.position.x === at.x && record.position.y === at.y) after.delete(id);
        else after.set(id, { ...at, agreedOn: record });
        return after;
      }),
  };
}
