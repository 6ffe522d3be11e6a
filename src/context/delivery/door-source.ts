// Offers a space, in a folder or of a server, to delivery.

import { AppError } from "../../kit/error.ts";
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
        const seconds = pauseIn(error);
        if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits >= WAITS_MAX) throw error;
        waits += 1;
        await wait(seconds);
      }
    }
  };
  let listed: Promise<ListedFile[]> | undefined;
  const list = () => (listed ??= patient(() => door.list()));
  const read: ContextSource["read"] = (path, version) => patient(() => door.read(path, version));
  return {
    name: door.name,
    head: async () => (await patient(() => door.record())).head,
    list,
    read,
    history: (path) => patient(() => door.history(path)),
    facts: async () => factsOf(await patient(() => knownOf(door)), await list(), read),
    search: async (words, limit) => {
      const { results } = await patient(() => door.search({ text: words, limit, lines: 0 }));
      return results.map(({ path }) => path);
    },
  };
}

/** Undefined: not a matter of waiting. */
function pauseIn(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== "rate_limited") return undefined;
  const seconds = error.details?.["retry_after_seconds"];
  return typeof seconds === "number" ? seconds : undefined;
}

async function knownOf(door: SpaceDoor) {
  const { totals } = await door.graph();
  const { ranks = [] } = await door.graph({ only: "ranks" });
  const isSmall = totals !== undefined && totals.links <= LINKS_ASKED_MAX;
  const { links = [] } = isSmall ? await door.graph({ only: "links" }) : {};
  return { ranks, links };
}

async function factsOf(
  { ranks, links }: Awaited<ReturnType<typeof knownOf>>,
  files: readonly ListedFile[],
  read: ContextSource["read"],
): Promise<SpaceFacts> {
  return {
    ranks: new Map(ranks.map(({ path, rank }) => [path, rank])),
    stale: new Set(),
    important: new Set(await edited(read, files)),
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
async function edited(read: ContextSource["read"], files: readonly ListedFile[]): Promise<string[]> {
  const documents = files.filter(
    ({ path, state }) =>
      (state === "modified" || state === "untracked" || state === "live") && isDocumentPath(path),
  );
  const important: string[] = [];
  for (const file of documents.slice(0, READS_MAX)) {
    const document = await readDocument({ read }, file);
    if (isRead(document) && frontMatterOf(document.text)?.["importance"] === "high")
      important.push(file.path);
  }
  return important;
}
