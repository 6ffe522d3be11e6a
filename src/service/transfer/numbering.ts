// Numbers rows for the file, and maps what refers to them: parts of prompts and the references of calls.

import type { ToolCall } from "../llm/model.ts";
import { formatReferences, parseReferences } from "../conversation/references.ts";
import type { PartContent } from "./format.ts";

/** Ascending ids; the number of a row is its place among them, from 1. */
export class Ranks {
  readonly ids: readonly number[];

  constructor(ids: readonly number[]) {
    this.ids = ids;
  }

  /** Undefined for a row that is not exported. */
  of(id: number): number | undefined {
    let low = 0;
    let high = this.ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return this.ids[low] === id ? low + 1 : undefined;
  }

  /** As `of`, for a row that is known to be exported, or null. */
  orNull(id: number | null): number | null {
    return id === null ? null : (this.of(id) ?? null);
  }
}

export interface Numbering {
  /** Undefined for a row that is not exported. */
  readonly agent: (id: number) => number | undefined;
  readonly entry: (id: number) => number | undefined;
  readonly part: (id: number) => number;
  /** The name of a tool call. */
  readonly call: (id: string) => string;
}

/** `p3,e12-40` with other numbers. A range stays one: its entries are all in the file, and their numbers follow each other. */
export function mappedReferences(text: string, { entry, part }: Numbering): string {
  return formatReferences(
    parseReferences(text).map((reference) =>
      reference.kind === "part"
        ? { kind: "part", id: part(reference.id) }
        : { kind: "entries", from: entry(reference.from)!, to: entry(reference.to)! },
    ),
  );
}

const SOURCE = /^(agent|entry):(\d{1,15})$/;

/** A stored part with other numbers in its source, and other names of tool calls. */
export function mappedPart(part: PartContent, numbering: Numbering): PartContent {
  const source = mappedSource(part.source, numbering);
  if (part.kind !== "entry" && part.kind !== "notice") return { ...part, source };
  const { message } = part;
  const named = (calls: readonly ToolCall[]) =>
    calls.map((call) => ({ ...call, id: numbering.call(call.id) }));
  if (message.role === "assistant")
    return { ...part, source, message: { ...message, calls: named(message.calls) } };
  if (message.role === "tool")
    return { ...part, source, message: { ...message, callId: numbering.call(message.callId) } };
  return { ...part, source };
}

/** A part of a turn that is not over has no entry to name. */
function mappedSource(source: string, numbering: Numbering): string {
  const [, noun, id] = SOURCE.exec(source) ?? [];
  if (noun === undefined) return source;
  const number = numbering[noun as "agent" | "entry"](Number(id));
  return number === undefined ? noun : `${noun}:${number}`;
}
