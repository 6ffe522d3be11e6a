// One live run of a gear: its output arrives as events, followed by its result or a problem. Leaving the page stops following the run, not the
// run itself.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { GearResult } from "../../../src/service/gears/schema.ts";
import { asProblem, type Problem, problemOf } from "../../api/problem.ts";
import { createProblem } from "../../api/reach.ts";
import { refresh } from "../../api/query.ts";
import { type StreamedEvent, streamEvents } from "../../api/stream.ts";

/** Characters kept while it runs; the run's record has more. */
const CHARACTERS_SHOWN = 100_000;

interface Printed {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export interface LiveRun {
  readonly running: Accessor<boolean>;
  /** The gears that were running when this one had to wait; undefined: it does not wait. */
  readonly queuedBehind: Accessor<number | undefined>;
  /** Undefined until the run begins, and after its end. */
  readonly runId: Accessor<number | undefined>;
  /** Both streams, interleaved as they arrived. */
  readonly printed: Accessor<readonly Printed[]>;
  /** Whether the start was dropped. */
  readonly cut: Accessor<boolean>;
  readonly result: Accessor<GearResult | undefined>;
  readonly problem: Accessor<Problem | undefined>;
  readonly start: (gearId: number, dry: boolean, body: object) => Promise<void>;
  /** Leaves the queue. */
  readonly leave: () => void;
  readonly clear: () => void;
}

export function createLiveRun(): LiveRun {
  const [running, setRunning] = createSignal(false);
  const [queuedBehind, setQueuedBehind] = createSignal<number>();
  const [runId, setRunId] = createSignal<number>();
  const [printed, setPrinted] = createSignal<readonly Printed[]>([]);
  const [cut, setCut] = createSignal(false);
  const [result, setResult] = createSignal<GearResult>();
  const [problem, setProblem] = createProblem();
  let abort = new AbortController();
  const leave = () => abort.abort();
  onCleanup(leave);
  const clear = () => {
    setPrinted([]);
    setCut(false);
    setResult(undefined);
    setProblem(undefined);
  };
  const take = (events: readonly StreamedEvent[]) => {
    const output = events.filter(({ type }) => type === "output").map(({ data }) => data as Printed);
    if (output.length > 0) {
      const joined = join([...printed(), ...output]);
      setCut((before) => before || joined.cut);
      setPrinted(joined.printed);
    }
    for (const { type, data } of events) {
      if (type === "queued") setQueuedBehind((data as { running: number }).running);
      if (type === "started") {
        setQueuedBehind(undefined);
        setRunId((data as { run_id: number }).run_id);
      }
      if (type === "result") setResult(data as GearResult);
      if (type === "error") setProblem(problemOf(200, { error: data }));
    }
  };
  const start = async (gearId: number, dry: boolean, body: object) => {
    if (running()) return;
    clear();
    setRunning(true);
    abort = new AbortController();
    try {
      const path = `/api/v1/gears/${gearId}/run?stream=1${dry ? "&dry=1" : ""}`;
      for await (const events of streamEvents(path, abort.signal, { body })) take(events);
      if (!result() && !problem() && !abort.signal.aborted) setProblem(asProblem(new Error(BROKEN_OFF)));
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setRunning(false);
      setQueuedBehind(undefined);
      setRunId(undefined);
      void refresh("gears", "runs");
    }
  };
  return { running, queuedBehind, runId, printed, cut, result, problem, start, leave, clear };
}

const BROKEN_OFF = "The connection was lost before the run ended. See its record under Runs.";

/** Joins adjacent pieces of one stream, and keeps only the end of a long output. */
function join(all: readonly Printed[]): { printed: readonly Printed[]; cut: boolean } {
  const joined: Printed[] = [];
  for (const piece of all) {
    const last = joined.at(-1);
    if (last?.stream === piece.stream) joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    else joined.push(piece);
  }
  let room = CHARACTERS_SHOWN;
  const kept: Printed[] = [];
  for (const piece of joined.toReversed()) {
    if (room <= 0) break;
    kept.unshift(piece.text.length <= room ? piece : { ...piece, text: piece.text.slice(-room) });
    room -= piece.text.length;
  }
  return { printed: kept, cut: room < 0 };
}
