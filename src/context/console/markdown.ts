// Renders a document to safe HTML, sanitised last. Nothing in it loads or runs: images become links, HTML of the document is shown as text, and links
// lead to the web, to mail, or to other documents of the space.

import { Marked, Renderer, type Tokens } from "marked";
import { posix } from "node:path";
import { escapedMarkup } from "../../kit/text/markup.ts";
import type { MARKDOWN_JOB } from "./markdown-job.ts";

const TAGS = new Set(
  "a blockquote br code del div em h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "align aria-label class href role start tabindex target rel title lang dir".split(" "),
);
/** The beginnings that a link may have: another site, or a document of the console. */
const ADDRESS = /^(?:https?:\/\/|mailto:|\/console\/)/i;
const WIKI = /^\[\[([^\][|\n]{1,500})(?:\|([^\][\n]{1,500}))?\]\]/;
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---(?:\r?\n|$)/;
const HEADING_MAX = 6;

type Input = Parameters<(typeof MARKDOWN_JOB)["sizeOf"]>[0];

interface WikiLink extends Tokens.Generic {
  readonly name: string;
  readonly alias: string | undefined;
}

export function renderMarkdown({ text, path, base }: Input): string {
  const matter = FRONT_MATTER.exec(text)?.[0] ?? "";
  const head =
    matter === ""
      ? ""
      : `<pre class="md-html" tabindex="0" aria-label="Front matter">${escapedMarkup(matter.trim())}</pre>`;
  const marked = new Marked().setOptions({ gfm: true, renderer: new DocumentRenderer(path, base) });
  marked.use({ extensions: [wikiLinks(base)] });
  return sanitised(head + marked.parse(text.slice(matter.length), { async: false }));
}

function wikiLinks(base: string) {
  return {
    name: "wiki",
    level: "inline" as const,
    start: (source: string) => source.indexOf("[["),
    tokenizer(source: string): WikiLink | undefined {
      const match = WIKI.exec(source);
      return match ? { type: "wiki", raw: match[0], name: match[1]!, alias: match[2] } : undefined;
    },
    renderer(token: Tokens.Generic): string {
      const { name, alias } = token as WikiLink;
      const href = `${base}/link?name=${encodeURIComponent(name)}`;
      return `<a class="md-link" href="${escapedMarkup(href)}">${escapedMarkup(alias ?? name)}</a>`;
    },
  };
}

class DocumentRenderer extends Renderer {
  readonly #path: string;
  readonly #base: string;

  constructor(path: string, base: string) {
    super();
    this.#path = path;
    this.#base = base;
  }

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    if (/^<br\s*\/?>$/i.test(text.trim())) return "<br>";
    return block ? `<p class="md-html">${escapedMarkup(text.trim())}</p>` : escapedMarkup(text);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const inner = this.parser.parseInline(tokens);
    const outside = outsideAddress(href);
    if (outside) return outsideLink(outside, inner);
    const inside = this.#insideAddress(href);
    return inside === undefined ? inner : `<a class="md-link" href="${escapedMarkup(inside)}">${inner}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const label = escapedMarkup(text.trim() === "" ? "image" : text);
    const outside = outsideAddress(href);
    if (outside && /^https?:/i.test(outside)) return outsideLink(outside, `image: ${label}`);
    const inside = this.#insideAddress(href);
    return inside === undefined
      ? label
      : `<a class="md-link" href="${escapedMarkup(inside)}">image: ${label}</a>`;
  }

  /** The page has the first level. */
  override heading({ depth, tokens }: Tokens.Heading): string {
    const level = Math.min(HEADING_MAX, depth + 1);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  }

  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0" role="region" aria-label="Code"><code>${escapedMarkup(text)}</code></pre>`;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="md-check" role="img" aria-label="${checked ? "done" : "open"}">${checked ? "☑" : "☐"}</span> `;
  }

  override table(token: Tokens.Table): string {
    return `<div class="md-table" role="region" aria-label="Table" tabindex="0">${super.table(token)}</div>`;
  }

  /** A path from the folder of the document, or from the top of the space. Undefined: outside the space, or only an anchor. */
  #insideAddress(href: string): string | undefined {
    const written = href.replace(/[#?].*$/s, "");
    if (written === "" || /^[a-z][a-z0-9+.-]*:/i.test(written) || written.startsWith("//")) return undefined;
    let target: string;
    try {
      target = decodeURIComponent(written);
    } catch {
      return undefined;
    }
    const isFromTop = target.startsWith("/");
    const joined = posix.normalize(
      isFromTop ? target.slice(1) : posix.join(posix.dirname(this.#path), target),
    );
    if (joined.startsWith("..") || joined === "." || joined === "") return undefined;
    const encoded = joined.replace(/\/$/, "").split("/").map(encodeURIComponent).join("/");
    return `${this.#base}/files/${encoded}`;
  }
}

/** Undefined for anything but web and mail. */
function outsideAddress(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  return URL.canParse(href) ? new URL(href).href : undefined;
}

function outsideLink(href: string, inner: string): string {
  return `<a href="${escapedMarkup(href)}" title="${escapedMarkup(`Open ${href}`)}" target="_blank" rel="noopener noreferrer nofollow">${inner}</a>`;
}

/** Leaves only listed elements and attributes, whatever the renderer above let through. */
function sanitised(html: string): string {
  return new HTMLRewriter()
    .on("*", {
      element(element) {
        if (!TAGS.has(element.tagName)) return void element.removeAndKeepContent();
        const attributes = Array.from(element.attributes);
        for (const [name, value] of attributes) {
          const isAllowed = ATTRIBUTES.has(name) && (name !== "href" || ADDRESS.test(value));
          if (!isAllowed) element.removeAttribute(name);
        }
      },
      comments: (comment) => void comment.remove(),
    })
    .transform(html);
}
