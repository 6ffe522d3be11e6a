// The axis of a turn's time. Times in which nothing is done, and times in which everything waits for a person, are not drawn to scale when
// they would leave no room for the rest: each becomes a gap that says how long it was. Pure.

import type { TurnSteps, TurnToolStep } from "../../../src/service/turns/schema.ts";

export type GapKind = "idle" | "person";

/** A stretch of the axis that is not drawn to scale. */
export interface Gap {
  /** Positions on the axis. */
  readonly from: number;
  readonly to: number;
  readonly kind: GapKind;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Undefined while the wait goes on. */
  readonly ms: number | undefined;
}

export interface Axis {
  readonly position: (ms: number) => number;
  /** As far as ends are known, in milliseconds; at least 1. */
  readonly length: number;
  /** Milliseconds since 1970 of where the axis begins. */
  readonly beginMs: number;
  /** Milliseconds since 1970 of a position at or after the last step: position plus this. */
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

/** Shorter than this it is drawn to scale, and so it is when all that was done took longer. */
const QUIET_MS_MIN: Readonly<Record<GapKind, number>> = { idle: 30_000, person: 5_000 };
/** Of what is drawn to scale. */
const GAP_SHARE: Readonly<Record<GapKind, number>> = { idle: 0.08, person: 0.16 };

/** While it runs it stops for a decision; no other tool does. */
export const asksPerson = (step: TurnToolStep): boolean => step.tool === "web_search";

/**
 * `nowMs`: of a turn that goes on. Only how long an open wait has lasted by then counts, and of that only whether it becomes a gap.
 */
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

/** Whether a wait that still goes on is too long to be drawn to scale: what of the present moment an axis depends on. */
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

/** Between steps, none of them going on. */
function idleTimes(spans: readonly Span[], begin: number): Quiet[] {
  const idle: Quiet[] = [];
  let reached = begin;
  for (const { start, end, open } of spans) {
    if (start > reached) idle.push({ start: reached, ms: start - reached, kind: "idle", open: false });
    reached = open ? Infinity : Math.max(reached, end);
  }
  return idle;
}

/** A person was asked, and nothing else went on but the delegations that wait with it. */
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

/** From when until when somebody was asked anything. */
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
