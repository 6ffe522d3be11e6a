// Entries that hold text from the web: while one of them is sent to a model, its agent gets no tools that write durably.

import type { Entry } from "../../src/service/conversation/schema.ts";
import { api, take } from "../api/client.ts";

/** What a marked entry is called, wherever it is shown. */
export const TAINT_LABEL = "text from the web";

/** It is sent with the next message, and a person can end that. */
export function isTainting(entry: Pick<Entry, "tainted" | "forgotten" | "thread">): boolean {
  return entry.tainted && !entry.forgotten && entry.thread === 0;
}

/** The person has read the entry and answers for it; the audit keeps that. */
export async function clearTaint(id: number): Promise<void> {
  await take(api.entries({ id })["clear-taint"].post());
}

/** The same for all of the conversation up to that entry, which is the last one on the screen. */
export async function clearTaintThrough(workspaceId: number, through: number): Promise<void> {
  const clear = api.workspaces({ id: workspaceId })["clear-taint"];
  for (let left = 1; left > 0;) ({ left } = await take(clear.post({ through })));
}

/** How a provider cut an answer off. */
export const TRUNCATION_LABELS: Readonly<Record<NonNullable<Entry["truncated"]>, string>> = {
  length: "cut off: length limit",
  content_filter: "cut off: content filter",
};
