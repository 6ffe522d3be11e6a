// The engine's services for a long-running tool: its signal, live output, and waiting for a person.

import type { ToolPorts } from "../tools/tool.ts";
import type { TurnContext } from "./turn-context.ts";
import type { Recorder, Run } from "./recorder.ts";
import type { ToolCallRow } from "./store.ts";

const OUTPUT_EVERY_MS = 100;
const OUTPUT_EVENT_CHARACTERS_MAX = 32 * 1024;
/** Limit of one call's live output; the tool's own record may have more. */
const OUTPUT_CHARACTERS_MAX = 1024 * 1024;

type Stream = "stdout" | "stderr";

interface OpenPorts {
  readonly ports: ToolPorts;
  /** Call it after the tool has ended: stores the rest of its live output before its result. */
  readonly close: () => Promise<void>;
}

export function openPorts(recorder: Recorder, context: TurnContext, run: Run, call: ToolCallRow): OpenPorts {
  const output = new LiveOutput((stream, text) => recorder.toolOutput(run.row, call, stream, text));
  const ports: ToolPorts = {
    signal: context.signal,
    callId: call.call_id,
    output: (stream, text) => output.add(stream, text),
    waiting: async (work) => {
      const begun = countWaiting(recorder, context, run, 1);
      try {
        await begun;
        return await work();
      } finally {
        await countWaiting(recorder, context, run, -1);
      }
    },
  };
  return { ports, close: () => output.close() };
}

/** A run waits while one of its calls waits, and a turn while one of its runs waits. */
async function countWaiting(recorder: Recorder, context: TurnContext, run: Run, by: 1 | -1): Promise<void> {
  const { waiting } = context;
  const before = waiting.get(run.row.id) ?? 0;
  const now = before + by;
  if (now === 0) waiting.delete(run.row.id);
  else waiting.set(run.row.id, now);
  if (before === 0 || now === 0)
    await recorder.setWaiting(run.row, { runWaits: now > 0, turnWaits: waiting.size > 0 });
}

/** Batches output, which arrives in many small pieces, into few events, because each event is a row. */
class LiveOutput {
  readonly #store: (stream: Stream, text: string) => Promise<void>;
  readonly #pending: { stream: Stream; text: string }[] = [];
  #left = OUTPUT_CHARACTERS_MAX;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stored: Promise<void> = Promise.resolve();

  constructor(store: (stream: Stream, text: string) => Promise<void>) {
    this.#store = store;
  }

  add(stream: Stream, text: string): void {
    let kept = text.slice(0, this.#left);
    if (kept === "") return;
    this.#left -= kept.length;
    while (kept !== "") {
      let last = this.#pending.at(-1);
      if (last?.stream !== stream || last.text.length === OUTPUT_EVENT_CHARACTERS_MAX)
        this.#pending.push((last = { stream, text: "" }));
      const room = OUTPUT_EVENT_CHARACTERS_MAX - last.text.length;
      last.text += kept.slice(0, room);
      kept = kept.slice(room);
    }
    this.#timer ??= setTimeout(() => this.#flush(), OUTPUT_EVERY_MS);
  }

  /** Flushes and closes. Later output is dropped, because it would follow the result. */
  close(): Promise<void> {
    this.#left = 0;
    this.#flush();
    return this.#stored;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { stream, text } of this.#pending.splice(0)) {
      // A lost piece of live output must not fail the tool.
      const stored = this.#store(stream, text).catch(() => {});
      this.#stored = this.#stored.then(() => stored);
    }
  }
}
