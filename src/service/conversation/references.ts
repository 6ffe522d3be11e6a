// How a stored call names the parts it was sent with: `p3,p4,e12-40,p9`. Entries never change their words, so naming them is exact,
// and a long conversation costs a few bytes a call instead of a copy. Everything else is kept by content, shared by calls.

export type Reference =
  | { readonly kind: "part"; readonly id: number }
  | { readonly kind: "entries"; readonly from: number; readonly to: number };

export function formatReferences(references: readonly Reference[]): string {
  return references
    .map((reference) => {
      if (reference.kind === "part") return `p${reference.id}`;
      return reference.from === reference.to ? `e${reference.from}` : `e${reference.from}-${reference.to}`;
    })
    .join(",");
}

export function parseReferences(text: string): Reference[] {
  if (text === "") return [];
  return text.split(",").map((item) => {
    const [first, last] = item.slice(1).split("-").map(Number) as [number, number | undefined];
    return item[0] === "p"
      ? { kind: "part", id: first }
      : { kind: "entries", from: first, to: last ?? first };
  });
}

/** Adds one entry, extending the last range when nothing that was sent otherwise lies between: ids of a range are all in it. */
export function addEntry(references: Reference[], id: number): void {
  const last = references.at(-1);
  if (last?.kind === "entries" && last.to + 1 === id) references[references.length - 1] = { ...last, to: id };
  else references.push({ kind: "entries", from: id, to: id });
}
