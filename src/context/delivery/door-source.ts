// Offers a space, in a folder or of a server, to delivery.

import type { ListedFile } from "../files/listing-schema.ts";
import { isDocumentPath } from "../graph/resolving.ts";
import type { GraphLink } from "../graph/schema.ts";
import type { SpaceDoor } from "../space/door.ts";
import { frontMatterOf } from "../versioned-store/front-matter.ts";
import { isRead, readDocument } from "./reading.ts";
import { READS_MAX } from "./schema.ts";
import type { ContextSource, SpaceFacts } from "./source.ts";

/** A map of a larger space shows documents without their links. */
const LINKS_ASKED_MAX = 20_000;

export function doorSource(door: SpaceDoor): ContextSource {
  let listed: Promise<ListedFile[]> | undefined;
  const list = () => (listed ??= door.list());
  return {
    name: door.name,
    head: async () => (await door.record()).head,
    list,
    read: (path, version) => door.read(path, version),
    history: (path) => door.history(path),
    facts: async () => factsOf(door, await list()),
    search: async (words, limit) => {
      const { results } = await door.search({ text: words, limit, lines: 0 });
      return results.map(({ path }) => path);
    },
  };
}

async function factsOf(door: SpaceDoor, files: readonly ListedFile[]): Promise<SpaceFacts> {
  const important = new Set<string>();
  for (const path of await edited(door, files)) important.add(path);
  const { totals } = await door.graph();
  const { ranks = [] } = await door.graph({ only: "ranks" });
  const isSmall = totals !== undefined && totals.links <= LINKS_ASKED_MAX;
  const { links = [] } = isSmall ? await door.graph({ only: "links" }) : {};
  return {
    ranks: new Map(ranks.map(({ path, rank }) => [path, rank])),
    stale: new Set(),
    important,
    links: targetsOf(links),
  };
}

/** Distinct, in the order of the links. */
function targetsOf(links: readonly GraphLink[]): Map<string, string[]> {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of links) {
    if (to === null || to === from) continue;
    const known = targets.get(from);
    if (known) known.add(to);
    else targets.set(from, new Set([to]));
  }
  return new Map([...targets].map(([from, all]) => [from, [...all]]));
}

/** What is recorded knows nothing of manual edits, so those are read. */
async function edited(door: SpaceDoor, files: readonly ListedFile[]): Promise<string[]> {
  const documents = files.filter(
    ({ path, state }) =>
      (state === "modified" || state === "untracked" || state === "live") && isDocumentPath(path),
  );
  const important: string[] = [];
  for (const file of documents.slice(0, READS_MAX)) {
    const document = await readDocument(door, file);
    if (isRead(document) && frontMatterOf(document.text)?.["importance"] === "high")
      important.push(file.path);
  }
  return important;
}
