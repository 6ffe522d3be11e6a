// The actions that open screens offer in the palette.

import { createSignal, onCleanup } from "solid-js";
import type { Action } from "../kit/menu.tsx";

/** `group`: the heading that lists it. */
export interface OfferedAction extends Action {
  /** As a search names it (everywhere.tsx), so that it is listed once. */
  readonly id?: string;
  readonly group?: string;
}

type Source = () => readonly OfferedAction[];

const [sources, setSources] = createSignal<readonly Source[]>([]);

/** The actions of every open screen, the most recently opened first. */
export const offeredActions = () => sources().flatMap((source) => source());

/** Offers a screen's actions for as long as the screen is mounted. Tracked. */
export function useActions(actions: Source): void {
  setSources((before) => [actions, ...before]);
  onCleanup(() => setSources((before) => before.filter((source) => source !== actions)));
}
