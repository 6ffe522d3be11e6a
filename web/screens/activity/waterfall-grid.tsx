// The steps of a turn as a tree of rows with bars. Arrow keys move, right and left unfold and fold a delegation, Enter opens a step in the
// inspector. Custom properties place the bars, so that each second changes one value and not every row.

import ChevronDown from "lucide-solid/icons/chevron-down";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, createSignal, For, Index, type JSX, Show } from "solid-js";
import { duration } from "../../kit/format.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { AgentAvatar } from "../../parts/agent/agent-avatar.tsx";
import { colourOf } from "../../state/agent-look.ts";
import { refusalOf } from "../../state/tool-state.ts";
import { type Selection, useHere, useSelection } from "../../state/here.ts";
import { asksPerson, type Gap } from "./axis.ts";
import { costOf, failed, gapSentence, labelOf, type StepLabel, timeOf, tokensOf } from "./step-label.ts";
import { WaterfallHead } from "./waterfall-head.tsx";
import { unfolded, type Waterfall, type WaterfallRow } from "./waterfall.ts";
import "./waterfall.css";

export function WaterfallGrid(props: {
  readonly waterfall: Waterfall;
  readonly turn: Pick<Turn, "id" | "number">;
  readonly live: boolean;
  readonly now: number;
}): JSX.Element {
  const here = useHere();
  const tree = createTree(
    () => props.waterfall,
    () => props.turn.id,
    useSelection(),
  );
  const { rows } = tree;
  // The axis stands still while everything waits.
  const moves = () => props.live && !props.waterfall.gaps.some(({ ms }) => ms === undefined);
  const length = () =>
    moves() ? Math.max(props.waterfall.length, props.now - props.waterfall.origin) : props.waterfall.length;
  const colour = (row: WaterfallRow) =>
    row.kind === "call" ? colourOf(here.state(), row.agentId) : undefined;
  const waitingRuns = createMemo(
    () =>
      new Set([...here.state().runs.values()].filter((run) => run.state === "waiting").map(({ id }) => id)),
  );
  const waits = (row: WaterfallRow) =>
    row.kind === "tool" && row.open && asksPerson(row.step) && waitingRuns().has(row.step.run_id);

  return (
    <div
      ref={tree.setGrid}
      class="activity-grid"
      role="treegrid"
      aria-label={`Steps of turn ${props.turn.number}`}
      aria-rowcount={rows().length + 1}
      style={{ "--length": length() }}
      onKeyDown={tree.onKeyDown}
    >
      <WaterfallHead
        length={length()}
        gaps={props.waterfall.gaps}
        beginMs={props.waterfall.beginMs}
        now={props.now}
      />
      <div role="rowgroup" class="activity-rows">
        <For each={props.waterfall.gaps}>
          {(gap) => <div class="activity-gap-edges" style={{ "--from": gap.from, "--to": gap.to }} />}
        </For>
        <Index each={rows()}>
          {(row, index) => (
            <Row
              row={row()}
              index={index}
              beginMs={props.waterfall.beginMs}
              gaps={props.waterfall.gaps}
              now={props.now}
              colour={colour(row())}
              waits={waits(row())}
              chosen={tree.chosen(row())}
              reached={tree.reached(row())}
              folded={tree.folded(row())}
              onOpen={() => tree.open(row())}
              onFold={() => tree.toggle(row())}
            />
          )}
        </Index>
      </div>
    </div>
  );
}

/** The rows that are unfolded, the one in the tab order, and the keys that move between them. */
function createTree(
  waterfall: () => Waterfall,
  turnId: () => number,
  [selection, select]: ReturnType<typeof useSelection>,
) {
  const [folded, setFolded] = createSignal<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = createSignal<string>();
  const rows = createMemo(() => unfolded(waterfall().rows, folded()));
  /** The one row in the tab order. */
  const reached = createMemo(() => {
    const shown = rows().map(({ key }) => key);
    const wanted = current() ?? chosenKey(selection(), turnId());
    return wanted !== undefined && shown.includes(wanted) ? wanted : shown[0];
  });
  let grid: HTMLDivElement | undefined;
  const goTo = (row: WaterfallRow | undefined) => {
    if (!row) return;
    setCurrent(row.key);
    grid?.querySelector<HTMLElement>(`[data-key="${row.key}"]`)?.focus();
  };
  const fold = (key: string, shut: boolean) =>
    setFolded((before) => {
      const after = new Set(before);
      if (shut) after.add(key);
      else after.delete(key);
      return after;
    });
  const open = (row: WaterfallRow) => {
    setCurrent(row.key);
    select(
      row.kind === "call"
        ? { kind: "call", id: row.call.id }
        : { kind: "tool", id: row.number, turnId: turnId() },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rows().findIndex(({ key }) => key === reached());
    const row = rows()[at];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const done = pressed(event.key, row, {
      move: (by) => goTo(rows()[Math.min(Math.max(at + by, 0), rows().length - 1)]),
      end: (last) => goTo(last ? rows().at(-1) : rows()[0]),
      parent: () => goTo(rows().find(({ key }) => key === row.under.at(-1))),
      isFolded: () => folded().has(row.key),
      fold: (shut) => fold(row.key, shut),
      open: () => open(row),
    });
    if (done) event.preventDefault();
  };
  return {
    rows,
    setGrid: (element: HTMLDivElement) => (grid = element),
    onKeyDown,
    open,
    toggle: (row: WaterfallRow) => fold(row.key, !folded().has(row.key)),
    folded: (row: WaterfallRow) => folded().has(row.key),
    reached: (row: WaterfallRow) => reached() === row.key,
    chosen: (row: WaterfallRow) => chosenKey(selection(), turnId()) === row.key,
  };
}

function chosenKey(selection: Selection | undefined, turnId: number): string | undefined {
  if (selection?.kind === "call") return `call-${selection.id}`;
  return selection?.kind === "tool" && selection.turnId === turnId ? `tool-${selection.id}` : undefined;
}

interface Moves {
  readonly move: (by: number) => void;
  readonly end: (last: boolean) => void;
  readonly parent: () => void;
  readonly isFolded: () => boolean;
  readonly fold: (shut: boolean) => void;
  readonly open: () => void;
}

const PAGE_ROWS = 15;

/** Returns whether the grid handled the key. */
function pressed(key: string, row: WaterfallRow, moves: Moves): boolean {
  const folds = row.kind === "tool" && row.children > 0;
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => moves.move(1),
    ArrowUp: () => moves.move(-1),
    PageDown: () => moves.move(PAGE_ROWS),
    PageUp: () => moves.move(-PAGE_ROWS),
    Home: () => moves.end(false),
    End: () => moves.end(true),
    ArrowRight: () => folds && (moves.isFolded() ? moves.fold(false) : moves.move(1)),
    ArrowLeft: () => (folds && !moves.isFolded() ? moves.fold(true) : moves.parent()),
    Enter: moves.open,
    " ": moves.open,
  };
  acts[key]?.();
  return acts[key] !== undefined;
}

