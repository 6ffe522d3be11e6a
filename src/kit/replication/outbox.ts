// Changes on their way: into the log, or from the log into files. Changes of the same page are merged, so that a burst is as small as what it changed.

import type { ChangedPages } from "../storage/changed-pages.ts";
import type { AppendPart, PagesPart, Part } from "./entry.ts";

interface OpenPages extends PagesPart {
  size: number;
  readonly pages: Map<number, Uint8Array>;
}

interface OpenAppend extends Omit<AppendPart, "content"> {
  readonly pieces: Uint8Array[];
  end: number;
}

type OpenPart = OpenPages | OpenAppend | Extract<Part, { kind: "remove" }>;

export class Outbox {
  #parts: OpenPart[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Of the content of all parts. */
  get bytes(): number {
    return this.#bytes;
  }

  add(part: Part): void {
    if (part.kind === "pages") this.pages(part.file, part);
    else if (part.kind === "append") this.append(part.file, part.at, part.content);
    else this.remove(part.file);
  }

  /** `file`: a path in the data directory. */
  pages(file: string, { pageSize, size, pages }: ChangedPages): void {
    const known = this.#last(file);
    if (known?.kind === "pages" && known.pageSize === pageSize) {
      for (const [number, page] of pages) this.#setPage(known, number, page);
      known.size = size;
      return;
    }
    this.#parts.push({ kind: "pages", file, pageSize, size, pages: new Map(pages) });
    this.#bytes += pages.size * pageSize;
  }

  append(file: string, at: number, content: Uint8Array): void {
    this.#bytes += content.length;
    const known = this.#last(file);
    if (known?.kind === "append" && known.end === at) {
      known.pieces.push(content);
      known.end += content.length;
    } else this.#parts.push({ kind: "append", file, at, pieces: [content], end: at + content.length });
  }

  /** A file, or a folder with everything in it. Drops the changes that are waiting for it. */
  remove(file: string): void {
    this.#parts = this.#parts.filter((part) => part.file !== file && !part.file.startsWith(`${file}/`));
    this.#parts.push({ kind: "remove", file });
  }

  take(): Part[] {
    const parts = this.#parts.map(closedPart);
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }

  #setPage(part: OpenPages, number: number, page: Uint8Array): void {
    if (!part.pages.has(number)) this.#bytes += page.length;
    part.pages.set(number, page);
  }

  /** Later parts of other files do not depend on it, so it may still grow; a removal ends it. */
  #last(file: string): OpenPart | undefined {
    return this.#parts.findLast((part) => part.file === file);
  }
}

function closedPart(part: OpenPart): Part {
  if (part.kind !== "append") return part;
  const { kind, file, at, pieces } = part;
  return { kind, file, at, content: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) };
}
