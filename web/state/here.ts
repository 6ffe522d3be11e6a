// The context that the views of one workspace share: its feed and the inspector's selection. The workspace screen provides it.

import { useSearchParams } from "@solidjs/router";
import { type Accessor, createContext, createMemo, useContext } from "solid-js";
import type { Feed } from "./feed.ts";
import { usePaneAddress } from "./pane-address.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/** The inspector's subject; in the address as `?inspect=agent-3`. */
export type Selection = {
  readonly kind:
    | "workspace"
    | "agent"
    | "wire"
    | "gear-binding"
    | "instruction-binding"
    | "grant"
    | "entry"
    | "call"
    | "tool";
  readonly id: number;
  /** The turn of a tool call, in which `id` counts from 1. In the address as `tool-14.3`. */
  readonly turnId?: number;
};

export const workspaceViews = ["chat", "blueprint", "files", "memory", "activity"] as const;
export type WorkspaceView = (typeof workspaceViews)[number];

export interface Here {
  readonly id: number;
  readonly feed: Feed;
  /** Always defined inside the views. */
  readonly state: Accessor<WorkspaceState>;
  readonly view: Accessor<WorkspaceView>;
}

export const HereContext = createContext<Here>();

export function useHere(): Here {
  const here = useContext(HereContext);
  if (!here) throw new Error("used outside a workspace");
  return here;
}

const SELECTION = /^(workspace|agent|wire|gear-binding|instruction-binding|grant|entry|call)-([1-9]\d*)$/;
const TOOL = /^tool-([1-9]\d*)\.([1-9]\d*)$/;

function read(text: string): Selection | undefined {
  const tool = TOOL.exec(text);
  if (tool) return { kind: "tool", id: Number(tool[2]), turnId: Number(tool[1]) };
  const match = SELECTION.exec(text);
  return match ? { kind: match[1] as Selection["kind"], id: Number(match[2]) } : undefined;
}

/** Formats a selection for the address, after `inspect=`. */
export function written({ kind, id, turnId }: Selection): string {
  return kind === "tool" ? `tool-${turnId}.${id}` : `${kind}-${id}`;
}

/** Returns the selection and its setter; undefined closes the inspector. */
export function useSelection(): [
  Accessor<Selection | undefined>,
  (selection: Selection | undefined) => void,
] {
  const [params] = useSearchParams<{ inspect: string }>();
  const selection = createMemo(() => read(params.inspect ?? ""), undefined, {
    equals: (a, b) => a?.kind === b?.kind && a?.id === b?.id && a?.turnId === b?.turnId,
  });
  const set = usePaneAddress(() => selection() !== undefined);
  return [selection, (next) => set({ inspect: next && written(next) }, { opens: next !== undefined })];
}
