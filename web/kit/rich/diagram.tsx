// A diagram in a text. Its source is shown until it is drawn, when it cannot be drawn, and on request. The drawing lives in a shadow root with
// its own style sheet: it cannot style or cover the page, and the policy of the page holds.

import DOMPurify from "dompurify";
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import { Button } from "../button.tsx";
import { CodeBlock } from "../markdown-code.tsx";
import { CopyButton } from "../pieces.tsx";
import { coloursNow, draw, drawnBefore } from "./draw.ts";
import type { Drawing } from "./drawing.ts";

const purify = DOMPurify();
const LABEL_CHARACTERS_MAX = 80;
const SHRINK_MIN = 0.7;

export function Diagram(props: { readonly source: string }): JSX.Element {
  const scheme = createScheme();
  const [drawing, setDrawing] = createSignal<Drawing>();
  const [asSource, setAsSource] = createSignal(false);
  createEffect(
    on([() => props.source, scheme], ([source, colours]) => {
      let gone = false;
      onCleanup(() => (gone = true));
      const known = drawnBefore(source, colours);
      if (known) return void setDrawing(known);
      void draw(source, colours).then((made) => !gone && setDrawing(made));
    }),
  );
  const drawn = () => {
    const made = drawing();
    return made !== undefined && "markup" in made ? made : undefined;
  };
  const why = () => {
    const made = drawing();
    return made !== undefined && "why" in made ? made.why : undefined;
  };
  return (
    <Show
      when={drawn()}
      fallback={
        <>
          <CodeBlock code={props.source} language="mermaid" />
          <Show when={why()}>
            <p class="md-math-why">Diagram shown as source: {firstLine(why()!)}</p>
          </Show>
        </>
      }
    >
      {(made) => (
        <figure class="md-code md-diagram" aria-label="Diagram">
          <figcaption class="md-code-head">
            <span class="ellipsis">diagram</span>
            <span class="md-code-actions">
              <Button small kind="quiet" onClick={() => setAsSource(!asSource())}>
                {asSource() ? "Show diagram" : "Show source"}
              </Button>
              <CopyButton text={props.source} label="Copy source" />
            </span>
          </figcaption>
          <Show
            when={!asSource()}
            fallback={
              <pre tabindex="0">
                <code>{props.source}</code>
              </pre>
            }
          >
            <div class="md-diagram-view" tabindex="0" role="group" aria-label="Drawing">
              <Drawn drawing={made()} label={labelOf(props.source)} />
            </div>
          </Show>
        </figure>
      )}
    </Show>
  );
}

function Drawn(props: {
  readonly drawing: Extract<Drawing, { markup: string }>;
  readonly label: string;
}): JSX.Element {
  const fill = (host: HTMLDivElement) => {
    const root = host.attachShadow({ mode: "open" });
    createEffect(() => show(root, props.drawing));
  };
  return <div class="md-diagram-host" role="img" aria-label={props.label} ref={fill} />;
}

function show(root: ShadowRoot, { markup, css, width, height }: Extract<Drawing, { markup: string }>): void {
  const sheet = new CSSStyleSheet();
  // Nothing is loaded: neither sheets, which the constructor refuses, nor images.
  sheet.replaceSync(css.replaceAll(/url\([^)]*\)/g, "none"));
  root.adoptedStyleSheets = [sheet];
  root.replaceChildren(
    purify.sanitize(markup, {
      USE_PROFILES: { svg: true, svgFilters: true },
      FORBID_TAGS: [
        "a",
        "animate",
        "animateMotion",
        "animateTransform",
        "foreignObject",
        "image",
        "style",
        "use",
      ],
      FORBID_ATTR: ["style", "href", "xlink:href"],
      ADD_ATTR: ["data-style"],
      // Its declarations look like addresses.
      ADD_URI_SAFE_ATTR: ["data-style"],
      ALLOW_DATA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    }),
  );
  for (const element of root.querySelectorAll<SVGElement>("[data-style]")) {
    const style = element.getAttribute("data-style")!;
    if (!style.includes("url(")) element.style.cssText = style;
    element.removeAttribute("data-style");
  }
  const drawing = root.querySelector<SVGSVGElement>("svg");
  // On a narrow screen it shrinks as far as its text stays readable; then it scrolls.
  for (const [name, value] of [
    ["display", "block"],
    ["width", "100%"],
    ["height", "auto"],
    ["aspect-ratio", `${width} / ${height}`],
    ["min-width", `${width * SHRINK_MIN}px`],
    ["max-width", `${width}px`],
  ] as const)
    drawing?.style.setProperty(name, value);
}

/** Changes with the theme. */
function createScheme(): () => Readonly<Record<string, string>> {
  const [colours, setColours] = createSignal(coloursNow());
  const look = () => setColours(coloursNow());
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", look);
  const observer = new MutationObserver(look);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  onCleanup(() => {
    media.removeEventListener("change", look);
    observer.disconnect();
  });
  return colours;
}

/** The kind of the diagram, and its first words. */
function labelOf(source: string): string {
  return `Diagram: ${source.trim().replaceAll(/\s+/g, " ").slice(0, LABEL_CHARACTERS_MAX)}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.replace(/[:.]+$/, "");
}
