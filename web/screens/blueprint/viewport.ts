// The visible part of the canvas: pans by dragging, zooms by wheel, pinch, buttons and keys. Transforms one layer, not its content.

import {
  type PanZoomInstance,
  PanOnScrollMode,
  type Viewport,
  XYPanZoom,
  getViewportForBounds,
} from "@xyflow/system";
import { type Accessor, createSignal, onCleanup } from "solid-js";
import { narrow, reducedMotion } from "../../kit/screen.ts";
import { panInto, type Point, type Rect } from "./geometry.ts";

/** Small enough to fit hundreds of agents. */
const ZOOM_MIN = 0.02;
const ZOOM_MAX = 2;
const ZOOM_STEP = 1.25;
const GLIDE_MS = 180;
/** How long it counts as moving after the last change: one composited layer meanwhile, sharp text afterwards. */
const REST_MS = 160;
/** Margins when fitting, for the toolbars and the minimap over the canvas. */
const FIT_PADDING = { top: "72px", left: "24px", right: "24px" } as const;
const FIT_BOTTOM = "116px";
const FIT_BOTTOM_NARROW = "72px";
const FIT_ZOOM_MAX = 1;
const VISIBLE_MARGIN_PX = 24;
const CLICK_DISTANCE_PX = 4;
export const ENDLESS: [[number, number], [number, number]] = [
  [-Infinity, -Infinity],
  [Infinity, Infinity],
];
/** The prefix of the library's class names. */
export const LIBRARY = "blueprint";
export const FLOW_ID = "canvas";
export const NO_PAN = "blueprint-no-pan";
const NO_WHEEL = "blueprint-no-wheel";
export const NO_DRAG = "blueprint-no-drag";

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface View {
  readonly viewport: Accessor<Viewport>;
  /** The size of the pane in pixels. */
  readonly size: Accessor<Size>;
  /** True while it pans or zooms, by hand or by command. */
  readonly moving: Accessor<boolean>;
  /** True while the pane is dragged. */
  readonly panning: Accessor<boolean>;
  readonly panZoom: () => PanZoomInstance | undefined;
  readonly pane: () => HTMLElement | undefined;
  readonly attach: (pane: HTMLElement) => void;
  /** Reports that a line or a box is being drawn, which disables panning. */
  readonly busy: (with_: { selecting?: boolean; connecting?: boolean }) => void;
  readonly fit: (bounds: Rect | undefined, how?: "glide" | "jump") => void;
  /** True until the person pans or zooms after a fit. */
  readonly fitted: () => boolean;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly zoomToFull: () => void;
  readonly panBy: (delta: Point) => Promise<boolean>;
  /** Pans just far enough to show it. */
  readonly reveal: (rect: Rect) => void;
}

export function createView(): View {
  const [viewport, setViewport] = createSignal<Viewport>({ x: 0, y: 0, zoom: 1 });
  const [size, setSize] = createSignal<Size>({ width: 0, height: 0 });
  const [moving, move] = createMoving();
  const [panning, setPanning] = createSignal(false);
  let panZoom: PanZoomInstance | undefined;
  let pane: HTMLElement | undefined;
  let fitted = false;
  const state = { selecting: false, connecting: false };

  const update = () =>
    panZoom?.update(
      optionsOf(state, (to) => {
        setViewport(to);
        move();
      }),
    );
  const go = (to: Viewport, how: "glide" | "jump") =>
    void panZoom?.setViewport(to, how === "glide" ? glide() : {});
  const panBy = async ({ x, y }: Point) => {
    if (!panZoom || (x === 0 && y === 0)) return false;
    const before = panZoom.getViewport();
    await panZoom.setViewport({ x: before.x + x, y: before.y + y, zoom: before.zoom });
    return true;
  };
  const zoomed = (act: (instance: PanZoomInstance) => unknown) => () => {
    fitted = false;
    if (panZoom) act(panZoom);
  };

  return {
    viewport,
    size,
    moving,
    panning,
    panZoom: () => panZoom,
    pane: () => pane,
    attach: (element) => {
      pane = element;
      const { width, height } = element.getBoundingClientRect();
      setSize({ width, height });
      panZoom = panZoomOf(element, viewport(), { onDrag: setPanning, onPerson: () => (fitted = false) });
      update();
      const unobserve = observe(element, setSize);
      onCleanup(() => {
        unobserve();
        panZoom?.destroy();
        panZoom = undefined;
      });
    },
    busy: (with_) => {
      Object.assign(state, with_);
      update();
    },
    fit: (bounds, how = "glide") => {
      if (!bounds || size().width === 0 || size().height === 0) return;
      fitted = true;
      go(fitting(bounds, size()), how);
    },
    fitted: () => fitted,
    zoomIn: zoomed((instance) => instance.scaleBy(ZOOM_STEP, glide())),
    zoomOut: zoomed((instance) => instance.scaleBy(1 / ZOOM_STEP, glide())),
    zoomToFull: zoomed((instance) => instance.scaleTo(1, glide())),
    panBy,
    reveal: (rect) => {
      const shown = onScreen(rect, panZoom?.getViewport() ?? viewport());
      void panBy(panInto(shown, size(), VISIBLE_MARGIN_PX));
    },
  };
}

