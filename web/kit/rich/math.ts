// Typesets formulas with KaTeX. The policy of the page allows no inline styles, so they are set one by one, and only those of a layout.

import DOMPurify from "dompurify";
import { renderToString } from "katex";
import "katex/dist/katex.min.css";

const TEX_CHARACTERS_MAX = 2_000;
/** Of macros, which could otherwise grow without end. */
const EXPANSIONS_MAX = 200;
/** No box is larger, in em. */
const SIZE_EM_MAX = 40;
const MARKUP_CHARACTERS_MAX = 400_000;
/** An inline formula from here may be wider than a phone, so it scrolls in itself. */
const MARKUP_CHARACTERS_WIDE = 6_000;
const KEPT_MAX = 400;

const purify = DOMPurify();
const TAGS =
  "span svg path line math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mstyle menclose mpadded mphantom mglyph";
const ATTRIBUTES =
  "class aria-hidden data-style d width height viewbox preserveaspectratio x1 x2 y1 y2 stroke-width display encoding accent accentunder columnalign columnspacing columnlines rowspacing rowlines displaystyle fence linebreak lspace rspace mathvariant maxsize minsize movablelimits notation scriptlevel separator stretchy symmetric linethickness side mathcolor mathbackground mathsize voffset depth";
const STYLES =
  /^(?:height|min-height|width|min-width|top|bottom|left|right|vertical-align|(?:margin|padding)(?:-(?:left|right|top|bottom))?|border(?:-(?:left|right|top|bottom))?-(?:width|style|color)|border|color|background-color|font-size|text-shadow)$/;

/** By display and source; undefined markup: why it is shown as source. */
const kept = new Map<string, { readonly markup?: string; readonly why?: string }>();

/** Replaces the content of a placeholder: its source, or the formula. */
export function typeset(place: HTMLElement): void {
  const tex = place.textContent ?? "";
  const display = place.classList.contains("md-math-display");
  const { markup, why } = renderedBefore(tex, display);
  if (markup === undefined) return showSource(place, why ?? "");
  const shown = document.createElement("span");
  shown.className = display ? "md-formula display" : "md-formula";
  if (display) {
    shown.tabIndex = 0;
    shown.setAttribute("role", "group");
    shown.setAttribute("aria-label", "Formula");
  }
  shown.append(
    purify.sanitize(markup, {
      ALLOWED_TAGS: TAGS.split(" "),
      ALLOWED_ATTR: ATTRIBUTES.split(" "),
      // Its declarations look like addresses.
      ADD_URI_SAFE_ATTR: ["data-style"],
      ALLOW_DATA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    }),
  );
  place.replaceWith(shown);
  for (const element of shown.querySelectorAll<HTMLElement>("[data-style]")) applyStyles(element);
  if (!display && markup.length > MARKUP_CHARACTERS_WIDE) shown.classList.add("wide");
}

function renderedBefore(tex: string, display: boolean): { readonly markup?: string; readonly why?: string } {
  const key = `${display} ${tex}`;
  const known = kept.get(key);
  if (known) return known;
  const made = rendered(tex, display);
  kept.set(key, made);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  return made;
}

function rendered(tex: string, display: boolean): { readonly markup?: string; readonly why?: string } {
  if (tex.length > TEX_CHARACTERS_MAX)
    return { why: `longer than ${TEX_CHARACTERS_MAX.toLocaleString()} characters` };
  try {
    const markup = renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: EXPANSIONS_MAX,
      maxSize: SIZE_EM_MAX,
    });
    if (markup.length > MARKUP_CHARACTERS_MAX) return { why: "too large" };
    // Text has its quotes escaped, so this is always an attribute.
    return { markup: markup.replaceAll(/ style(?=\W")/g, " data-style") };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "nested too deeply";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^KaTeX parse error: /, "").split(/ at position | at end of input/, 1)[0]!;
}

function showSource(place: HTMLElement, why: string): void {
  const note = document.createElement("span");
  note.className = "md-math-why";
  note.textContent = `Formula shown as source: ${why}`;
  place.className = "md-math-source";
  place.after(" ", note);
}

function applyStyles(element: HTMLElement): void {
  for (const one of (element.dataset["style"] ?? "").split(";")) {
    const colon = one.indexOf(":");
    const name = one.slice(0, colon).trim();
    const value = one.slice(colon + 1).trim();
    if (STYLES.test(name) && !value.includes("(")) element.style.setProperty(name, value);
  }
  delete element.dataset["style"];
}
