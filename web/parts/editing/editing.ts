// Everything that changes a blueprint, from the canvas, the list and the inspector alike: one call each, remembered so that it can be
// undone. Only positions are shown before the server agreed; a refusal puts them back.

import { type Accessor, createRoot, createSignal } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldOf, Problem } from "../../api/problem.ts";
import { confirm } from "../../kit/dialog.tsx";
import { tellProblem } from "../../kit/toast.tsx";
import { plural } from "../../kit/format.ts";
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
  /** Where cards stand that were moved and of which the server's word is still to come. */
  readonly positions: Accessor<ReadonlyMap<number, Point>>;
  /** Shows cards elsewhere while they are dragged; nothing is sent. */
  readonly drag: (moves: ReadonlyMap<number, Point>) => void;
  /** Puts dragged cards back. */
  readonly drop: (agentIds: readonly number[]) => void;
  readonly move: (moves: readonly Move[], label?: string) => Promise<boolean>;
  readonly addWire: (from: number, to: number) => Promise<boolean>;
  /** The step, to offer to undo it; undefined when it was refused. */
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
  /** Asks first: to grant is a decision of its own, so it is not among what can be undone. */
  readonly revoke: (grantId: number) => Promise<boolean>;
  readonly history: Accessor<History>;
  /** The last step, or this one. */
  readonly undo: (step?: Step) => Promise<void>;
  readonly redo: () => Promise<void>;
  /** The last thing that was done, in a sentence: for readers, who do not see the line appear. */
  readonly said: Accessor<string>;
}

const known = new WeakMap<Here, Editing>();

/** One for a workspace, so that the inspector and the canvas share what can be undone. */
export function useEditing(): Editing {
  const here = useHere();
  const editing = known.get(here) ?? createRoot(() => createEditing(here));
  known.set(here, editing);
  return editing;
}

function createEditing(here: Here): Editing {
  const positions = createPositions(() => here.state().agents);
  const [history, setHistory] = createSignal(emptyHistory);
  const [said, setSaid] = createSignal("");
  const sender = createSender(here, positions);
  // One after the other: what is undone must have been done.
  let line: Promise<unknown> = Promise.resolve();
  const inLine = <T>(act: () => Promise<T>): Promise<T> => {
    const next = line.then(act, act);
    line = next.catch(() => {});
    return next;
  };
  const name = (agentId: number | null) => (agentId === null ? "all agents" : nameOf(here.state(), agentId));

  const perform = (step: Step, sentence: string): Promise<Step | undefined> =>
    inLine(async () => {
      if (!(await succeeds(() => sender.ask(step.forward)))) return undefined;
      setHistory((before) => recorded(before, step));
      setSaid(sentence);
      return step;
    });
  // Which step it is, is known only when those before it have ended.
  const turnBack = (find: (history: History) => Step | undefined, way: "undo" | "redo") =>
    inLine(async () => {
      const step = find(history());
      if (!step) return;
      const changes = way === "undo" ? step.backward : step.forward;
      const after = way === "undo" ? afterUndo : afterRedo;
      const went = await succeeds(() => sender.restore(changes));
      setHistory((before) => (went ? after(before, step) : forgotten(before, step)));
      if (went) setSaid(`${way === "undo" ? "Undone" : "Done again"}: ${step.label}`);
    });

  return {
    positions: positions.shown,
    drag: positions.put,
    drop: positions.forget,
    history,
    said,
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
        (await perform(toggling(label, { kind: "wire", from, to, present: true }), `Added the ${label}`)) !==
        undefined
      );
    },
    removeWire: (from, to) => {
      const label = `wire from ${name(from)} to ${name(to)}`;
      const step = toggling(`removal of the ${label}`, { kind: "wire", from, to, present: false });
      return perform(step, `Removed the ${label}`);
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
      const step = toggling(`removal of the ${label}`, { kind, id, agentId, present: false });
      return perform(step, `Removed the ${label}`);
    },
    grant: (agentId) =>
      inLine(async () => {
        const granted = await succeeds(() =>
          take(api.workspaces({ id: here.id }).egress.post({ agent_id: agentId })),
        );
        if (granted) setSaid(`${name(agentId)} may ask for web searches`);
        return granted;
      }),
    revoke: async (grantId) => {
      const grant = here.state().grants.find(({ id }) => id === grantId);
      if (!grant) return true;
      const yes = await confirm({
        title: "Take the internet away?",
        text: `${name(grant.agent_id)} can't ask for web searches any more. Searches that it asked for and nobody has decided on are refused.`,
        action: "Take away",
      });
      if (!yes) return false;
      const taken = await succeeds(() => take(api["egress-grants"]({ id: grantId }).delete()));
      if (taken) setSaid(`${name(grant.agent_id)} can't ask for web searches any more`);
      return taken;
    },
    undo: (step) => turnBack(({ done }) => (step ? done.find((one) => one === step) : done.at(-1)), "undo"),
    redo: () => turnBack(({ undone }) => undone.at(-1), "redo"),
  };
}

function moveLabel(moves: readonly Move[], name: (agentId: number) => string): string {
  return moves.length === 1
    ? `move of ${name(moves[0]!.agentId)}`
    : `move of ${plural(moves.length, "agent")}`;
}

/** What the server said is told; its name of a field says nothing to who drew a line. */
async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const problem = asProblem(error);
    const words = fieldOf(problem)?.problem ?? problem.message;
    tellProblem(new Problem(words.charAt(0).toUpperCase() + words.slice(1), problem.code, problem.status));
    return false;
  }
}
