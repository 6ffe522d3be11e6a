// Every change to a blueprint, from the canvas, the list and the inspector: one request each, recorded for undo. Only positions are applied
// optimistically; a refusal reverts them.

import { type Accessor, createRoot, createSignal } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldOf, Problem } from "../../api/problem.ts";
import { confirm } from "../../kit/dialog.tsx";
import { tellProblem } from "../../kit/toast.tsx";
import { plural, sentence } from "../../kit/format.ts";
import { type Here, useHere } from "../../state/here.ts";
import { nameOf } from "../../state/workspace-state.ts";
import {
  afterRedo,
  afterUndo,
  emptyHistory,
  forgotten,
  type History,
  type Move,
  moving,
  type Point,
  recorded,
  type Step,
  toggling,
} from "./history.ts";
import { createPositions } from "./positions.ts";
import { createSender } from "./sender.ts";

export interface Editing {
  /** Optimistic positions of cards whose move is not confirmed yet. */
  readonly positions: Accessor<ReadonlyMap<number, Point>>;
  /** Moves cards on the screen while they are dragged; nothing is sent. */
  readonly drag: (moves: ReadonlyMap<number, Point>) => void;
  /** Reverts dragged cards. */
  readonly drop: (agentIds: readonly number[]) => void;
  readonly move: (moves: readonly Move[], label?: string) => Promise<boolean>;
  readonly addWire: (from: number, to: number) => Promise<boolean>;
  /** Returns the step, for an undo offer; undefined if it was refused. */
  readonly removeWire: (from: number, to: number) => Promise<Step | undefined>;
  readonly bind: (
    kind: "gear" | "instruction",
    id: number,
    agentId: number | null,
    name: string,
  ) => Promise<boolean>;
  readonly unbind: (
    kind: "gear" | "instruction",
    id: number,
    agentId: number | null,
    name: string,
  ) => Promise<Step | undefined>;
  readonly grant: (agentId: number) => Promise<boolean>;
  /** Asks for confirmation. Grants are decisions of their own and cannot be undone. */
  readonly revoke: (grantId: number) => Promise<boolean>;
  readonly history: Accessor<History>;
  /** Undoes the last step, or the given one. */
  readonly undo: (step?: Step) => Promise<void>;
  readonly redo: () => Promise<void>;
  /** The last change as a sentence, for screen readers. */
  readonly said: Accessor<string>;
}

const known = new WeakMap<Here, Editing>();

/** One per workspace, so that the inspector and the canvas share the undo history. */
export function useEditing(): Editing {
  const here = useHere();
  const editing = known.get(here) ?? createRoot(() => createEditing(here));
  known.set(here, editing);
  return editing;
}

function createEditing(here: Here): Editing {
  const positions = createPositions(() => here.state().agents);
  const steps = createSteps(createSender(here, positions));
  const { perform } = steps;
  const name = (agentId: number | null) => (agentId === null ? "all agents" : nameOf(here.state(), agentId));
  return {
    positions: positions.shown,
    drag: positions.put,
    drop: positions.forget,
    history: steps.history,
    said: steps.said,
    move: async (moves, label) => {
      const step = moving(label ?? moveLabel(moves, name), moves);
      if (!step) {
        positions.forget(moves.map(({ agentId }) => agentId));
        return true;
      }
      positions.put(new Map(moves.map(({ agentId, to }) => [agentId, to])));
      return (await perform(step, step.label)) !== undefined;
    },
    addWire: async (from, to) => {
      const label = `wire from ${name(from)} to ${name(to)}`;
      return (
        (await perform(
          toggling(label, { kind: "wire", from, to, present: true }),
          `Created the ${label}`,
        )) !== undefined
      );
    },
    removeWire: (from, to) => {
      const label = `wire from ${name(from)} to ${name(to)}`;
      const step = toggling(`deletion of the ${label}`, { kind: "wire", from, to, present: false });
      return perform(step, `Deleted the ${label}`);
    },
    bind: async (kind, id, agentId, what) => {
      const label = `${kind} ${what} for ${name(agentId)}`;
      return (
        (await perform(toggling(label, { kind, id, agentId, present: true }), `Bound the ${label}`)) !==
        undefined
      );
    },
    unbind: (kind, id, agentId, what) => {
      const label = `${kind} ${what} for ${name(agentId)}`;
      const step = toggling(`unbinding of the ${label}`, { kind, id, agentId, present: false });
      return perform(step, `Unbound the ${label}`);
    },
    ...createGrants(here, steps, name),
    undo: (step) =>
      steps.turnBack(({ done }) => (step ? done.find((one) => one === step) : done.at(-1)), "undo"),
    redo: () => steps.turnBack(({ undone }) => undone.at(-1), "redo"),
  };
}

