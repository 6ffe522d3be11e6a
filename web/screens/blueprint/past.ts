// The blueprint as of an earlier turn, selected with the slider. The previous state stays until the next one is loaded, to avoid flicker.

import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { createPages } from "../../kit/paged-list.ts";
import type { Here } from "../../state/here.ts";
import { type Shown, shownOf } from "./graph.ts";

/** Delays loading, so that a moving slider skips the turns it passes. */
const SETTLE_MS = 120;
const TURNS_PER_PAGE = 100;

export interface Past {
  /** Started turns, oldest first. */
  readonly turns: Accessor<readonly Turn[]>;
  /** True if turns before the first of these may exist. */
  readonly hasEarlier: Accessor<boolean>;
  readonly loadingEarlier: Accessor<boolean>;
  readonly loadEarlier: () => Promise<unknown>;
  /** Undefined: now. */
  readonly turn: Accessor<Turn | undefined>;
  /** Undefined returns to now. */
  readonly look: (turnId: number | undefined) => void;
  /** Undefined: now, or not loaded yet. */
  readonly shown: Accessor<Shown | undefined>;
  readonly loading: Accessor<boolean>;
  readonly problem: Accessor<Problem | undefined>;
}

export function createPast(here: Here): Past {
  const [at, setAt] = createSignal<number>();
  const [settled, setSettled] = createSignal<number>();
  const known = createMemo(() => here.state().turns);
  const pages = createPages<Turn>({
    of: () => here.id,
    newest: () => ({ items: known().toReversed(), isLast: known().length < TURNS_PER_PAGE }),
    read: async (before) => {
      const query = { before, limit: TURNS_PER_PAGE };
      const page = await take(api.workspaces({ id: here.id }).turns.get({ query }));
      return { items: page.toReversed(), isLast: page.length < TURNS_PER_PAGE };
    },
    numberOf: ({ id }) => id,
  });
  const turns = createMemo(() =>
    pages
      .all()
      .filter(({ started_at: began }) => began !== null)
      .toReversed(),
  );

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
    hasEarlier: pages.more,
    loadingEarlier: pages.busy,
    loadEarlier: pages.readEarlier,
    look,
    shown,
    problem: () => (at() === undefined ? undefined : query.problem()),
    turn: createMemo(() => turns().find(({ id }) => id === at())),
    loading: () => at() !== undefined && query.data()?.turn_id !== at() && query.problem() === undefined,
  };
}
