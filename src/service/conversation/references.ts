// The references of a stored call to the parts it was sent with: `p3,p4,e12-40,p9`. The text of an entry never changes, so its id is exact, and
// a long conversation costs a few bytes per call instead of a copy. Other parts are stored by content, which calls share.

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

/** Adds an entry. Extends the last range if the id follows it directly, because a range contains all of its ids. */
export function addEntry(references: Reference[], id: number): void {
  const last = references.at(-1);
  if (last?.kind === "entries" && last.to + 1 === id) references[references.length - 1] = { ...last, to: id };
  else references.push({ kind: "entries", from: id, to: id });
}

/** Returns the number of parts that two calls have in common at their start, and the rest of each. */
export function withoutCommonStart(
  a: readonly Reference[],
  b: readonly Reference[],
): { readonly same: number; readonly rest: readonly [Reference[], Reference[]] } {
  let same = 0;
  let index = 0;
  for (; index < Math.min(a.length, b.length); index += 1) {
    const [one, other] = [a[index]!, b[index]!];
    if (one.kind === "part" || other.kind === "part") {
      if (one.kind !== "part" || other.kind !== "part" || one.id !== other.id) break;
      same += 1;
    } else {
      if (one.from !== other.from) break;
      const to = Math.min(one.to, other.to);
      same += to - one.from + 1;
      if (one.to === other.to) continue;
      return { same, rest: [after(a, index, to), after(b, index, to)] };
    }
  }
  return { same, rest: [a.slice(index), b.slice(index)] };
}

/** Returns the references after entry `to`, which lies in the reference at `index`. */
function after(references: readonly Reference[], index: number, to: number): Reference[] {
  const cut = references[index]!;
  const left = cut.kind === "entries" && cut.to > to ? [{ ...cut, from: to + 1 }] : [];
  return [...left, ...references.slice(index + 1)];
}
