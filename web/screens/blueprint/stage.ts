// The context that the canvas provides to its components: scene, viewport, selection, live state.

import { type Accessor, createContext, useContext } from "solid-js";
import type { Selection } from "../../state/here.ts";
import type { Connecting } from "./connecting.ts";
import type { MakeDraggable } from "./dragging.ts";
import type { Editing } from "../../parts/editing/editing.ts";
import type { Figures } from "./figures.ts";
import type { Live } from "../../state/live.ts";
import type { Scene } from "./scene.ts";
import type { View } from "./viewport.ts";

export interface Stage {
  readonly scene: Scene;
  readonly view: View;
  readonly editing: Editing;
  readonly figures: Figures;
  readonly live: Accessor<Live>;
  readonly connecting: Connecting;
  readonly draggable: MakeDraggable;
  /** Agents selected with Shift; they move together. */
  readonly chosen: Accessor<ReadonlySet<number>>;
  readonly choose: (ids: ReadonlySet<number>) => void;
  readonly selection: Accessor<Selection | undefined>;
  readonly select: (selection: Selection | undefined) => void;
  /** True while an earlier turn is shown, which cannot be edited. */
  readonly readOnly: Accessor<boolean>;
  /** Why web search is unavailable; undefined: available. */
  readonly gateClosed: Accessor<string | undefined>;
}

/** A selection of several agents takes precedence over the inspector's. */
export function isSelected({ chosen, selection }: Stage, agentId: number): boolean {
  if (chosen().size > 0) return chosen().has(agentId);
  const one = selection();
  return one?.kind === "agent" && one.id === agentId;
}

export const StageContext = createContext<Stage>();

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("used outside the canvas");
  return stage;
}
