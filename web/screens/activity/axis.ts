// The time axis of a turn. Long idle times and long waits for a person would leave no room for the rest, so each becomes a labelled gap that is
// not to scale. Pure.

import type { TurnSteps, TurnToolStep } from "../../../src/service/turns/schema.ts";

type GapKind = "idle" | "person";

/** A stretch of the axis that is not drawn to scale. */
export interface Gap {
  /** Positions on the axis. */
  readonly from: number;
  readonly to: number;
  readonly kind: GapKind;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Undefined while the wait lasts. */
  readonly ms: number | undefined;
}

interface Axis {
  readonly position: (ms: number) => number;
  /** Up to the last known end, in milliseconds; at least 1. */
  readonly length: number;
  /** The start of the axis, in milliseconds since 1970. */
  readonly beginMs: number;
  /** Added to a position at or after the last step, gives milliseconds since 1970. */
  readonly origin: number;
  readonly gaps: readonly Gap[];
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly open: boolean;
}

interface Quiet {
  readonly start: number;
  readonly ms: number;
  readonly kind: GapKind;
  readonly open: boolean;
}

/** Quiet times are drawn to scale if they are shorter than this, or than all activity together. */
const QUIET_MS_MIN: Readonly<Record<GapKind, number>> = { idle: 30_000, person: 5_000 };
/** A gap's width, as a share of everything drawn to scale. */
const GAP_SHARE: Readonly<Record<GapKind, number>> = { idle: 0.08, person: 0.16 };

/** Whether the tool waits for a decision while it runs; only web search does. */
export const asksPerson = (step: TurnToolStep): boolean => step.tool === "web_search";

/** `nowMs`: given for an open turn. It only decides whether an open wait has become a gap. */
export function axisOf(steps: TurnSteps, nowMs: number | undefined): Axis {
  const spans = spansOf(steps).toSorted((a, b) => a.start - b.start);
  const { started_at: started } = steps.turn;
  const begin = Math.min(
    ...(started === null ? [] : [Date.parse(started)]),
    ...spans.slice(0, 1).map(({ start }) => start),
  );
  if (!Number.isFinite(begin)) return { position: () => 0, length: 1, beginMs: 0, origin: 0, gaps: [] };
  const known = Math.max(begin, ...spans.map(({ end }) => end));
  const quiet = [...idleTimes(spans, begin), ...waits(steps, nowMs)].toSorted((a, b) => a.start - b.start);
  const end = Math.max(known, ...quiet.filter(({ open }) => open).map(({ start, ms }) => start + ms));
  const busy = end - begin - quiet.reduce((sum, { ms }) => sum + ms, 0);
  const long = quiet.filter(({ ms, kind }) => ms > Math.max(QUIET_MS_MIN[kind], busy));
  const toScale = end - begin - long.reduce((sum, { ms }) => sum + ms, 0);
  const shown = ({ kind }: Quiet) => Math.max(1, toScale * GAP_SHARE[kind]);
  const position = (ms: number) =>
    long.reduce(
      (at, one) => (ms > one.start ? at - Math.min(ms - one.start, one.ms) * (1 - shown(one) / one.ms) : at),
      ms - begin,
    );
  const last = long.at(-1)?.open ? end : known;
  return {
    position,
    length: Math.max(1, position(last)),
    beginMs: begin,
    origin: last - position(last),
    gaps: long.map((one) => ({
      from: position(one.start),
      to: position(one.start) + shown(one),
      kind: one.kind,
      startMs: one.start,
      ms: one.open ? undefined : one.ms,
    })),
  };
}

/** Whether an open wait is too long to be drawn to scale: the only way in which an axis depends on the current time. */
export function hasOpenGap(steps: TurnSteps, nowMs: number | undefined): boolean {
  return axisOf(steps, nowMs).gaps.some(({ ms }) => ms === undefined);
}

function spansOf({ calls, tools }: TurnSteps): Span[] {
  return [
    ...calls.map((call) => spanOf(call.started_at, call.duration_ms, call.status === "running")),
    ...tools.map(toolSpan),
  ].filter((span) => span !== undefined);
}

function toolSpan({ started_at: start, finished_at: end, state }: TurnToolStep): Span | undefined {
  const durationMs = start === null || end === null ? null : Date.parse(end) - Date.parse(start);
  return spanOf(start, durationMs, state === "started");
}

function spanOf(start: string | null, durationMs: number | null, open: boolean): Span | undefined {
  if (start === null) return undefined;
  const at = Date.parse(start);
  return { start: at, end: at + (durationMs ?? 0), open: open && durationMs === null };
}

/** Times between steps in which nothing runs. */
function idleTimes(spans: readonly Span[], begin: number): Quiet[] {
  const idle: Quiet[] = [];
  let reached = begin;
  for (const { start, end, open } of spans) {
    if (start > reached) idle.push({ start: reached, ms: start - reached, kind: "idle", open: false });
    reached = open ? Infinity : Math.max(reached, end);
  }
  return idle;
}

/** Times in which a person was asked and nothing else ran, except delegations waiting for the answer. */
function waits(steps: TurnSteps, nowMs: number | undefined): Quiet[] {
  const work = spansOf({
    ...steps,
    tools: steps.tools.filter((step) => !asksPerson(step) && step.tool !== "delegate"),
  }).map(({ start, end, open }) => ({ from: start, to: open ? Infinity : end }));
  return asked(steps.tools.filter(asksPerson), nowMs).flatMap(({ from, to, open }) =>
    without({ from, to }, work).map((piece) => ({
      start: piece.from,
      ms: piece.to - piece.from,
      kind: "person" as const,
      open: open && piece.to === to,
    })),
  );
}

/** The times in which a decision was pending. */
function asked(steps: readonly TurnToolStep[], nowMs: number | undefined): (Stretch & { open: boolean })[] {
  const found: { from: number; to: number; open: boolean }[] = [];
  const spans = steps.map(toolSpan).filter((span) => span !== undefined);
  for (const { start, end, open } of spans.toSorted((a, b) => a.start - b.start)) {
    if (open && nowMs === undefined) continue;
    const to = open ? Math.max(nowMs ?? end, end) : end;
    const last = found.at(-1);
    if (!last || start > last.to) found.push({ from: start, to, open });
    else if (to >= last.to) found.splice(-1, 1, { from: last.from, to, open });
  }
  return found;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function without(whole: Stretch, taken: readonly Stretch[]): Stretch[] {
  let left = [whole];
  for (const one of taken)
    left = left
      .flatMap(({ from, to }) => [
        { from, to: Math.min(to, one.from) },
        { from: Math.max(from, one.to), to },
      ])
      .filter(({ from, to }) => to > from);
  return left.filter(({ from, to }) => to > from);
}
