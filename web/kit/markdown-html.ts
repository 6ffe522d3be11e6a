// Renders one block of Markdown to safe HTML, sanitised last. Nothing in it loads or runs: images become links, embedded HTML is shown as
// text, and only web and mail addresses are links. In a document, so are paths of other documents and its own headings.

import DOMPurify from "dompurify";
import { Marked, Renderer, type Tokens } from "marked";
import { documentAddress, headingId } from "./document-links.ts";
import { escaped } from "./escape.ts";
import type { Rich } from "./rich.ts";

const KEPT_MAX = 600;
const TAGS =
  "a b blockquote br code del div em h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul";
const ATTRIBUTES = "align aria-label class href id role start tabindex target rel title";

const purify = DOMPurify();

/** Rendered blocks, the latest last: rows of a virtual list are rendered again and again. */
const kept = new Map<string, string>();

export interface Prose {
  readonly raw: string;
  readonly links: string;
  readonly notes: string;
  /** The level of a heading, or 0. */
  readonly level: number;
  /** The path of the document that it is part of. */
  readonly from?: string | undefined;
}

export function blockHtml({ raw, links, notes, level, from }: Prose, rich?: Rich): string {
  const key = `${rich ? `+${notes}` : ""} ${level} ${from ?? ""}\n${links}\n\n${raw}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const text = links === "" ? raw : `${raw}\n\n${links}`;
  const parse = () => within(from, () => sanitised(parserFor(level, rich), text));
  const html = rich ? rich.withNotes(notes, parse) : parse();
  kept.set(key, html);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  return html;
}

/** The document that is rendered. Parsing is synchronous. */
let documentPath: string | undefined;

function within<T>(from: string | undefined, parse: () => T): T {
  documentPath = from;
  try {
    return parse();
  } finally {
    documentPath = undefined;
  }
}

function sanitised(marked: Marked, text: string): string {
  return purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ATTRIBUTES.split(" "),
    ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto):|\?path=|#md-)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    KEEP_CONTENT: true,
    // Attributes of our own that hold no address.
    ADD_URI_SAFE_ATTR: ["align", "aria-label", "rel", "role", "start", "tabindex", "target"],
  });
}

/** The address that a click opens; undefined for anything but web and mail. */
function addressOf(href: string): { readonly href: string; readonly place: string } | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  try {
    const url = new URL(href);
    return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host };
  } catch {
    return undefined;
  }
}

class SafeRenderer extends Renderer {
  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    if (/^<br\s*\/?>$/i.test(text.trim())) return "<br>";
    return block ? `<p class="md-html">${escaped(text.trim())}</p>` : escaped(text);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const address = addressOf(href);
    const inner = this.parser.parseInline(tokens);
    if (!address) {
      const own = documentPath === undefined ? undefined : documentAddress(documentPath, href);
      return own === undefined ? inner : `<a href="${escaped(own)}">${inner}</a>`;
    }
    return anchor(address.href, "", `Open ${address.href}`, inner);
  }

  override image({ href, text }: Tokens.Image): string {
    const address = addressOf(href);
    const label = escaped(text.trim() === "" ? "image" : text);
    if (!address || address.href.startsWith("mailto:")) return label;
    const chip = `<span class="md-image-alt">${label}</span><span class="md-image-host">${escaped(address.place)}</span>`;
    return anchor(address.href, "md-image", `Open the image at ${address.href}`, chip);
  }

  /** Headings inside lists and quotes are not part of the page's outline. */
  override heading({ depth, tokens }: Tokens.Heading): string {
    return `<p class="md-heading md-h${depth}">${this.parser.parseInline(tokens)}</p>`;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="md-check" role="img" aria-label="${checked ? "done" : "open"}">${checked ? "☑" : "☐"}</span> `;
  }

  override table(token: Tokens.Table): string {
    return `<div class="md-table" role="region" aria-label="Table" tabindex="0">${super.table(token)}</div>`;
  }
}

function anchor(href: string, name: string, title: string, inner: string): string {
  const shown = name === "" ? "" : ` class="${name}"`;
  return `<a${shown} href="${escaped(href)}" title="${escaped(title)}" target="_blank" rel="noopener noreferrer">${inner}</a>`;
}

const parsers = new Map<string, Marked>();

/** `setOptions`, because `use` copies own properties only and would miss the class's methods. */
function parserFor(level: number, rich: Rich | undefined): Marked {
  const name = `${level} ${rich !== undefined}`;
  const known = parsers.get(name);
  if (known) return known;
  class HeadingRenderer extends SafeRenderer {
    override heading({ depth, tokens }: Tokens.Heading): string {
      const inner = this.parser.parseInline(tokens);
      const id =
        documentPath === undefined
          ? ""
          : ` id="${escaped(headingId(this.parser.parseInline(tokens, this.parser.textRenderer)))}" tabindex="-1"`;
      return `<h${level} class="md-heading md-h${depth}"${id}>${inner}</h${level}>`;
    }
  }
  const renderer = level === 0 ? new SafeRenderer() : new HeadingRenderer();
  const made = new Marked().setOptions({ gfm: true, renderer });
  if (rich) made.use(rich.extension);
  parsers.set(name, made);
  return made;
}
