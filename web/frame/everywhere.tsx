// The results of the palette from the server: workspaces, messages, files, agents, gears and instructions. Asked while somebody types; an answer is shown
// only if nothing newer was answered.

import Bot from "lucide-solid/icons/bot";
import BookOpen from "lucide-solid/icons/book-open";
import Cog from "lucide-solid/icons/cog";
import FileText from "lucide-solid/icons/file-text";
import MessageSquare from "lucide-solid/icons/message-square";
import TextAlignStart from "lucide-solid/icons/text-align-start";
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { SearchAnswer, SearchKind, SearchResult } from "../../src/service/search/schema.ts";
import { api, take } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { onReachedAgain } from "../api/reach.ts";
import { moment } from "../kit/format.ts";
import { afterPause } from "../kit/pause.ts";
import { keep, remember } from "../kit/storage.ts";
import { me } from "../state/session.ts";
import type { Command } from "./command-list.tsx";

const ASK_AFTER_MS = 90;
/** While an older database is indexed, the answer changes by itself. */
const INDEXING_MS = 2_000;
const OPENED_KEPT_MAX = 20;

export interface Everywhere {
  /** Found for the last query that was answered. */
  readonly commands: Accessor<readonly Command[]>;
  /** A newer query is not answered yet. */
  readonly searching: Accessor<boolean>;
  /** Texts that are not indexed yet. */
  readonly indexing: Accessor<number>;
  readonly problem: Accessor<Problem | undefined>;
}

/** `go` opens an address. */
export function searchEverywhere(search: Accessor<string>, go: (path: string) => () => void): Everywhere {
  const [answer, setAnswer] = createSignal<SearchAnswer>();
  const [searching, setSearching] = createSignal(false);
  const [problem, setProblem] = createSignal<Problem>();
  let asked = 0;
  let shown = 0;
  let again: ReturnType<typeof setTimeout> | undefined;
  const ask = async (q: string, signal: AbortSignal) => {
    const turn = (asked += 1);
    try {
      const found = await take(api.search.get({ query: { q }, fetch: { signal } }));
      if (signal.aborted || turn < shown) return;
      shown = turn;
      setAnswer(found);
      setProblem(undefined);
      clearTimeout(again);
      if (found.indexing > 0) again = setTimeout(() => void ask(q, signal), INDEXING_MS);
    } catch (error) {
      if (!signal.aborted) setProblem(asProblem(error));
    }
    if (!signal.aborted) setSearching(false);
  };
  createEffect(
    on([search, createReached()], ([text]) => {
      const stop = new AbortController();
      onCleanup(() => stop.abort());
      if (text.trim() === "") {
        shown = asked;
        setAnswer(undefined);
        setSearching(false);
        return;
      }
      setSearching(true);
      afterPause(ASK_AFTER_MS, () => void ask(text, stop.signal));
    }),
  );
  onCleanup(() => clearTimeout(again));
  return {
    commands: () => answer()?.groups.flatMap(({ results }) => results.map((one) => commandOf(one, go))) ?? [],
    searching,
    indexing: () => answer()?.indexing ?? 0,
    problem,
  };
}

/** Changes when the server answers again after it could not be reached. */
function createReached(): Accessor<number> {
  const [times, setTimes] = createSignal(0);
  onCleanup(onReachedAgain(() => setTimes((before) => before + 1)));
  return times;
}

const LOOKS: Readonly<Record<SearchKind, { readonly group: string; readonly icon: typeof Bot }>> = {
  workspace: { group: "Workspaces", icon: TextAlignStart },
  entry: { group: "Messages", icon: MessageSquare },
  file: { group: "Files", icon: FileText },
  agent: { group: "Agents", icon: Bot },
  gear: { group: "Gears", icon: Cog },
  instruction: { group: "Instructions", icon: BookOpen },
};

function commandOf(result: SearchResult, go: (path: string) => () => void): Command {
  const { kind, title, snippet, workspace, workspace_id: place, entry, time } = result;
  const path = addressOf(result);
  const said = entry?.kind === "tool" && entry.tool !== null ? `${title.text}, ${entry.tool}` : title.text;
  const facts = [
    entry?.forgotten ? "forgotten" : undefined,
    entry?.aside ? "other branch" : undefined,
    workspace ?? undefined,
    entry && time !== null ? moment(time) : undefined,
  ];
  return {
    id: kind === "file" ? `file-${place}-${encodeURIComponent(title.text)}` : `${kind}-${result.id}`,
    group: LOOKS[kind].group,
    label: said,
    isPath: kind === "file",
    ranges: title.ranges,
    snippet: snippet ?? undefined,
    note: facts.filter((fact) => fact !== undefined).join(" · ") || undefined,
    icon: () => <Dynamic component={LOOKS[kind].icon} aria-hidden="true" />,
    address: path,
    run: go(path),
  };
}

function addressOf({ kind, id, workspace_id: place, title }: SearchResult): string {
  switch (kind) {
    case "workspace":
      return `/workspaces/${id}`;
    case "entry":
      return `/workspaces/${place}?entry=${id}`;
    case "file":
      return `/workspaces/${place}/files?path=${encodeURIComponent(title.text)}`;
    case "agent":
      return `/workspaces/${place}/blueprint?inspect=agent-${id}`;
    case "gear":
      return `/gears/${id}`;
    case "instruction":
      return `/library/${id}`;
  }
}

/** A result that was opened, to offer it again. */
interface Opened {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly isPath?: boolean | undefined;
  readonly note?: string | undefined;
  readonly address: string;
}

const openedKey = () => `search.opened.${me()?.id ?? 0}`;

export function keepOpened({ id, group, label, isPath, note, address }: Command): void {
  if (address === undefined) return;
  const before = remember<Opened[]>(openedKey()) ?? [];
  const others = before.filter((one) => one.id !== id);
  keep(openedKey(), [{ id, group, label, isPath, note, address }, ...others].slice(0, OPENED_KEPT_MAX));
}

/** Results that this person opened before, as commands. */
export function openedBefore(go: (path: string) => () => void): readonly Command[] {
  const icons = new Map(Object.values(LOOKS).map(({ group, icon }) => [group, icon]));
  return (remember<Opened[]>(openedKey()) ?? []).map((one) => ({
    ...one,
    icon: () => <Dynamic component={icons.get(one.group) ?? FileText} aria-hidden="true" />,
    run: go(one.address),
  }));
}
