// Sends blueprint changes to the server, and maps them to records: a change names what it connects, the API takes ids.

import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import type { Here } from "../../state/here.ts";
import type { Change } from "./history.ts";
import type { HeldPositions } from "./positions.ts";

/** Concurrent requests; a tidy layout moves hundreds of cards. */
const SENT_AT_ONCE_MAX = 6;

type Toggle = Exclude<Change, { kind: "move" }>;

/** Raises `Problem`. */
interface Sender {
  /** A person's change: every refusal is raised. */
  readonly ask: (changes: readonly Change[]) => Promise<void>;
  /** Undo or redo: a state that others have restored meanwhile is fine. */
  readonly restore: (changes: readonly Change[]) => Promise<void>;
}

export function createSender(here: Here, positions: HeldPositions): Sender {
  /** Records created and deleted here: their events may arrive after the responses. */
  const made = new Map<string, number>();
  const removed = new Set<string>();
  const idNow = (change: Toggle) => {
    const id = idOf(change, here);
    return id === undefined || removed.has(`${change.kind} ${id}`) ? made.get(keyOf(change)) : id;
  };
  const workspace = () => api.workspaces({ id: here.id });

  const sendMoves = async (moves: readonly Extract<Change, { kind: "move" }>[]) => {
    positions.put(new Map(moves.map(({ agentId, to }) => [agentId, to])));
    const failures: unknown[] = [];
    const waiting = [...moves];
    const sendSome = async () => {
      for (let move = waiting.shift(); move; move = waiting.shift()) {
        try {
          await take(api.agents({ id: move.agentId }).patch({ position: move.to }));
          positions.settle(move.agentId);
        } catch (error) {
          positions.forget([move.agentId]);
          // A deleted agent has nothing to move.
          if (asProblem(error).code !== "not_found") failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: SENT_AT_ONCE_MAX }, sendSome));
    if (failures.length > 0) throw failures[0];
  };

  const add = async (change: Toggle) => void made.set(keyOf(change), (await create(change)).id);
  const takeAway = async (change: Toggle) => {
    const id = idNow(change);
    if (id === undefined) return;
    try {
      await remove(change.kind, id);
    } catch (error) {
      if (asProblem(error).code !== "not_found") throw error;
    }
    made.delete(keyOf(change));
    removed.add(`${change.kind} ${id}`);
  };

  const create = (change: Toggle): Promise<{ id: number }> => {
    switch (change.kind) {
      case "wire":
        return take(workspace().wires.post({ from_agent_id: change.from, to_agent_id: change.to }));
      case "gear":
        return take(workspace().gears.post({ gear_id: change.id, agent_id: change.agentId }));
      case "instruction":
        return take(workspace().instructions.post({ instruction_id: change.id, agent_id: change.agentId }));
    }
  };

  const send = async (changes: readonly Change[], isThere: (change: Toggle) => boolean) => {
    const moves = changes.filter((change) => change.kind === "move");
    if (moves.length > 0) await sendMoves(moves);
    for (const change of changes) {
      if (change.kind === "move") continue;
      if (!change.present) await takeAway(change);
      else if (!isThere(change)) await add(change);
    }
  };

  return {
    ask: (changes) => send(changes, () => false),
    restore: (changes) => send(changes, (change) => idNow(change) !== undefined),
  };
}

async function remove(kind: "wire" | "gear" | "instruction", id: number): Promise<void> {
  switch (kind) {
    case "wire":
      await take(api.wires({ id }).delete());
      break;
    case "gear":
      await take(api["gear-bindings"]({ id }).delete());
      break;
    case "instruction":
      await take(api["instruction-bindings"]({ id }).delete());
      break;
  }
}

function keyOf(change: Toggle): string {
  return change.kind === "wire"
    ? `wire ${change.from} ${change.to}`
    : `${change.kind} ${change.id} ${change.agentId}`;
}

/** The id of the record behind a change, if known. */
function idOf(change: Toggle, here: Here): number | undefined {
  const { wires, gearBindings, instructionBindings } = here.state();
  switch (change.kind) {
    case "wire":
      return wires.find((one) => one.from_agent_id === change.from && one.to_agent_id === change.to)?.id;
    case "gear":
      return gearBindings.find((one) => one.gear_id === change.id && one.agent_id === change.agentId)?.id;
    case "instruction":
      return instructionBindings.find(
        (one) => one.instruction_id === change.id && one.agent_id === change.agentId,
      )?.id;
  }
}
