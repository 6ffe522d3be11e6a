// The undo history of a blueprint. Pure. A step names things by what they connect, never by record ids: a wire that is created again has a
// new id.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Change =
  | {
      readonly kind: "move";
      readonly agentId: number;
      readonly to: Point;
    }
  | {
      readonly kind: "wire";
      readonly from: number;
      readonly to: number;
      /** False deletes it. */
      readonly present: boolean;
    }
  | {
      readonly kind: "gear" | "instruction";
      readonly id: number;
      /** Null: all agents. */
      readonly agentId: number | null;
      readonly present: boolean;
    };

export interface Step {
  /** Shown after "Undo: ". */
  readonly label: string;
  readonly forward: readonly Change[];
  readonly backward: readonly Change[];
}

export interface History {
  /** Undone from the end. */
  readonly done: readonly Step[];
  /** Redone from the end. */
  readonly undone: readonly Step[];
}

export const STEPS_MAX = 100;
export const emptyHistory: History = { done: [], undone: [] };

/** A new step clears the redo list. */
export function recorded(history: History, step: Step): History {
  return { done: [...history.done, step].slice(-STEPS_MAX), undone: [] };
}

/** Moves a step to the redo list, also from the middle: a toast may offer to undo an older step. */
export function afterUndo({ done, undone }: History, step: Step): History {
  return { done: done.filter((one) => one !== step), undone: [...undone, step] };
}

export function afterRedo({ done, undone }: History, step: Step): History {
  return { done: [...done, step], undone: undone.filter((one) => one !== step) };
}

/** Drops a step that can no longer be done or undone. */
export function forgotten({ done, undone }: History, step: Step): History {
  return { done: done.filter((one) => one !== step), undone: undone.filter((one) => one !== step) };
}

/** A step that creates or deletes one thing. */
export function toggling(label: string, change: Exclude<Change, { kind: "move" }>): Step {
  return { label, forward: [change], backward: [{ ...change, present: !change.present }] };
}

export interface Move {
  readonly agentId: number;
  readonly from: Point;
  readonly to: Point;
}

/** Undefined if nothing moves. */
export function moving(label: string, moves: readonly Move[]): Step | undefined {
  const real = moves.filter(({ from, to }) => from.x !== to.x || from.y !== to.y);
  if (real.length === 0) return undefined;
  return {
    label,
    forward: real.map(({ agentId, to }) => ({ kind: "move", agentId, to })),
    backward: real.map(({ agentId, from }) => ({ kind: "move", agentId, to: from })),
  };
}
