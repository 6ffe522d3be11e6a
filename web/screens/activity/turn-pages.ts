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

const PER_PAGE = 100;
/** The server's limit of one answer. */
const READ_AGAIN_MAX = 500;
/** While somebody types, and while turns change. */
const READ_AFTER_MS = 200;

export function createTurnPages(filter: Accessor<TurnFilter>) {
  const here = useHere();
  const [rows, setRows] = createSignal<readonly TurnSummary[]>();
  const [before, setBefore] = createSignal<number | null>(null);
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
  let latest = 0;
  const read = async (asked: TurnFilter, isFirst: boolean) => {
    const own = (latest += 1);
    setReading(true);
    try {
      const limit = isFirst ? PER_PAGE : Math.min(READ_AGAIN_MAX, Math.max(PER_PAGE, rows()?.length ?? 0));
      const found = await page(limit);
      if (own !== latest || asked !== filter()) return;
      setRows((shown) => kept(shown ?? [], found.turns));
      setBefore(found.before);
      setProblem(undefined);
    } catch (error) {
      if (own === latest) setProblem(asProblem(error));
    }
    if (own === latest) setReading(false);
  };
  createEffect(
    on([filter, changes, again], ([asked], previous) => {
      const isFirst = previous?.[0] !== asked;
      afterPause(previous === undefined ? 0 : READ_AFTER_MS, () => void read(asked, isFirst));
    }),
  );
  const loadEarlier = async () => {
    const from = before();
    if (from === null) return;
    setBusy(true);
    const asked = filter();
    await attempt(async () => {
      const found = await page(PER_PAGE, from);
      if (asked !== filter()) return;
      setRows((shown) => [...(shown ?? []), ...found.turns]);
      setBefore(found.before);
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
