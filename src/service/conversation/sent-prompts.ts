// Describes prompts for people, and stores sent prompts: entries by id, everything else by content.

import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import { pagesBySize, pagesOf } from "../../kit/storage/pages.ts";
import type { Message } from "../llm/model.ts";
import type { Part } from "./assembly.ts";
import { addEntry, formatReferences, type Reference } from "./references.ts";
import type { PromptPart } from "./schema.ts";
import type { ConversationStore, EntryRow } from "./store.ts";
import type { TokenCounts } from "./tokens.ts";
import { toThreadEntry } from "./conversation.ts";

/** Short ones: a page takes a few milliseconds. */
export const PARTS_PER_PAGE = 25;

export class SentPrompts {
  readonly #store: ConversationStore;
  /** Of documents, which are the same objects in every prompt until their text changes. */
  readonly #hashes = new WeakMap<Part, string>();

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** Stores, inside a write, the parts that are new, and returns the references for the call's row. */
  keep(workspaceId: number, parts: readonly Part[]): string {
    const references: Reference[] = [];
    for (const part of parts) {
      if (part.kind === "entry" && part.entryId !== undefined) addEntry(references, part.entryId);
      else references.push({ kind: "part", id: this.#keepPart(workspaceId, part) });
    }
    return formatReferences(references);
  }

  /** Yields the parts of a call exactly as sent, in pages. `references` are those of `keep`, or the rest of them. */
  *read(workspaceId: number, references: readonly Reference[]): Generator<Part[]> {
    for (const reference of references) {
      if (reference.kind === "part")
        yield [JSON.parse(this.#store.partById.get(workspaceId, reference.id)!.content) as Part];
      else yield* this.#entries(workspaceId, reference.from, reference.to);
    }
  }

  *#entries(workspaceId: number, first: number, last: number): Generator<Part[]> {
    const { sizesFrom, byIds } = this.#store;
    const pageAfter = (id: number) =>
      sizesFrom.all({ workspace_id: workspaceId, from: id + 1, to: last, limit: PARTS_PER_PAGE });
    for (const sizes of pagesOf(pageAfter, ({ id }) => id, first - 1, PARTS_PER_PAGE))
      for (const ids of pagesBySize(sizes)) yield byIds.all(JSON.stringify(ids)).map(partOfEntry);
  }

  #keepPart(workspaceId: number, part: Part): number {
    const hashed = this.#hashes.get(part);
    const found = hashed === undefined ? null : this.#store.partByHash.get(workspaceId, hashed);
    if (found) return found.id;
    const content = canonicalJson(storedOf(part));
    const hash = sha256Hex(content);
    if (part.kind === "context") this.#hashes.set(part, hash);
    const known = this.#store.partByHash.get(workspaceId, hash);
    if (known) return known.id;
    this.#store.keepPart.run(workspaceId, hash, content);
    return this.#store.partByHash.get(workspaceId, hash)!.id;
  }
}

function storedOf(part: Part): Part {
  if (part.kind !== "entry" || part.replayed === undefined) return part;
  const { replayed: _, ...stored } = part;
  return stored;
}

/** Describes parts with token estimates. Texts of entries never change, so they are counted once. `by` names the requester. */
export async function describeParts(
  by: string,
  parts: readonly Part[],
  counts: TokenCounts,
): Promise<PromptPart[]> {
  const texts = parts.map(countedText);
  const keys = parts.map((part) =>
    part.kind === "entry" && part.entryId !== undefined ? `entry:${part.entryId}` : undefined,
  );
  const tokens = await counts.of(by, texts, keys);
  return parts.map((part, index) => ({
    ...shown(part),
    tokens: tokens[index]! + attachedTokens(part),
    tokens_estimated: true,
    droppable: part.kind === "entry" || part.kind === "instruction" || part.kind === "context",
    tainted: part.kind === "entry" && part.tainted === true,
  }));
}

function partOfEntry(row: EntryRow): Part {
  const part = {
    kind: "entry",
    source: `entry:${row.id}`,
    message: messageOfEntry(row),
    entryId: row.id,
  } as const;
  return row.tainted === 1 ? { ...part, tainted: true } : part;
}

function messageOfEntry(row: EntryRow): Message {
  const entry = toThreadEntry(row);
  if (entry.kind === "agent") return { role: "assistant", text: entry.text, calls: entry.calls };
  if (entry.kind === "tool")
    return {
      role: "tool",
      callId: entry.callId!,
      tool: entry.tool!,
      text: entry.text,
      failed: entry.outcome !== "ok",
    };
  return { role: "user", text: entry.text };
}

export type ShownPart = Omit<PromptPart, "tokens" | "tokens_estimated" | "droppable" | "tainted">;

/** Describes a part without token estimates. */
export function shown(part: Part): ShownPart {
  const { kind, source } = part;
  const base = { kind, source, document: documentOf(part), calls: [], call_id: null, attachments: [] };
  if (part.kind === "tools")
    return { ...base, role: "tools", text: JSON.stringify(JSON.parse(canonicalJson(part.tools)), null, 2) };
  if (part.kind !== "entry" && part.kind !== "notice") return { ...base, role: "system", text: part.text };
  const { message } = part;
  if (message.role === "assistant")
    return { ...base, role: "assistant", text: message.text, calls: [...message.calls] };
  if (message.role === "tool") return { ...base, role: "tool", text: message.text, call_id: message.callId };
  return { ...base, role: "user", text: message.text, attachments: [...(message.attachments ?? [])] };
}

/** The characters of a part's long texts. */
export function charactersOf(part: Part): number {
  if (part.kind === "tools") return part.tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  if (part.kind !== "entry" && part.kind !== "notice") return part.text.length;
  const { message } = part;
  const calls = message.role === "assistant" ? message.calls : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.text.length);
}

function documentOf(part: Part): PromptPart["document"] {
  if (part.kind !== "context") return null;
  const { document, unread } = part;
  if (unread) return { path: unread.path, version: null, unread: unread.reason };
  return document ? { path: document.path, version: document.version, unread: null } : null;
}

function attachedTokens(part: Part): number {
  if (part.kind !== "entry" || part.message.role !== "user") return 0;
  return (part.message.attachments ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
}

function countedText(part: Part): string {
  if (part.kind === "tools") return JSON.stringify(part.tools);
  if (part.kind !== "entry" && part.kind !== "notice") return part.text;
  const calls =
    part.message.role === "assistant"
      ? part.message.calls.map((call) => `${call.name}${call.arguments}`)
      : [];
  return [part.message.text, ...calls].join("\n");
}