interface RowProps {
  readonly row: WaterfallRow;
  readonly index: number;
  readonly beginMs: number;
  readonly gaps: readonly Gap[];
  readonly now: number;
  readonly colour: string | undefined;
  readonly waits: boolean;
  readonly chosen: boolean;
  readonly reached: boolean;
  readonly folded: boolean;
  readonly onOpen: () => void;
  readonly onFold: () => void;
}

function Row(props: RowProps): JSX.Element {
  const here = useHere();
  const refusal = createMemo(() =>
    props.row.kind === "tool" ? refusalOf(props.row.step, here.state().decisions) : undefined,
  );
  const hasFailed = () => failed(props.row) && refusal() === undefined;
  const label = createMemo(() => labelOf(props.row, { waits: props.waits, refusal: refusal() }));
  const folds = () => props.row.kind === "tool" && props.row.children > 0;
  return (
    <div
      role="row"
      class="activity-row"
      classList={{ chosen: props.chosen, failed: hasFailed() }}
      data-key={props.row.key}
      aria-level={props.row.depth + 1}
      aria-rowindex={props.index + 2}
      aria-selected={props.chosen}
      aria-expanded={folds() ? !props.folded : undefined}
      tabIndex={props.reached ? 0 : -1}
      onClick={() => props.onOpen()}
    >
      <Name
        row={props.row}
        label={label()}
        folded={folds() ? props.folded : undefined}
        onFold={props.onFold}
      />
      <span role="gridcell" class="activity-track">
        <Bar row={props.row} failed={hasFailed()} colour={props.colour} beginMs={props.beginMs} />
        <For each={props.gaps}>
          {(gap) => (
            <i
              class="activity-gap"
              style={{ "--from": gap.from, "--to": gap.to }}
              title={gapSentence(gap, props.now)}
            />
          )}
        </For>
      </span>
      <span role="gridcell" class="activity-number">
        {timeOf(props.row, props.now)}
      </span>
      <span role="gridcell" class="activity-number activity-tokens">
        {tokensOf(props.row)}
      </span>
      <span role="gridcell" class="activity-number activity-cost">
        {costOf(props.row)}
      </span>
    </div>
  );
}

/** `folded`: undefined if nothing is below it. */
function Name(props: {
  readonly row: WaterfallRow;
  readonly label: StepLabel;
  readonly folded: boolean | undefined;
  readonly onFold: () => void;
}): JSX.Element {
  return (
    <span role="gridcell" class="activity-name" style={{ "--depth": props.row.depth }}>
      <Show when={props.folded !== undefined}>
        <span
          class="activity-fold"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            props.onFold();
          }}
        >
          {props.folded ? <ChevronRight size={12} /> : <ChevronDown size={12} />}
        </span>
      </Show>
      <span class="activity-mark" aria-hidden="true">
        <Show when={props.row.kind === "call" && props.row}>
          {(call) => <AgentAvatar id={call().agentId} size="small" />}
        </Show>
      </span>
      <span class="ellipsis" dir="auto" title={props.label.name}>
        {props.label.name}
      </span>
      <Show when={props.label.about}>
        {(about) => (
          <span class="activity-about ellipsis" dir="auto" title={about()}>
            {about()}
          </span>
        )}
      </Show>
      <Show when={props.label.note}>
        {(note) => (
          <span class="activity-note">
            <span class="activity-dot"> · </span>
            {note()}
          </span>
        )}
      </Show>
    </span>
  );
}

function Bar(props: {
  readonly row: WaterfallRow;
  readonly failed: boolean;
  readonly colour: string | undefined;
  readonly beginMs: number;
}): JSX.Element {
  const waits = () => props.row.kind === "tool" && asksPerson(props.row.step);
  const began = () => Date.parse(props.row.startedAt ?? "") - props.beginMs;
  return (
    <Show when={props.row.from !== undefined}>
      <i
        class="activity-bar-of"
        classList={{ open: props.row.open, waits: waits(), failed: props.failed }}
        style={{
          "--from": props.row.from,
          "--to": props.row.to ?? (props.row.open ? undefined : props.row.from),
          "--colour": props.colour,
        }}
      />
      <span class="visually-hidden">at {duration(began())}</span>
    </Show>
  );
}
