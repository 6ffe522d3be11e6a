// Keyboard commands of the canvas: zoom, move the focus, inspect, move an agent, delete the selection, undo. Ignored in text fields.

import { isInputDOMNode } from "@xyflow/system";
import { onCleanup, onMount } from "solid-js";
import { cardId } from "./card.tsx";
import { type Direction, neighbourOf, type Point } from "./geometry.ts";
import type { Stage } from "./stage.ts";

const STEP = 20;
/** Merges quick presses into one undo step. */
const PAUSE_MS = 600;

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const BY: Readonly<Record<Direction, Point>> = {
  left: { x: -STEP, y: 0 },
  right: { x: STEP, y: 0 },
  up: { x: 0, y: -STEP },
  down: { x: 0, y: STEP },
};

interface Acts {
  /** Deletes the selection, if it can be deleted. */
  readonly remove: () => void;
  /** Closes the overlays of the canvas. */
  readonly close: () => void;
}

/** The `onKeyDown` handler of the canvas. */
export function createCanvasKeys(stage: Stage, acts: Acts): (event: KeyboardEvent) => void {
  const nudge = createNudge(stage);
  return (event) => {
    if (isInputDOMNode(event) || event.altKey || event.ctrlKey || event.metaKey) return;
    const card = (event.target as HTMLElement).closest<HTMLElement>("[data-agent]");
    const id = card ? Number(card.dataset["agent"]) : undefined;
    if (!onCard(event, id, stage, nudge) && !onCanvas(event, stage, acts)) return;
    event.preventDefault();
  };
}

function onCard(event: KeyboardEvent, id: number | undefined, stage: Stage, nudge: Nudge): boolean {
  if (id === undefined) return false;
  const direction = DIRECTIONS[event.key];
  if (direction && event.shiftKey) {
    if (!stage.readOnly()) nudge(id, BY[direction]);
    return true;
  }
  if (direction) {
    const next = neighbourOf(id, direction, stage.scene.cards());
    if (next !== undefined) document.getElementById(cardId(next))?.focus({ preventScroll: true });
    return true;
  }
  if (event.key !== "Enter" && event.key !== " ") return false;
  stage.choose(new Set());
  stage.select({ kind: "agent", id });
  return true;
}

function onCanvas(event: KeyboardEvent, stage: Stage, acts: Acts): boolean {
  const { view } = stage;
  switch (event.key) {
    case "+":
    case "=":
      view.zoomIn();
      return true;
    case "-":
    case "_":
      view.zoomOut();
      return true;
    case "0":
      view.zoomToFull();
      return true;
    case "Delete":
    case "Backspace":
      acts.remove();
      return true;
    case "Escape":
      stage.connecting.cancel();
      acts.close();
      stage.choose(new Set());
      return true;
    default:
      return false;
  }
}

type Nudge = (id: number, by: Point) => void;

/** Moves at once, and sends after the last press. */
function createNudge(stage: Stage): Nudge {
  let started = new Map<number, Point>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const place = (id: number): Point => {
    const { x, y } = stage.scene.cards().get(id)!;
    return { x, y };
  };
  const send = () => {
    clearTimeout(timer);
    const moves = [...started]
      .filter(([id]) => stage.scene.cards().has(id))
      .map(([agentId, from]) => ({ agentId, from, to: place(agentId) }));
    started = new Map();
    if (moves.length > 0) void stage.editing.move(moves);
  };
  onCleanup(send);
  return (id, by) => {
    const together = stage.chosen().has(id) ? [...stage.chosen()] : [id];
    if (![...started.keys()].every((one) => together.includes(one))) send();
    const moves = new Map<number, Point>();
    for (const one of together) {
      if (!stage.scene.cards().has(one)) continue;
      const at = place(one);
      if (!started.has(one)) started.set(one, at);
      moves.set(one, { x: at.x + by.x, y: at.y + by.y });
    }
    stage.editing.drag(moves);
    stage.view.reveal(stage.scene.cards().get(id)!);
    clearTimeout(timer);
    timer = setTimeout(send, PAUSE_MS);
  };
}

/** Ctrl Z and Ctrl Shift Z anywhere in the workspace, because edits may come from the inspector. */
export function useUndoKeys(enabled: () => boolean, undo: () => void, redo: () => void): void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (!enabled() || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    if (isInputDOMNode(event) || document.querySelector('[role="dialog"]')) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  };
  onMount(() => window.addEventListener("keydown", onKeyDown));
  onCleanup(() => window.removeEventListener("keydown", onKeyDown));
}
