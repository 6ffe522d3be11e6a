// A text with the ranges that a search found in it. Text only: nothing in it becomes markup.

import { createMemo, For, type JSX } from "solid-js";

interface Range {
  readonly start: number;
  readonly end: number;
}

/** `ranges`: in their order, in UTF-16 units. */
export function MarkedText(props: { readonly text: string; readonly ranges: readonly Range[] }): JSX.Element {
  const pieces = createMemo(() => piecesOf(props.text, props.ranges));
  return <For each={pieces()}>{(piece) => (piece.isHit ? <mark>{piece.text}</mark> : piece.text)}</For>;
}

/** The text from shortly before its first range, for places with room for a few words. The cut is marked and falls between words. */
export function nearFirst(text: string, ranges: readonly Range[], before: number) {
  const from = (ranges[0]?.start ?? 0) - before;
  const space = from <= 1 ? -1 : text.lastIndexOf(" ", from);
  if (space <= 0) return { text, ranges };
  const moved = ranges.map(({ start, end }) => ({ start: start - space + 1, end: end - space + 1 }));
  return { text: `… ${text.slice(space + 1)}`, ranges: moved };
}

function piecesOf(text: string, ranges: readonly Range[]): readonly { text: string; isHit: boolean }[] {
  const pieces: { text: string; isHit: boolean }[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (start < at) continue;
    pieces.push({ text: text.slice(at, start), isHit: false }, { text: text.slice(start, end), isHit: true });
    at = end;
  }
  return [...pieces, { text: text.slice(at), isHit: false }].filter((piece) => piece.text !== "");
}
