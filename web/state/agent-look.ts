// How the agents of a workspace are told apart: a colour and initials for each, the same wherever it appears. Deleted agents keep theirs. Pure.

import { initials } from "../kit/format.ts";
import type { WorkspaceState } from "./workspace-state.ts";

const COLOURS = 6;

interface AgentLook {
  /** 1 to COLOURS; see tokens.css. */
  readonly colour: number;
  /** Unique in the workspace. */
  readonly initials: string;
}

const UNKNOWN: AgentLook = { colour: 1, initials: "?" };

const kept = new WeakMap<WorkspaceState["agentNames"], ReadonlyMap<number, AgentLook>>();

export function lookOf({ agentNames }: Pick<WorkspaceState, "agentNames">, agentId: number): AgentLook {
  const known = kept.get(agentNames) ?? looks(agentNames);
  kept.set(agentNames, known);
  return known.get(agentId) ?? UNKNOWN;
}

/** The token of an agent's colour. */
export function colourOf(state: Pick<WorkspaceState, "agentNames">, agentId: number): string {
  return `var(--agent-${lookOf(state, agentId).colour})`;
}

/** Older agents choose first, so that a new one changes none of them. */
function looks(names: WorkspaceState["agentNames"]): ReadonlyMap<number, AgentLook> {
  const taken = new Set<string>();
  const found = new Map<number, AgentLook>();
  const ids = [...names.keys()].toSorted((a, b) => a - b);
  for (const [place, id] of ids.entries()) {
    const own = candidates(names.get(id)!).find((one) => !taken.has(one))!;
    taken.add(own);
    found.set(id, { colour: (place % COLOURS) + 1, initials: own });
  }
  return found;
}

/** `scout`: SC, SO, SU, ST, S2, S3, … without end. */
function candidates(name: string): IteratorObject<string> {
  const [first = "?", ...rest] = [...name.trim().toUpperCase()].filter((letter) =>
    /[\p{L}\p{N}]/u.test(letter),
  );
  return (function* () {
    yield initials(name);
    for (const letter of rest) yield first + letter;
    for (let number = 2; ; number++) yield `${first}${number}`;
  })();
}
