// The script of diagram.html, a page in a sandbox of its own: no origin, no network, no storage. It draws what the interface sends, and returns
// the drawing with its styles apart, because the policy of the interface allows no inline styles. release/ui.ts puts it into the page, after the library that draws.

import type { Drawing, DrawingRequest } from "./drawing.ts";

interface Mermaid {
  initialize(options: Record<string, unknown>): void;
  render(id: string, source: string): Promise<{ svg: string }>;
}

declare const mermaid: Mermaid;

const FONT = "system-ui, sans-serif";
const EDGES_MAX = 200;
/** Keys that a diagram must not set for itself. */
const FIXED = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "htmlLabels",
  "themeCSS",
  "themeVariables",
  "theme",
  "fontFamily",
  "altFontFamily",
  "dompurifyConfig",
];

function answer(data: Drawing | { readonly ready: true }): void {
  // The sandbox has no origin to name. Only the interface embeds this page.
  parent.postMessage(data, "*");
}

async function draw({ id, source, colours }: DrawingRequest): Promise<void> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      secure: FIXED,
      suppressErrorRendering: true,
      maxTextSize: source.length + 1,
      maxEdges: EDGES_MAX,
      htmlLabels: false,
      flowchart: { htmlLabels: false, useMaxWidth: false },
      class: { htmlLabels: false, useMaxWidth: false },
      state: { useMaxWidth: false },
      sequence: { useMaxWidth: false },
      er: { useMaxWidth: false },
      gantt: { useMaxWidth: false },
      pie: { useMaxWidth: false },
      theme: "base",
      fontFamily: FONT,
      themeVariables: { ...colours, fontFamily: FONT, fontSize: "14px" },
    });
    const { svg } = await mermaid.render(`drawing-${id}`, source);
    answer({ id, ...apart(svg) });
  } catch (error) {
    answer({ id, why: error instanceof Error ? error.message : String(error) });
  }
}

/** Moves style sheets and style attributes out of the markup. */
function apart(svg: string): { markup: string; css: string; width: number; height: number } {
  const page = new DOMParser().parseFromString(svg, "text/html");
  const css = [...page.querySelectorAll("style")].map((sheet) => {
    sheet.remove();
    return sheet.textContent ?? "";
  });
  for (const element of page.querySelectorAll("[style]")) {
    element.setAttribute("data-style", element.getAttribute("style") ?? "");
    element.removeAttribute("style");
  }
  const drawing = page.querySelector("svg");
  if (!drawing) throw new Error("nothing was drawn");
  const { width, height } = drawing.viewBox.baseVal;
  return { markup: new XMLSerializer().serializeToString(drawing), css: css.join("\n"), width, height };
}

addEventListener("message", ({ source, data }: MessageEvent<DrawingRequest>) => {
  if (source === parent) void draw(data);
});
answer({ ready: true });
