// The part of the canvas that is seen: pan by dragging, zoom by wheel, pinch, buttons and keys. One layer is transformed; what stands on
// it is not touched by any of this.

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

/** Hundreds of agents fit. */
const ZOOM_MIN = 0.02;
const ZOOM_MAX = 2;
const ZOOM_STEP = 1.25;
const GLIDE_MS = 180;
/** After the last change it counts as moving for so long: one layer while it lasts, sharp text afterwards. */
const REST_MS = 160;
/** Room around everything when it is fitted: the bars at the edges lie over the canvas, and where there is room a map. */
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
/** In the names of classes that the library looks for. */
export const LIBRARY = "blueprint";
export const FLOW_ID = "canvas";
export const NO_PAN = "blueprint-no-pan";
export const NO_WHEEL = "blueprint-no-wheel";
export const NO_DRAG = "blueprint-no-drag";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface View {
  readonly viewport: Accessor<Viewport>;
  /** Of the pane, in pixels. */
  readonly size: Accessor<Size>;
  /** True while it pans or zooms, by hand or not. */
  readonly moving: Accessor<boolean>;
  /** True while the hand drags the pane. */
  readonly panning: Accessor<boolean>;
  readonly panZoom: () => PanZoomInstance | undefined;
  readonly pane: () => HTMLElement | undefined;
  readonly attach: (pane: HTMLElement) => void;
  /** While a line or a box is drawn, the pane stays where it is. */
  readonly busy: (with_: { selecting?: boolean; connecting?: boolean }) => void;
  readonly fit: (bounds: Rect | undefined, how?: "glide" | "jump") => void;
  /** Nobody has panned or zoomed since everything was fitted. */
  readonly fitted: () => boolean;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly zoomToFull: () => void;
  readonly panBy: (delta: Point) => Promise<boolean>;
  /** Pans just so far that it is seen. */
  readonly reveal: (rect: Rect) => void;
  /** From the page's pixels to canvas units. */
  readonly toCanvas: (client: Point) => Point;
}

export function createView(): View {
  const [viewport, setViewport] = createSignal<Viewport>({ x: 0, y: 0, zoom: 1 });
  const [size, setSize] = createSignal<Size>({ width: 0, height: 0 });
  const [moving, setMoving] = createSignal(false);
  const [panning, setPanning] = createSignal(false);
  let panZoom: PanZoomInstance | undefined;
  let pane: HTMLElement | undefined;
  let fitted = false;
  let rest: ReturnType<typeof setTimeout> | undefined;
  const state = { selecting: false, connecting: false };

  const update = () =>
    panZoom?.update({
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
      onTransformChange: ([x, y, zoom]) => {
        setViewport({ x, y, zoom });
        setMoving(true);
        clearTimeout(rest);
        rest = setTimeout(() => setMoving(false), REST_MS);
      },
      connectionInProgress: state.connecting,
      paneClickDistance: CLICK_DISTANCE_PX,
    });
  const glide = () => ({ duration: reducedMotion() ? 0 : GLIDE_MS });
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
      panZoom = XYPanZoom({
        domNode: element,
        minZoom: ZOOM_MIN,
        maxZoom: ZOOM_MAX,
        viewport: viewport(),
        translateExtent: ENDLESS,
        onDraggingChange: setPanning,
        // Without an event it was us.
        onPanZoomStart: (event) => event && (fitted = false),
      });
      update();
      const observer = new ResizeObserver(([entry]) => {
        const box = entry!.contentRect;
        setSize({ width: box.width, height: box.height });
      });
      observer.observe(element);
      // The browser scrolls what gets the focus into view: here only the layer moves.
      const unscroll = () => element.scrollTo(0, 0);
      element.addEventListener("scroll", unscroll);
      onCleanup(() => {
        clearTimeout(rest);
        observer.disconnect();
        element.removeEventListener("scroll", unscroll);
        panZoom?.destroy();
        panZoom = undefined;
      });
    },
    busy: (with_) => {
      Object.assign(state, with_);
      update();
    },
    fit: (bounds, how = "glide") => {
      const { width, height } = size();
      if (!bounds || width === 0 || height === 0) return;
      fitted = true;
      const padding = { ...FIT_PADDING, bottom: narrow() ? FIT_BOTTOM_NARROW : FIT_BOTTOM } as const;
      go(getViewportForBounds(bounds, width, height, ZOOM_MIN, FIT_ZOOM_MAX, padding), how);
    },
    fitted: () => fitted,
    zoomIn: zoomed((instance) => instance.scaleBy(ZOOM_STEP, glide())),
    zoomOut: zoomed((instance) => instance.scaleBy(1 / ZOOM_STEP, glide())),
    zoomToFull: zoomed((instance) => instance.scaleTo(1, glide())),
    panBy,
    reveal: (rect) => {
      const { x, y, zoom } = panZoom?.getViewport() ?? viewport();
      const onScreen = {
        x: rect.x * zoom + x,
        y: rect.y * zoom + y,
        width: rect.width * zoom,
        height: rect.height * zoom,
      };
      void panBy(panInto(onScreen, size(), VISIBLE_MARGIN_PX));
    },
    toCanvas: ({ x, y }) => {
      const box = pane?.getBoundingClientRect();
      const now = viewport();
      return {
        x: (x - (box?.left ?? 0) - now.x) / now.zoom,
        y: (y - (box?.top ?? 0) - now.y) / now.zoom,
      };
    },
  };
}
