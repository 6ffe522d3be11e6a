// Offers a space, in a folder or of a server, to delivery.

import { retryAfterSeconds } from "../../kit/error.ts";
import type { ReadDocument } from "../files/documents.ts";
import type { ListedFile } from "../files/listing-schema.ts";
import type { GraphLink } from "../graph/schema.ts";
import type { ReadFile, SpaceDoor } from "../space/door.ts";
import type { ContextSource, SpaceFacts } from "./source.ts";

/** A map of a larger space shows documents without their links. */
const LINKS_ASKED_MAX = 20_000;

/** A server that is asked too often says when to ask again. */
const WAITS_MAX = 30;
const WAIT_SECONDS_MAX = 120;

/** `wait`: called when a server allows no more requests for this long. */
export function doorSource(door: SpaceDoor, wait: (seconds: number) => Promise<void>): ContextSource {
  let waits = 0;
  const patient = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const seconds = retryAfterSeconds(error);
        if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits >= WAITS_MAX) throw error;
        waits += 1;
        await wait(seconds);
      }
    }
  };
  let listed: Promise<ListedFile[]> | undefined;
  const list = () => (listed ??= patient(() => door.list()));
  return {
    name: door.name,
    head: async () => (await patient(() => door.record())).head,
    list,
    read: (path, version) => patient(() => door.read(path, version)),
    readMany: async (paths) => {
      const { documents } = await patient(() => door.documents({ paths: [...paths] }));
      return new Map(documents.map((one) => [one.path, fileOf(one)]));
    },
    history: (path) => patient(() => door.history(path)),
    facts: (purpose) => patient(() => factsOf(door, purpose)),
    search: async (words, limit) => {
      const { results } = await patient(() => door.search({ text: words, limit, lines: 0 }));
      return results.map(({ path }) => path);
    },
  };
}

function fileOf({ path, version, text = "" }: ReadDocument): ReadFile {
  const state = version === null ? "modified" : "live";
  return { path, version, state, bytes: new TextEncoder().encode(text) };
}

async function factsOf(door: SpaceDoor, purpose: "choice" | "map"): Promise<SpaceFacts> {
  const { important, documents } = await door.freshness();
  // With one important document there is nothing to order.
  const { ranks = [] } = purpose === "map" || important.length > 1 ? await door.graph({ only: "ranks" }) : {};
  const links = purpose === "map" ? await someLinks(door) : [];
  return {
    ranks: new Map(ranks.map(({ path, rank }) => [path, rank])),
    stale: new Set(documents.flatMap(({ path, state }) => (state === "stale" ? [path] : []))),
    important: new Set(important),
    links: targetsOf(links),
  };
}

async function someLinks(door: SpaceDoor): Promise<readonly GraphLink[]> {
  const { totals } = await door.graph();
  if (totals === undefined || totals.links > LINKS_ASKED_MAX) return [];
  return (await door.graph({ only: "links" })).links ?? [];
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
