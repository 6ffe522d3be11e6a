// What was typed into files and not saved yet. It is kept in this browser for each person and workspace, so that it survives another file,
// another screen and a reload; what is too long for that lives as long as the page, which then warns before it goes.

import { type Accessor, createSignal } from "solid-js";
import { keep, remember } from "../../kit/storage.ts";

/** A browser keeps some five million characters for all that we remember. */
const DRAFT_CHARACTERS_KEPT_MAX = 500_000;
const DRAFTS_KEPT_MAX = 20;
/** Typing goes on while it is written. */
const KEEP_DELAY_MS = 300;

export interface Draft {
  readonly text: string;
  /** The saved version that it was typed over; null: there was no such file. */
  readonly version: string | null;
}

export interface Drafts {
  /** The files that have one. Tracked. */
  readonly paths: Accessor<ReadonlySet<string>>;
  readonly get: (path: string) => Draft | undefined;
  readonly set: (path: string, draft: Draft) => void;
  readonly drop: (path: string) => void;
  /** Writes down what waits for it; false when something could not be kept. */
  readonly flush: () => boolean;
}

const places = new Map<string, Drafts>();

/** The same ones whenever somebody asks: they do not end with the screen. */
export function draftsOf(userId: number, workspaceId: number): Drafts {
  const place = `${userId}.${workspaceId}`;
  const drafts = places.get(place) ?? createDrafts(place);
  places.set(place, drafts);
  return drafts;
}

function createDrafts(place: string): Drafts {
  const indexName = `files.drafts.${place}`;
  const nameOf = (path: string) => `files.draft.${place}.${path}`;
  const known = new Map<string, Draft>();
  for (const path of remember<string[]>(indexName) ?? []) {
    const draft = remember<Draft>(nameOf(path));
    if (draft) known.set(path, draft);
  }
  const [paths, setPaths] = createSignal<ReadonlySet<string>>(new Set(known.keys()));
  const kept = new Set(known.keys());
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
      kept.add(path);
    } else {
      keep(nameOf(path), undefined);
      kept.delete(path);
    }
    waiting.delete(path);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const path of waiting) write(path);
    keep(indexName, [...kept]);
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
    flush,
  };
}

/** All of them, of all workspaces that were open in this page. */
function flushAll(): boolean {
  return [...places.values()].map((drafts) => drafts.flush()).every(Boolean);
}

addEventListener("pagehide", flushAll);
addEventListener("beforeunload", (event) => {
  if (!flushAll()) event.preventDefault();
});
