// The entries of one turn: from the workspace's feed, or read page by page for older turns.

import { type Accessor, createMemo } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { type Here, useHere } from "../../state/here.ts";

const PAGE = 500;

/** Undefined until they are read. */
export function turnEntries(turnId: Accessor<number | undefined>): Accessor<readonly Entry[] | undefined> {
  const here = useHere();
  const held = createMemo(() => {
    const id = turnId();
    const { entries, hasEarlier } = here.state();
    return id !== undefined && (!hasEarlier || (entries[0]?.turn_id ?? 0) < id)
      ? entries.filter((entry) => entry.turn_id === id)
      : undefined;
  });
  const query = createQuery(() => {
    const id = turnId();
    return id === undefined || held()
      ? undefined
      : { key: ["turn-entries", id], read: () => readBack(here, id) };
  });
  return () => held() ?? query.data();
}

async function readBack(here: Here, turnId: number): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let before = here.state().entries[0]?.id;
  for (;;) {
    const query = before === undefined ? { limit: PAGE } : { before, limit: PAGE };
    const page = await take(api.workspaces({ id: here.id }).entries.get({ query }));
    found.unshift(...page.filter((entry) => entry.turn_id === turnId));
    if (page.length < PAGE || page[0]!.turn_id < turnId) break;
    before = page[0]!.id;
  }
  const held = here.state().entries.filter((entry) => entry.turn_id === turnId);
  return [...found, ...held];
}

/** One entry, from the feed or the server. Null if there is none. */
export function entryById(id: Accessor<number>): Accessor<Entry | null | undefined> {
  const here = useHere();
  const held = createMemo(() => here.state().entries.find((entry) => entry.id === id()));
  const query = createQuery(() => {
    const wanted = id();
    if (held()) return undefined;
    return {
      key: ["entry", here.id, wanted],
      read: async () => {
        const page = await take(
          api.workspaces({ id: here.id }).entries.get({ query: { before: wanted + 1, limit: 1 } }),
        );
        return page.find((entry) => entry.id === wanted) ?? null;
      },
    };
  });
  return () => held() ?? query.data();
}
