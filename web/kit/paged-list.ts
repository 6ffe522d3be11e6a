// A list that is read in pages, newest first: its newest page as often as any query, earlier ones on request. New items move others out of the newest
// page; those stay in the list.

import type { QueryKey } from "@tanstack/query-core";
import { type Accessor, createMemo, createSignal } from "solid-js";
import { createQuery, type Query } from "../api/query.ts";
import { createAction } from "./action.ts";
import { joined } from "./joined-pages.ts";

/** A page, or an end of the list. */
interface Page<T> {
  readonly items: readonly T[];
  /** Nothing is before these. */
  readonly isLast: boolean;
}

interface PagesOptions<T> {
  /** Tracked. Another subject has another list. */
  readonly of: Accessor<unknown>;
  /** Tracked: the newest page of this subject; undefined until it is read. */
  readonly newest: Accessor<Page<T> | undefined>;
  /** Reads the page with the items before this number. */
  readonly read: (before: number) => Promise<Page<T>>;
  /** Higher for newer items. */
  readonly numberOf: (item: T) => number;
}

interface Front<T> {
  readonly of: unknown;
  readonly items: readonly T[];
  /** The page that it began with. */
  readonly first: Page<T> | undefined;
}

interface Earlier<T> extends Page<T> {
  /** They follow the front that began with this page. */
  readonly first: Page<T> | undefined;
}

interface Pages<T> {
  readonly all: Accessor<readonly T[]>;
  /** Whether there are earlier items. */
  readonly more: Accessor<boolean>;
  readonly busy: Accessor<boolean>;
  readonly readEarlier: () => Promise<boolean>;
}

/** For a newest page that comes from elsewhere. */
export function createPages<T>({ of, newest, read, numberOf }: PagesOptions<T>): Pages<T> {
  const front = createMemo<Front<T>>(
    (before) => {
      const known = before.of === of() ? before : { of: of(), items: [], first: undefined };
      const page = newest();
      if (page === undefined) return known;
      const items = joined(page.items, known.items, numberOf);
      return { of: of(), items, first: items === page.items ? page : known.first };
    },
    { of: of(), items: [], first: undefined },
  );
  const [found, setFound] = createSignal<Earlier<T>>({ first: undefined, items: [], isLast: true });
  const earlier = createMemo<Earlier<T>>(() => {
    const { first } = front();
    return found().first === first ? found() : { first, items: [], isLast: first?.isLast ?? true };
  });
  const all = createMemo(() => {
    const { items } = front();
    const end = items.at(-1);
    // The newest page may have grown at its end.
    return end === undefined
      ? items
      : [...items, ...earlier().items.filter((item) => numberOf(item) < numberOf(end))];
  });
  const reading = createAction(async () => {
    const { first, items } = earlier();
    const page = await read(numberOf(all().at(-1)!));
    if (earlier().first === first) setFound({ first, items: [...items, ...page.items], isLast: page.isLast });
  });
  return { all, more: () => !earlier().isLast, busy: reading.busy, readEarlier: reading.run };
}

interface ListOptions<Subject, T> {
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

interface PagedList<T> extends Pages<T> {
  /** The newest page. */
  readonly query: Query<unknown>;
}

export function createPagedList<Subject, T>(options: ListOptions<Subject, T>): PagedList<T> {
  const { numberOf, every } = options;
  /** The subject as JSON. */
  const of = createMemo(() => JSON.stringify(options.of()));
  const read = async (subject: Subject, before?: number): Promise<Page<T>> => {
    const items = await options.read(subject, before);
    return { items, isLast: options.isLast(items) };
  };
  const query = createQuery(
    () => {
      const subject = options.of();
      const about = of();
      return {
        key: options.key(subject),
        read: async () => ({ of: about, page: await read(subject) }),
      };
    },
    every === undefined ? {} : { every },
  );
  const newest = createMemo(() => {
    const found = query.data();
    return found?.of === of() ? found.page : undefined;
  });
  return {
    query,
    ...createPages({ of, newest, read: (before) => read(options.of(), before), numberOf }),
  };
}