/** True from a change until a moment after the last one. */
function createMoving(): [moving: Accessor<boolean>, move: () => void] {
  const [moving, setMoving] = createSignal(false);
  let rest: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(rest));
  const move = () => {
    setMoving(true);
    clearTimeout(rest);
    rest = setTimeout(() => setMoving(false), REST_MS);
  };
  return [moving, move];
}

function glide() {
  return { duration: reducedMotion() ? 0 : GLIDE_MS };
}

function panZoomOf(
  domNode: HTMLElement,
  viewport: Viewport,
  told: { readonly onDrag: (dragging: boolean) => void; readonly onPerson: () => void },
): PanZoomInstance {
  return XYPanZoom({
    domNode,
    minZoom: ZOOM_MIN,
    maxZoom: ZOOM_MAX,
    viewport,
    translateExtent: ENDLESS,
    onDraggingChange: told.onDrag,
    // No event: the change came from code.
    onPanZoomStart: (event) => event && told.onPerson(),
  });
}

function fitting(bounds: Rect, { width, height }: Size): Viewport {
  const padding = { ...FIT_PADDING, bottom: narrow() ? FIT_BOTTOM_NARROW : FIT_BOTTOM } as const;
  return getViewportForBounds(bounds, width, height, ZOOM_MIN, FIT_ZOOM_MAX, padding);
}

function onScreen(rect: Rect, { x, y, zoom }: Viewport): Rect {
  return {
    x: rect.x * zoom + x,
    y: rect.y * zoom + y,
    width: rect.width * zoom,
    height: rect.height * zoom,
  };
}

/** How the pane reacts to pointers and wheels; it does not pan while a line or a box is drawn. */
function optionsOf(
  state: { readonly selecting: boolean; readonly connecting: boolean },
  onChange: (viewport: Viewport) => void,
): Parameters<PanZoomInstance["update"]>[0] {
  return {
    noWheelClassName: NO_WHEEL,
    noPanClassName: NO_PAN,
    preventScrolling: true,
    panOnScroll: false,
    panOnDrag: true,
    panOnScrollMode: PanOnScrollMode.Free,
    panOnScrollSpeed: 0.5,
    userSelectionActive: state.selecting,
    zoomOnPinch: true,
    zoomOnScroll: true,
    zoomOnDoubleClick: false,
    zoomActivationKeyPressed: false,
    lib: LIBRARY,
    onTransformChange: ([x, y, zoom]) => onChange({ x, y, zoom }),
    connectionInProgress: state.connecting,
    paneClickDistance: CLICK_DISTANCE_PX,
  };
}

/** Reports the size of the pane until it is called, and keeps the browser from scrolling it. */
function observe(element: HTMLElement, onSize: (size: Size) => void): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const box = entry!.contentRect;
    onSize({ width: box.width, height: box.height });
  });
  observer.observe(element);
  // Undoes the browser's scrolling to the focused element: only the layer moves.
  const unscroll = () => element.scrollTo(0, 0);
  element.addEventListener("scroll", unscroll);
  return () => {
    observer.disconnect();
    element.removeEventListener("scroll", unscroll);
  };
}
