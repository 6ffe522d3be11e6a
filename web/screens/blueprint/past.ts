// The blueprint as it was when an earlier turn began, chosen with the slider. What was read stays until the next is there, so that
// sliding does not flicker.

import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { attempt } from "../../kit/toast.tsx";
import type { Here } from "../../state/here.ts";
import { type Shown, shownOf } from "./graph.ts";

/** While the slider moves, not every turn on the way is read. */
const SETTLE_MS = 120;
const TURNS_PER_PAGE = 100;

export interface Past {
  /** Turns that have begun, oldest first. */
  readonly turns: Accessor<readonly Turn[]>;
  /** There may be turns before the first of these. */
  readonly hasEarlier: Accessor<boolean>;
  readonly loadEarlier: () => Promise<unknown>;
  /** Undefined: now. */
  readonly turn: Accessor<Turn | undefined>;
  /** Undefined: back to now. */
  readonly look: (turnId: number | undefined) => void;
  /** Undefined: now, or nothing was read yet. */
  readonly shown: Accessor<Shown | undefined>;
  readonly loading: Accessor<boolean>;
  readonly problem: Accessor<Problem | undefined>;
}

export function createPast(here: Here): Past {
  const [earlier, setEarlier] = createSignal<readonly Turn[]>([]);
  const [reachedFirst, setReachedFirst] = createSignal(false);
  const [at, setAt] = createSignal<number>();
  const [settled, setSettled] = createSignal<number>();
  const known = createMemo(() => here.state().turns);
  const turns = createMemo(() =>
    [...earlier(), ...known()].filter(({ started_at: began }) => began !== null),
  );
  const hasEarlier = () => !reachedFirst() && known().length >= TURNS_PER_PAGE;

  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const look = (turnId: number | undefined) => {
    setAt(turnId);
    clearTimeout(timer);
    if (turnId === undefined) setSettled(undefined);
    else timer = setTimeout(() => setSettled(turnId), SETTLE_MS);
  };
  const query = createQuery(() => {
    const turnId = settled();
    if (turnId === undefined) return undefined;
    return {
      key: ["blueprint", here.id, turnId],
      read: () => take(api.workspaces({ id: here.id }).blueprint.get({ query: { at: turnId } })),
    };
  });
  const [shown, setShown] = createSignal<Shown>();
  createEffect(() => {
    const record = query.data();
    if (at() === undefined) setShown(undefined);
    else if (record && record.turn_id === settled()) setShown(shownOf(record));
  });

  return {
    turns,
    hasEarlier,
    look,
    shown,
    problem: () => (at() === undefined ? undefined : query.problem()),
    turn: createMemo(() => turns().find(({ id }) => id === at())),
    loading: () => at() !== undefined && query.data()?.turn_id !== at() && query.problem() === undefined,
    loadEarlier: () =>
      attempt(async () => {
        const before = (earlier()[0] ?? known()[0])?.id;
        if (before === undefined) return;
        const page = await take(
          api.workspaces({ id: here.id }).turns.get({ query: { before, limit: TURNS_PER_PAGE } }),
        );
        const sorted = page.toSorted((a, b) => a.id - b.id).filter(({ id }) => id < before);
        setEarlier((had) => [...sorted, ...had]);
        setReachedFirst(page.length < TURNS_PER_PAGE);
      }),
  };
}
