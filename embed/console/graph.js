// Pans and zooms the picture of the links. Labels and circles keep their size on the screen, so that zooming in makes room for more labels.

const ZOOM_MAX = 8;
const ZOOM_STEP = 1.5;
const PAN_SHARE = 0.15;
/** A pointer that moves less is a click on a link. */
const DRAG_PIXELS = 4;

function panAndZoom(figure) {
  const svg = figure.querySelector("svg");
  const frame = svg.parentElement;
  const whole = svg.viewBox.baseVal;
  const [width, height] = [whole.width, whole.height];
  let view = { x: 0, y: 0, zoom: 1 };

  const show = () => {
    const zoom = Math.min(Math.max(view.zoom, 1), ZOOM_MAX);
    const [w, h] = [width / zoom, height / zoom];
    view = {
      zoom,
      x: Math.min(Math.max(view.x, 0), width - w),
      y: Math.min(Math.max(view.y, 0), height - h),
    };
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${w} ${h}`);
    svg.style.setProperty("--zoom", zoom);
    svg.toggleAttribute("data-zoomed", zoom > 1);
    if (zoom >= 2) svg.dataset.near = zoom >= 4 ? "4" : "2";
    else delete svg.dataset.near;
  };
  /** Keeps the point under the pointer where it is. */
  const zoomBy = (factor, at = { x: view.x + width / view.zoom / 2, y: view.y + height / view.zoom / 2 }) => {
    const zoom = Math.min(Math.max(view.zoom * factor, 1), ZOOM_MAX);
    const share = view.zoom / zoom;
    view = { zoom, x: at.x - (at.x - view.x) * share, y: at.y - (at.y - view.y) * share };
    show();
  };
  const panBy = (x, y) => {
    view = { ...view, x: view.x + x, y: view.y + y };
    show();
  };
  const pointAt = ({ clientX, clientY }) =>
    new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());

  for (const button of figure.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "fit") zoomBy(1 / view.zoom);
      else zoomBy(button.dataset.zoom === "in" ? ZOOM_STEP : 1 / ZOOM_STEP);
    });
  // Pinching a trackpad arrives with Ctrl. A plain wheel scrolls the page.
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY / 200), pointAt(event));
    },
    { passive: false },
  );
  frame.addEventListener("keydown", (event) => {
    if (event.target !== frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (PAN_SHARE * width) / view.zoom;
    const act = {
      "+": () => zoomBy(ZOOM_STEP),
      "=": () => zoomBy(ZOOM_STEP),
      "-": () => zoomBy(1 / ZOOM_STEP),
      0: () => zoomBy(1 / view.zoom),
      ...(view.zoom > 1 && {
        ArrowLeft: () => panBy(-step, 0),
        ArrowRight: () => panBy(step, 0),
        ArrowUp: () => panBy(0, -step),
        ArrowDown: () => panBy(0, step),
      }),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  dragged(svg, pointAt, panBy, () => view.zoom > 1);
  figure.querySelector("[hidden]").hidden = false;
  // A narrow window shows the middle first.
  frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}

function dragged(svg, pointAt, panBy, isZoomed) {
  let from;
  let isDrag = false;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !isZoomed()) return;
    from = { at: pointAt(event), x: event.clientX, y: event.clientY };
    isDrag = false;
  });
  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (!isDrag && Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_PIXELS) return;
    if (!isDrag) svg.setPointerCapture(event.pointerId);
    isDrag = true;
    const now = pointAt(event);
    panBy(from.at.x - now.x, from.at.y - now.y);
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => (from = undefined));
  // The links are not meant to be dragged, and the end of a drag is no click.
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener(
    "click",
    (event) => {
      if (isDrag) event.preventDefault();
      isDrag = false;
    },
    true,
  );
}

for (const figure of document.querySelectorAll("[data-graph]")) panAndZoom(figure);
