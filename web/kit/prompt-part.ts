// Names, folds, copies and compares the parts of a prompt. Pure.

import { diffWordsWithSpace } from "diff";
import type { PromptPart } from "../../src/service/conversation/schema.ts";
import { plural } from "./format.ts";
import { isObject, parsedJson } from "./json.ts";

export type PartKind = PromptPart["kind"];

export const PART_NAMES: Readonly<Record<PartKind, string>> = {
  role: "Role",
  instruction: "Instruction",
  context: "Context",
  tools: "Tools",
  entry: "Conversation",
  notice: "Notice",
};

/** The speaker of a conversation part. */
export const SPEAKERS: Readonly<Record<PromptPart["role"], string>> = {
  system: "system",
  user: "user",
  assistant: "the agent",
  tool: "tool result",
  tools: "tools",
};

const SHOWN_CHARACTERS = 1_200;
const SHOWN_LINES = 20;
/** Folding less is not worth a click. */
const FOLDED_CHARACTERS_MIN = 200;

/** Returns the visible start of a long text, or undefined if all of it is shown. */
export function beginning(text: string): string | undefined {
  let end = Math.min(text.length, SHOWN_CHARACTERS);
  let at = -1;
  for (let line = 0; line < SHOWN_LINES; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) break;
  }
  if (at >= 0) end = Math.min(end, at);
  if (text.length - end < FOLDED_CHARACTERS_MIN) return undefined;
  return text.slice(0, wholeCharacter(text, end));
}

/** Avoids splitting a surrogate pair. */
function wholeCharacter(text: string, end: number): number {
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}

interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** As indented JSON. */
  readonly schema: string;
}

/** Parses the part `tools`; undefined if it is not valid JSON, and is then shown as text. */
export function toolsIn(text: string): readonly OfferedTool[] | undefined {
  const tools = parsedJson(text);
  if (!Array.isArray(tools) || !tools.every(isObject)) return undefined;
  return tools.map(({ name, description, parameters }) => ({
    name: String(name),
    description: typeof description === "string" ? description : "",
    schema: JSON.stringify(parameters ?? {}, null, 2),
  }));
}

/** All parts as one text, for the clipboard. */
export function promptText(parts: readonly PromptPart[]): string {
  return parts
    .map((part) => {
      const calls = part.calls.map((call) => `→ ${call.name} ${call.arguments}`);
      const head = `--- ${PART_NAMES[part.kind]} · ${part.source} · ${SPEAKERS[part.role]}`;
      const attached = part.attachments.map((one) => `[${attachedText(one)}]`);
      return [head, ...attached, ...(part.text === "" ? [] : [part.text]), ...calls].join("\n");
    })
    .join("\n\n");
}

type Attached = PromptPart["attachments"][number];

const FORMS: Readonly<Record<Attached["as"], string>> = {
  image: "sent as an image",
  pdf: "sent as a PDF",
  text: "sent as text",
  note: "not sent",
};

/** How an attachment was put in front of the model. */
export function formText({ as, tokens: estimate, note }: Attached): string {
  return note ?? `${FORMS[as]}, ≈ ${plural(estimate, "token")}`;
}

function attachedText(one: Attached): string {
  return [one.name, one.media_type, plural(one.bytes, "byte"), `sha256:${one.hash}`, formText(one)].join(
    " · ",
  );
}

export interface DiffPiece {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

const COMPARE_MS_MAX = 300;
const COMPARED_CHARACTERS_MAX = 200_000;

/** A word diff; texts with too little in common are one removed and one added piece. */
export function wordsChanged(before: string, after: string): readonly DiffPiece[] {
  const compared =
    before.length + after.length > COMPARED_CHARACTERS_MAX
      ? undefined
      : diffWordsWithSpace(before, after, { timeout: COMPARE_MS_MAX });
  if (!compared)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return compared.map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}

const KEPT_CHARACTERS = 160;

/** Folds the middle of a long unchanged piece and returns its ends; undefined if it is shown whole. */
export function middle(
  text: string,
  { first, last }: { readonly first: boolean; readonly last: boolean },
): { readonly head: string; readonly tail: string; readonly between: number } | undefined {
  const head = first ? "" : text.slice(0, wholeCharacter(text, KEPT_CHARACTERS));
  const from = wholeCharacter(text, Math.max(0, text.length - KEPT_CHARACTERS));
  const tail = last ? "" : text.slice(from);
  const between = text.length - head.length - tail.length;
  return between < FOLDED_CHARACTERS_MIN ? undefined : { head, tail, between };
}
