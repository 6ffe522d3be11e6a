// Entries that contain text from the web or an untrusted file. An agent whose prompt contains one gets no tools that write durably.

import type { Entry } from "../../src/service/conversation/schema.ts";
import { api, take } from "../api/client.ts";

/** The label of such an entry, everywhere. */
export const TAINT_LABEL = "untrusted text";

/** Whether the entry is part of the next prompt, and a person can clear its mark. */
export function isTainting(entry: Pick<Entry, "tainted" | "forgotten" | "thread">): boolean {
  return entry.tainted && !entry.forgotten && entry.thread === 0;
}

/** Records in the audit that the person has read the entry and vouches for it. */
export async function clearTaint(id: number): Promise<void> {
  await take(api.entries({ id })["clear-taint"].post());
}

/** Clears every entry up to `through`, the last one on the screen. */
export async function clearTaintThrough(workspaceId: number, through: number): Promise<void> {
  const clear = api.workspaces({ id: workspaceId })["clear-taint"];
  for (let left = 1; left > 0;) ({ left } = await take(clear.post({ through })));
}

/** Why a provider truncated an answer. */
export const TRUNCATION_LABELS: Readonly<Record<NonNullable<Entry["truncated"]>, string>> = {
  length: "truncated: length limit",
  content_filter: "truncated: content filter",
};
