// How a document is read: as Markdown with its front matter apart, or as code. Pure.

interface Reading {
  /** The front matter without its lines of dashes; empty if there is none. */
  readonly head: string;
  readonly body: string;
  /** Of a document that is not Markdown. */
  readonly language: string | undefined;
}

const PROSE = new Set(["md", "markdown", "mdx", "txt", ""]);
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n(?<head>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export function readingOf(path: string, text: string): Reading {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  if (!PROSE.has(extension)) return { head: "", body: text, language: extension };
  const found = FRONT_MATTER.exec(text);
  return {
    head: found?.groups?.["head"] ?? "",
    body: found ? text.slice(found[0].length) : text,
    language: undefined,
  };
}

/** Returns the next end of a text that is shown up to `from`, at most `step` further: after a paragraph, so that the part renders like the whole. */
export function nextEnd(text: string, from: number, step: number): number {
  const limit = from + step;
  if (limit >= text.length) return text.length;
  const paragraph = text.lastIndexOf("\n\n", limit - 2);
  return paragraph >= from ? paragraph + 2 : limit;
}
