// Brings a kept graph up to date after edits of a few documents, so that a command need not read the links of all others.

import type { DocumentPath } from "../../kit/text/paths.ts";
import { FACTS_PER_FILE, type FileEngine, type Look } from "../versioned-store/engine.ts";
import type { Link } from "../versioned-store/links.ts";
import type { readGraph } from "./graph-file.ts";
import type { LinkGraph } from "./link-graph.ts";

/** With more edits, making the graph from all links takes no longer. */
const EDITS_MAX = 500;

type Kept = NonNullable<ReturnType<typeof readGraph>>;

/** `look`: at the files as they are now. Undefined: files were added or removed, or too many changed. Raises `too_large`. */
export async function updated(
  { graph, head, look: before }: Kept,
  look: Look,
  engine: FileEngine,
): Promise<LinkGraph | undefined> {
  if (head.epoch !== engine.head().epoch) return undefined;
  const edited = editedBetween(before, look);
  const recorded = await engine.log(head.seq, EDITS_MAX + 1);
  if (edited === undefined || edited.length + recorded.length > EDITS_MAX) return undefined;
  const changes = new Map<number, readonly Link[]>();
  for (const path of new Set([...edited, ...recorded.map((entry) => entry.path)])) {
    const place = graph.place(path);
    const outline = await engine.outline(path);
    if (place < 0 && outline === undefined) continue;
    if (place < 0 || outline === undefined) return undefined;
    changes.set(place, outline.links);
  }
  return graph.withLinks(changes);
}

/** Undefined: other files, or too many edits. */
function editedBetween(before: Look, now: Look): DocumentPath[] | undefined {
  if (before.facts.length !== now.facts.length) return undefined;
  const names = now.names.split("\n");
  const placeBefore = before.names === now.names ? (place: number) => place : placesIn(before, names);
  const edited: DocumentPath[] = [];
  for (const [place, name] of names.entries()) {
    const [at, then] = [place * FACTS_PER_FILE, placeBefore(place) * FACTS_PER_FILE];
    if (then < 0) return undefined;
    let isSame = true;
    for (let fact = 0; fact < FACTS_PER_FILE; fact += 1)
      isSame &&= now.facts[at + fact] === before.facts[then + fact];
    if (isSame) continue;
    if (edited.push(name.normalize("NFC") as DocumentPath) > EDITS_MAX) return undefined;
  }
  return edited;
}

/** An editor that replaces a file may change the order of its directory. */
function placesIn(before: Look, names: readonly string[]): (place: number) => number {
  const places = new Map(before.names.split("\n").map((name, place) => [name, place]));
  return (place) => places.get(names[place]!) ?? -1;
}
