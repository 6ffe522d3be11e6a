// The labels of a waterfall row, and its time, tokens and cost as text. Pure.

import { chipWords } from "../../state/tool-state.ts";
import { summaryOf } from "../../state/tool-summary.ts";
import { count, duration, money } from "../../kit/format.ts";
import { objectOf } from "../../kit/json.ts";
import type { Refusal } from "../../state/transcript-items.ts";
import type { Gap } from "./axis.ts";
import type { CallRow, ToolRow, WaterfallRow } from "./waterfall.ts";

export interface StepLabel {
  readonly name: string;
  /** A one-line summary. */
  readonly about: string;
  /** A state that matters. */
  readonly note: string | undefined;
}

/** The state of a row that its record does not say. */
interface RowState {
  /** It is waiting for a person now. */
  readonly waits: boolean;
  /** Of a search on which a person decided, or nobody in time. */
  readonly refusal: Refusal | undefined;
}

export function labelOf(row: WaterfallRow, state: RowState): StepLabel {
  return row.kind === "call" ? callLabel(row) : toolLabel(row, state);
}

function callLabel(row: CallRow): StepLabel {
  const name = `model call ${row.number}`;
  return {
    name: row.depth === 0 ? `${row.agent} · ${name}` : name,
    about: "",
    note: problemNote(row.call.status),
  };
}

function toolLabel({ step, asked }: ToolRow, { waits, refusal }: RowState): StepLabel {
  const version = step.gear_version === null ? "" : ` v${step.gear_version}`;
  const name =
    step.tool === "delegate"
      ? `delegate → ${asked?.name ?? agentAsked(step.arguments)}`
      : `${step.tool}${version}`;
  if (waits) return { name, about: "", note: chipWords.waiting };
  const about = step.tool === "delegate" ? "" : summaryOf(step.tool, step.arguments);
  if (step.outcome === null || step.outcome === "ok") return { name, about, note: undefined };
  return { name, about, note: chipWords[refusal ?? step.outcome] };
}

function problemNote(status: CallRow["call"]["status"]): string | undefined {
  return status === "done" || status === "running" ? undefined : status;
}

/** As the model wrote it. */
function agentAsked(written: string): string {
  const agent = objectOf(written)?.["agent"];
  return typeof agent === "string" ? agent : "unknown agent";
}

export function timeOf(row: WaterfallRow, nowMs: number): string {
  if (row.open && row.startedAt !== undefined)
    return duration(Math.max(0, nowMs - Date.parse(row.startedAt)));
  if (row.durationMs !== undefined) return duration(row.durationMs);
  return row.startedAt === undefined ? "not started" : "unknown";
}

export function tokensOf(row: WaterfallRow): string {
  if (row.kind !== "call" || row.tokens === undefined) return "";
  return row.tokens === null ? "not reported" : count(row.tokens);
}

export function costOf(row: WaterfallRow): string {
  if (row.kind !== "call" || row.open) return "";
  return row.call.cost === null ? "unknown" : money(row.call.cost);
}

/** `waited 4 min`, `idle 2 h`: short enough for an axis. */
export function gapWords(gap: Gap, nowMs: number): { readonly verb: string; readonly time: string } {
  const verb = gap.kind === "idle" ? "idle" : gap.ms === undefined ? "waiting" : "waited";
  return { verb, time: rough(gap.ms ?? Math.max(0, nowMs - gap.startMs)) };
}

export function gapSentence(gap: Gap, nowMs: number): string {
  const { verb, time } = gapWords(gap, nowMs);
  const what = gap.kind === "idle" ? `idle ${time}` : `${verb} ${time} for a person`;
  return `${what}, not to scale`;
}

/** Rounds a gap's duration to one unit. */
function rough(ms: number): string {
  return duration(ms)
    .replace(/\.\d s$/, " s")
    .replace(/(min|h) .*$/, "$1");
}

export const failed = (row: WaterfallRow): boolean =>
  row.kind === "call"
    ? row.call.status === "failed"
    : row.step.outcome === "error" || row.step.outcome === "unknown";