type Steps = ReturnType<typeof createSteps>;

/** Performs steps and remembers them for undo. */
function createSteps(sender: ReturnType<typeof createSender>) {
  const [history, setHistory] = createSignal(emptyHistory);
  const [said, setSaid] = createSignal("");
  // In sequence: a step can only be undone once it is done.
  let line: Promise<unknown> = Promise.resolve();
  const inLine = <T>(act: () => Promise<T>): Promise<T> => {
    const next = line.then(act, act);
    line = next.catch(() => {});
    return next;
  };
  const perform = (step: Step, text: string): Promise<Step | undefined> =>
    inLine(async () => {
      if (!(await succeeds(() => sender.ask(step.forward)))) return undefined;
      setHistory((before) => recorded(before, step));
      setSaid(text);
      return step;
    });
  // The step is looked up after the ones before it have ended.
  const turnBack = (find: (history: History) => Step | undefined, way: "undo" | "redo") =>
    inLine(async () => {
      const step = find(history());
      if (!step) return;
      const changes = way === "undo" ? step.backward : step.forward;
      const after = way === "undo" ? afterUndo : afterRedo;
      const went = await succeeds(() => sender.restore(changes));
      setHistory((before) => (went ? after(before, step) : forgotten(before, step)));
      if (went) setSaid(`${way === "undo" ? "Undone" : "Redone"}: ${step.label}`);
    });
  return { history, said, setSaid, inLine, perform, turnBack };
}

function createGrants(
  here: Here,
  { inLine, setSaid }: Pick<Steps, "inLine" | "setSaid">,
  name: (agentId: number) => string,
): Pick<Editing, "grant" | "revoke"> {
  return {
    grant: (agentId) =>
      inLine(async () => {
        const granted = await succeeds(() =>
          take(api.workspaces({ id: here.id }).egress.post({ agent_id: agentId })),
        );
        if (granted) setSaid(`Granted internet access to ${name(agentId)}`);
        return granted;
      }),
    revoke: async (grantId) => {
      const grant = here.state().grants.find(({ id }) => id === grantId);
      if (!grant) return true;
      const yes = await confirm({
        title: `Revoke internet access from ${name(grant.agent_id)}?`,
        text: "It can no longer request web searches. Its pending searches are rejected.",
        action: "Revoke",
      });
      if (!yes) return false;
      const taken = await succeeds(() => take(api["egress-grants"]({ id: grantId }).delete()));
      if (taken) setSaid(`Revoked internet access from ${name(grant.agent_id)}`);
      return taken;
    },
  };
}

function moveLabel(moves: readonly Move[], name: (agentId: number) => string): string {
  return moves.length === 1
    ? `move of ${name(moves[0]!.agentId)}`
    : `move of ${plural(moves.length, "agent")}`;
}

/** Shows the server's refusal without its field name, which means nothing on a canvas. */
async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const problem = asProblem(error);
    const words = fieldOf(problem)?.problem ?? problem.message;
    tellProblem(new Problem(sentence(words), problem.code, { status: problem.status }));
    return false;
  }
}
