// The turns that match a filter among those that were looked at, from the newest to some earlier one. An answer looks at more turns than it holds.

interface Numbered {
  readonly id: number;
}

interface Page<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** The earliest turn that was looked at; null: there is none before. */
  readonly before: number | null;
}

export interface Looked<T> extends Page<T> {
  /** The newest turn that was looked at. */
  readonly newest: number;
}

/** Joins the newest page with what is known. Drops what is known if turns between the two were not looked at. */
export function withNewest<T extends Numbered>(known: Looked<T> | undefined, page: Looked<T>): Looked<T> {
  const { before } = page;
  if (known === undefined || before === null || before > known.newest) return page;
  if (known.before !== null && known.before >= before) return page;
  return {
    ...page,
    items: [...page.items, ...known.items.filter(({ id }) => id < before)],
    before: known.before,
  };
}

/** Adds the page of turns before `from`, unless what is known ends elsewhere by now. */
export function withEarlier<T extends Numbered>(known: Looked<T>, from: number, page: Page<T>): Looked<T> {
  return known.before === from ? { ...known, ...page, items: [...known.items, ...page.items] } : known;
}
