// The turns that match a filter, newest first, in pages: read again when a turn begins, ends or spends, so that the list follows the workspace. An older
// answer never replaces a newer one.

import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { TurnFilter, TurnSummary } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { createProblem, onReachedAgain } from "../../api/reach.ts";
import { afterPause } from "../../kit/pause.ts";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { type Looked, withEarlier, withNewest } from "./looked-at.ts";

const PER_PAGE = 100;
/** The server's limit of one answer. */
const READ_AGAIN_MAX = 500;
/** While somebody types, and while turns change. */
const READ_AFTER_MS = 200;

export function createTurnPages(filter: Accessor<TurnFilter>) {
  const here = useHere();
  const [looked, setLooked] = createSignal<Looked<TurnSummary>>();
  const rows = () => looked()?.items;
  const before = () => looked()?.before ?? null;
  const [problem, setProblem] = createProblem();
  const [reading, setReading] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [again, setAgain] = createSignal(0);
  onCleanup(onReachedAgain(() => setAgain((times) => times + 1)));
  const page = (limit: number, from?: number) =>
    take(
      api.workspaces({ id: here.id }).turns.summaries.get({
        query: { limit, ...filter(), ...(from !== undefined && { before: from }) },
      }),
    );
  const changes = createMemo(() => {
    const { turns, usageChanges } = here.state();
    return `${usageChanges} ${turns.at(-1)?.id} ${turns.map(({ status }) => status[0]).join("")}`;
  });
  /** Of the turns that are shown. */
  let shown: TurnFilter | undefined;
  let latest = 0;
  const read = async (asked: TurnFilter) => {
    const own = (latest += 1);
    // The answer has looked at this turn, too.
    const newest = here.state().turns.at(-1)?.id ?? 0;
    setReading(true);
    try {
      const size = shown === asked ? (rows()?.length ?? 0) : 0;
      const limit = Math.min(READ_AGAIN_MAX, Math.max(PER_PAGE, size));
      const found = await page(limit);
      if (own !== latest || asked !== filter()) return;
      const front = { items: kept(rows() ?? [], found.turns), before: found.before, newest };
      setLooked((known) => withNewest(shown === asked ? known : undefined, front));
      shown = asked;
      setProblem(undefined);
    } catch (error) {
      if (own === latest) setProblem(asProblem(error));
    }
    if (own === latest) setReading(false);
  };
  createEffect(
    on([filter, changes, again], ([asked], previous) =>
      afterPause(previous === undefined ? 0 : READ_AFTER_MS, () => void read(asked)),
    ),
  );
  const loadEarlier = async () => {
    const from = before();
    const asked = filter();
    if (from === null || asked !== shown) return;
    setBusy(true);
    await attempt(async () => {
      const found = await page(PER_PAGE, from);
      if (asked !== shown) return;
      setLooked((known) => known && withEarlier(known, from, { items: found.turns, before: found.before }));
    });
    setBusy(false);
  };
  return { rows, before, problem, reading, busy, loadEarlier, retry: () => setAgain((times) => times + 1) };
}

/** Keeps what did not change, so that its row keeps the focus. */
function kept(shown: readonly TurnSummary[], read: readonly TurnSummary[]): readonly TurnSummary[] {
  const known = new Map(shown.map((turn) => [turn.id, turn]));
  return read.map((turn) => {
    const same = known.get(turn.id);
    return same && JSON.stringify(same) === JSON.stringify(turn) ? same : turn;
  });
}
