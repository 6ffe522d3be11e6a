// What was changed on the blueprint and how to take it back. Pure: a step names things by what they connect, never by the id of a record,
// since a wire that is drawn again has another id.

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
      /** False: it is taken away. */
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
  /** In words, after "Undo: ". */
  readonly label: string;
  readonly forward: readonly Change[];
  readonly backward: readonly Change[];
}

export interface History {
  /** The last one is undone first. */
  readonly done: readonly Step[];
  /** The last one is redone first. */
  readonly undone: readonly Step[];
}

export const STEPS_MAX = 100;
export const emptyHistory: History = { done: [], undone: [] };

/** A new step ends what could be redone. */
export function recorded(history: History, step: Step): History {
  return { done: [...history.done, step].slice(-STEPS_MAX), undone: [] };
}

/** Moves the step to the other side; out of the middle too: a message may offer to undo what is not the last any more. */
export function afterUndo({ done, undone }: History, step: Step): History {
  return { done: done.filter((one) => one !== step), undone: [...undone, step] };
}

export function afterRedo({ done, undone }: History, step: Step): History {
  return { done: [...done, step], undone: undone.filter((one) => one !== step) };
}

/** It can't be done any more, in either direction. */
export function forgotten({ done, undone }: History, step: Step): History {
  return { done: done.filter((one) => one !== step), undone: undone.filter((one) => one !== step) };
}

/** A step that adds or takes away one thing. */
export function toggling(label: string, change: Exclude<Change, { kind: "move" }>): Step {
  return { label, forward: [change], backward: [{ ...change, present: !change.present }] };
}

export interface Move {
  readonly agentId: number;
  readonly from: Point;
  readonly to: Point;
}

/** Undefined when nothing of it moves. */
export function moving(label: string, moves: readonly Move[]): Step | undefined {
  const real = moves.filter(({ from, to }) => from.x !== to.x || from.y !== to.y);
  if (real.length === 0) return undefined;
  return {
    label,
    forward: real.map(({ agentId, to }) => ({ kind: "move", agentId, to })),
    backward: real.map(({ agentId, from }) => ({ kind: "move", agentId, to: from })),
  };
}
