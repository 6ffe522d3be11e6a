// What a row of the waterfall is called, for the eye and for readers, and how its time, tokens and cost are written. Pure.

import { objectOf, summaryOf } from "../../state/tool-summary.ts";
import { count, duration, money } from "../../kit/format.ts";
import type { Gap } from "./axis.ts";
import type { CallRow, ToolRow, WaterfallRow } from "./waterfall.ts";

export interface StepLabel {
  readonly name: string;
  /** What it is about, as far as one line tells. */
  readonly about: string;
  /** How it stands, when that is not well. */
  readonly note: string | undefined;
}

/** `waits`: it waits for a person at this moment. */
export function labelOf(row: WaterfallRow, waits: boolean): StepLabel {
  return row.kind === "call" ? callLabel(row) : toolLabel(row, waits);
}

function callLabel(row: CallRow): StepLabel {
  const name = `model call ${row.number}`;
  return {
    name: row.depth === 0 ? `${row.agent} · ${name}` : name,
    about: "",
    note: problemNote(row.call.status),
  };
}

function toolLabel({ step, asked }: ToolRow, waits: boolean): StepLabel {
  const version = step.gear_version === null ? "" : ` v${step.gear_version}`;
  const name =
    step.tool === "delegate"
      ? `delegate → ${asked?.name ?? agentAsked(step.arguments)}`
      : `${step.tool}${version}`;
  if (waits) return { name, about: "", note: "waits for a person" };
  const about = step.tool === "delegate" ? "" : summaryOf(step.tool, step.arguments);
  if (step.outcome === null || step.outcome === "ok") return { name, about, note: undefined };
  return { name, about, note: step.outcome === "unknown" ? "outcome unknown" : step.outcome };
}

function problemNote(status: CallRow["call"]["status"]): string | undefined {
  return status === "done" || status === "running" ? undefined : status;
}

/** As the model wrote it. */
function agentAsked(written: string): string {
  const agent = objectOf(written)?.["agent"];
  return typeof agent === "string" ? agent : "nobody";
}

export function timeOf(row: WaterfallRow, nowMs: number): string {
  if (row.open && row.startedAt !== undefined)
    return duration(Math.max(0, nowMs - Date.parse(row.startedAt)));
  if (row.durationMs !== undefined) return duration(row.durationMs);
  return row.startedAt === undefined ? "not begun" : "not known";
}

export function tokensOf(row: WaterfallRow): string {
  if (row.kind !== "call" || row.tokens === undefined) return "";
  return row.tokens === null ? "not reported" : count(row.tokens);
}

export function costOf(row: WaterfallRow): string {
  if (row.kind !== "call" || row.open) return "";
  return row.call.cost === null ? "not known" : money(row.call.cost);
}

/** `waited 4 min`, `idle 2 h`: as short as an axis needs it. */
export function gapWords(gap: Gap, nowMs: number): { readonly verb: string; readonly time: string } {
  const verb = gap.kind === "idle" ? "idle" : gap.ms === undefined ? "waits" : "waited";
  return { verb, time: rough(gap.ms ?? Math.max(0, nowMs - gap.startMs)) };
}

export function gapSentence(gap: Gap, nowMs: number): string {
  const { verb, time } = gapWords(gap, nowMs);
  const what = gap.kind === "idle" ? `${time} without a step` : `${verb} ${time} for a person`;
  return `${what}, not drawn to scale`;
}

/** A gap is not to scale: seconds beside minutes would say more than can be seen. */
function rough(ms: number): string {
  return duration(ms)
    .replace(/\.\d s$/, " s")
    .replace(/(min|h) .*$/, "$1");
}

export const failed = (row: WaterfallRow): boolean =>
  row.kind === "call"
    ? row.call.status === "failed"
    : row.step.outcome === "error" || row.step.outcome === "unknown";
