// The context that the parts of a chat view share besides the workspace's state: unfolded items, text for the composer, a clock.

import { useNavigate } from "@solidjs/router";
import { createContext, createMemo, createSignal, useContext, type Accessor } from "solid-js";
import { createSeconds } from "../../kit/countdown.ts";
import { modelsQuery } from "../../state/lists.ts";
import { useHere, useSelection, type Selection } from "../../state/here.ts";
import type { Attaching } from "./attaching.ts";
import { type Branches, createBranches } from "./branches.ts";
import { isOpen } from "../../state/workspace-state.ts";

export interface Room {
  /** Survives streaming and virtual scrolling. */
  readonly isOpened: (key: string) => boolean;
  readonly toggle: (key: string, button: HTMLElement) => void;
  readonly onHold: (hold: (button: HTMLElement) => void) => void;
  /** Scrolls to the item with this key. */
  readonly reveal: (key: string) => void;
  readonly onReveal: (reveals: (key: string) => void) => void;
  /** Scrolls to the end of the conversation, and follows it from there. */
  readonly toEnd: () => void;
  readonly onToEnd: (goes: () => void) => void;
  /** Appends text to the composer and focuses it. */
  readonly compose: (text: string) => void;
  readonly onCompose: (hear: (text: string) => void) => void;
  /** Shows an earlier message in the composer, to be written again, once `place` has made its place; asks before a changed one is lost. */
  readonly revise: (message: string, place: () => Promise<void>) => Promise<void>;
  readonly onRevise: (hear: Room["revise"]) => void;
  /** In milliseconds; ticks only while a turn is open. */
  readonly now: Accessor<number>;
  /** Of an agent's model, or of the one that its turn was asked of. */
  readonly modelName: (agentId: number, chosen?: number | null) => string | undefined;
  /** Names are loaded or failed to load, so that text beside them no longer moves. */
  readonly namesKnown: Accessor<boolean>;
  readonly branches: Branches;
  /** The attachments of the message being written; undefined until that part has loaded. */
  readonly attaching: Accessor<Attaching | undefined>;
  readonly setAttaching: (attaching: Attaching | undefined) => void;
  readonly select: (selection: Selection) => void;
  readonly showInActivity: (turnId: number) => void;
  /** The address that opens the conversation at an entry. */
  readonly linkTo: (entryId: number) => string;
}

export const RoomContext = createContext<Room>();

export function useRoom(): Room {
  const room = useContext(RoomContext);
  if (!room) throw new Error("used outside the chat");
  return room;
}

export function createRoom(): Room {
  const here = useHere();
  const navigate = useNavigate();
  const [, select] = useSelection();
  const [opened, setOpened] = createSignal<ReadonlySet<string>>(new Set());
  const [attaching, setAttaching] = createSignal<Attaching>();
  const models = modelsQuery();
  const names = createMemo(() => new Map(models.data()?.map(({ id, distinct_label: label }) => [id, label])));
  const modelIds = createMemo(() => new Map(here.state().agents.map(({ id, model_id: of }) => [id, of])));
  let hear = (_text: string) => {};
  let revise: Room["revise"] = async () => {};
  let reveal = (_key: string) => {};
  let goToEnd = () => {};
  let hold = (_button: HTMLElement) => {};
  return {
    isOpened: (key) => opened().has(key),
    toggle: (key, button) => {
      hold(button);
      setOpened((before) => {
        const after = new Set(before);
        if (!after.delete(key)) after.add(key);
        return after;
      });
    },
    onHold: (holds) => (hold = holds),
    reveal: (key) => reveal(key),
    onReveal: (reveals) => (reveal = reveals),
    toEnd: () => goToEnd(),
    onToEnd: (goes) => (goToEnd = goes),
    compose: (text) => hear(text),
    onCompose: (hears) => (hear = hears),
    revise: (message, place) => revise(message, place),
    onRevise: (hears) => (revise = hears),
    now: createSeconds(
      () => here.feed.connection() === "live" && here.state().turns.some(({ status }) => isOpen(status)),
    ),
    namesKnown: () => !models.loading(),
    modelName: (agentId, chosen) => names().get(chosen ?? modelIds().get(agentId) ?? 0),
    branches: createBranches((attachments) => attaching()?.revise(attachments)),
    attaching,
    setAttaching: (next) => void setAttaching(() => next),
    select,
    linkTo: (entryId) => `${location.origin}/workspaces/${here.id}?entry=${entryId}`,
    showInActivity: (turnId) => navigate(`/workspaces/${here.id}/activity?turn=${turnId}`),
  };
}

/** `12 s`, `3 min 4 s`: whole seconds, for a running clock. */
export function elapsed(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
