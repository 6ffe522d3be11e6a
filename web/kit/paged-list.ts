// A list that is read in pages, newest first: its newest page as often as any query, earlier ones on request. New items move others out of the newest
// page; those stay in the list.

import type { QueryKey } from "@tanstack/query-core";
import { type Accessor, createMemo, createSignal } from "solid-js";
import { createQuery, type Query } from "../api/query.ts";
import { createAction } from "./action.ts";
import { joined } from "./joined-pages.ts";

interface Options<Subject, T> {
  /** Tracked. Another subject has another list. */
  readonly of: () => Subject;
  /** Tracked. The newest page is read again when its key changes. */
  readonly key: (subject: Subject) => QueryKey;
  /** Reads the newest page, or the one with the items before this number. */
  readonly read: (subject: Subject, before?: number) => Promise<readonly T[]>;
  /** Higher for newer items. */
  readonly numberOf: (item: T) => number;
  readonly isLast: (page: readonly T[]) => boolean;
  /** Milliseconds between reads of the newest page. */
  readonly every?: number;
}

interface Page<T> {
  /** The subject as JSON. */
  readonly of: string;
  readonly items: readonly T[];
}

interface Front<T> extends Page<T> {
  /** The page that it began with; it has the same end. */
  readonly first: readonly T[] | undefined;
}

interface Earlier<T> {
  /** They follow the front that began with this page. */
  readonly first: readonly T[] | undefined;
  readonly items: readonly T[];
  readonly isWhole: boolean;
}

interface PagedList<T> {
  /** The newest page. */
  readonly query: Query<unknown>;
  readonly all: Accessor<readonly T[]>;
  /** Whether there are earlier items. */
  readonly more: Accessor<boolean>;
  readonly busy: Accessor<boolean>;
  readonly readEarlier: () => Promise<boolean>;
}

export function createPagedList<Subject, T>(options: Options<Subject, T>): PagedList<T> {
  const { numberOf, isLast, every } = options;
  const query = createQuery<Page<T>>(
    () => {
      const subject = options.of();
      const read = async () => ({ of: JSON.stringify(subject), items: await options.read(subject) });
      return { key: options.key(subject), read };
    },
    every === undefined ? {} : { every },
  );
  const front = createMemo<Front<T>>(
    (before) => {
      const of = JSON.stringify(options.of());
      const known = before.of === of ? before : { of, items: [], first: undefined };
      const page = query.data();
      if (page?.of !== of) return known;
      const items = joined(page.items, known.items, numberOf);
      return { of, items, first: items === page.items ? page.items : known.first };
    },
    { of: "", items: [], first: undefined },
  );
  const [read, setRead] = createSignal<Earlier<T>>({ first: undefined, items: [], isWhole: true });
  const earlier = createMemo<Earlier<T>>(() => {
    const { first } = front();
    return read().first === first ? read() : { first, items: [], isWhole: !first || isLast(first) };
  });
  const all = createMemo(() => [...front().items, ...earlier().items]);
  const reading = createAction(async () => {
    const { first, items } = earlier();
    const page = await options.read(options.of(), numberOf(all().at(-1)!));
    if (earlier().first === first) setRead({ first, items: [...items, ...page], isWhole: isLast(page) });
  });
  return { query, all, more: () => !earlier().isWhole, busy: reading.busy, readEarlier: reading.run };
}
