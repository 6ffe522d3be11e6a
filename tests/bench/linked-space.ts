// A large space for benchmarks: 50,000 documents with 200,000 links, a quarter of them broken; one document in 25 says when it becomes stale.

import { openSqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { parseDocumentPath } from "../../src/kit/text/paths.ts";
import { silent } from "../kit/silent.ts";

export const LINKED_DOCUMENTS = 50_000;
const DECLARED_EVERY = 25;
const MONTHS = 9;

export const linkedPathOf = (number: number) => `team/${number % 100}/note-${number}.md`;

/** Four links: a name, a relative path, a path from the top, and one that is broken. */
export function linkedTextOf(number: number): string {
  const other = (step: number) => (number * 7_919 + step * 104_729) % LINKED_DOCUMENTS;
  const relative = `../${other(2) % 100}/note-${other(2)}.md`;
  const validated = `2026-0${1 + (number % MONTHS)}-01`;
  const front =
    number % DECLARED_EVERY === 0 ? `---\nstale-after: 30d\nlast-validated: ${validated}\n---\n` : "";
  return `${front}# Note ${number}\n\nSee [[note-${other(1)}]] and [another](${relative}).\n\nAlso ${linkedPathOf(other(3))} and [[missing-${number % 50}]].\n${"word ".repeat(100)}\n`;
}

export async function fillWithLinks(directory: string): Promise<void> {
  const engine = openSqliteEngine({ directory, clock: systemClock, log: silent });
  for (let from = 0; from < LINKED_DOCUMENTS; from += BATCH_OPERATIONS_MAX) {
    const operations = Array.from({ length: BATCH_OPERATIONS_MAX }, (_, index) => ({
      op: "put" as const,
      path: parseDocumentPath("path", linkedPathOf(from + index)),
      content: new TextEncoder().encode(linkedTextOf(from + index)),
    }));
    await engine.apply({ operations, author: "seed" });
  }
  await engine.close();
}
