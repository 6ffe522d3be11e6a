// Offers a space, in a folder or of a server, to delivery.

import type { ListedFile } from "../files/listing-schema.ts";
import type { SpaceDoor } from "../space/door.ts";
import { frontMatterOf } from "../versioned-store/front-matter.ts";
import { isDocumentName, isRead, readDocument } from "./reading.ts";
import { READS_MAX } from "./schema.ts";
import type { ContextSource, SpaceFacts } from "./source.ts";

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
    search: async () => [],
  };
}

async function factsOf(door: SpaceDoor, files: readonly ListedFile[]): Promise<SpaceFacts> {
  const important = new Set<string>();
  for (const path of await edited(door, files)) important.add(path);
  return { ranks: new Map(), stale: new Set(), important, links: new Map() };
}

/** What is recorded knows nothing of manual edits, so those are read. */
async function edited(door: SpaceDoor, files: readonly ListedFile[]): Promise<string[]> {
  const documents = files.filter(
    ({ path, state }) =>
      (state === "modified" || state === "untracked" || state === "live") && isDocumentName(path),
  );
  const important: string[] = [];
  for (const file of documents.slice(0, READS_MAX)) {
    const document = await readDocument(door, file);
    if (isRead(document) && frontMatterOf(document.text)?.["importance"] === "high")
      important.push(file.path);
  }
  return important;
}
