// Unsaved edits of files and documents. They are stored in this browser by person and place, so that they survive navigation and reload. Edits that are
// too long for storage last as long as the page, which then warns before it is left.

import { type Accessor, createSignal } from "solid-js";
import { keep, namesUnder, remember } from "../../kit/storage.ts";

/** Browsers store about five million characters per site. */
const DRAFT_CHARACTERS_KEPT_MAX = 500_000;
const DRAFTS_KEPT_MAX = 20;
/** Debounces storing while a person types. */
const KEEP_DELAY_MS = 300;

interface Draft {
  readonly text: string;
  /** The saved version that it is based on; null if there was no file. */
  readonly version: string | null;
}

export interface Drafts {
  /** The files with drafts. Tracked. */
  readonly paths: Accessor<ReadonlySet<string>>;
  readonly get: (path: string) => Draft | undefined;
  readonly set: (path: string, draft: Draft) => void;
  readonly drop: (path: string) => void;
  /** Stores pending drafts, and those that another tab replaced or dropped; returns false if one could not be stored. */
  readonly leave: () => boolean;
}

const places = new Map<string, Drafts>();

/** One per person and place, which is the number of a workspace or `context`; drafts outlive the screen. */
export function draftsOf(userId: number, within: number | "context"): Drafts {
  const place = `${userId}.${within}`;
  const drafts = places.get(place) ?? createDrafts(place);
  places.set(place, drafts);
  return drafts;
}

function createDrafts(place: string): Drafts {
  const prefix = `files.draft.${place}.`;
  const nameOf = (path: string) => prefix + path;
  const known = new Map<string, Draft>();
  // By their names, without a list of them: two tabs that change one list at once lose an entry.
  for (const name of namesUnder(prefix)) {
    const draft = remember<Draft>(name);
    if (draft) known.set(name.slice(prefix.length), draft);
  }
  /** As this page stored or read them last: another tab may have stored its own under the same name. */
  const own = new Map(known);
  const [paths, setPaths] = createSignal<ReadonlySet<string>>(new Set(known.keys()));
  const kept = new Set(known.keys());
  const isOwn = (path: string) => {
    const stored = remember<Draft>(nameOf(path));
    return stored?.text === own.get(path)?.text && stored?.version === own.get(path)?.version;
  };
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const write = (path: string) => {
    const draft = known.get(path);
    const fits =
      draft !== undefined &&
      draft.text.length <= DRAFT_CHARACTERS_KEPT_MAX &&
      (kept.has(path) || kept.size < DRAFTS_KEPT_MAX);
    if (fits) {
      if (!keep(nameOf(path), draft)) return;
      own.set(path, draft);
      kept.add(path);
    } else {
      if (isOwn(path)) keep(nameOf(path), undefined);
      own.delete(path);
      kept.delete(path);
    }
    waiting.delete(path);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const path of waiting) write(path);
    return waiting.size === 0 && [...known.keys()].every((path) => kept.has(path));
  };
  const change = (path: string) => {
    if (paths().has(path) !== known.has(path)) setPaths(new Set(known.keys()));
    waiting.add(path);
    timer ??= setTimeout(flush, KEEP_DELAY_MS);
  };
  return {
    paths,
    get: (path) => known.get(path),
    set: (path, draft) => {
      known.set(path, draft);
      change(path);
    },
    drop: (path) => {
      if (known.delete(path)) change(path);
    },
    leave: () => {
      for (const path of known.keys()) if (!isOwn(path)) waiting.add(path);
      return flush();
    },
  };
}

/** Stores the drafts of every place opened in this page. */
function leaveAll(): boolean {
  return [...places.values()].map((drafts) => drafts.leave()).every(Boolean);
}

addEventListener("pagehide", leaveAll);
addEventListener("beforeunload", (event) => {
  if (!leaveAll()) event.preventDefault();
});
