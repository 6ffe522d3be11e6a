// From a reply's steps to what is done on the wire, in order: bytes, waits, faults.
// The walk is the same for both vendors; a Writer per answer turns speech into frames.
// Everything that can be encoded beforehand is: playing a tape costs a write per chunk.

import type { Call, Finish, Gate, Reply, Step, Usage } from "./script.ts";
import { stepsOf } from "./script.ts";

export type Act =
  | { do: "send"; bytes: Uint8Array }
  | { do: "wait"; ms: number }
  | { do: "gate"; gate: Gate }
  | { do: "stamps"; count: number; everyMs: number; before: string; after: string }
  | { do: "headers" }
  | { do: "hang" }
  | { do: "cut" }
  | { do: "end" }
  | { do: "whole"; status: number; headers: Record<string, string>; body: string };

type UsageReport = Extract<Step, { kind: "usage" }>["report"];

/** The facts known of an answer before it is written. */
export interface Plan {
  report: UsageReport;
  usage: Usage;
  finish: Finish;
}

/** The content of an answer, for a reply that is not streamed. */
export type Block =
  | { kind: "say"; text: string }
  | { kind: "think"; text: string }
  | { kind: "call"; call: Call; id: string | null };

/** One answer in one vendor's format; the frames of a stream in the order written. */
export interface Writer {
  say(piece: string): string;
  think(piece: string): string;
  call(call: Call, id: string | null): string[];
  together(text: string, calls: { call: Call; id: string | null }[]): string[];
  /** The frame of a piece of text, split where the text goes. */
  sayAround(): [before: string, after: string];
  close(): string;
  fault(message: string, type: string | undefined): string;
  /** The whole answer as one JSON body. */
  message(blocks: Block[]): string;
  error(status: number, message: string, type: string | undefined): string;
}

interface Context {
  plan: Plan;
  nextId: () => string;
  /** The key that the request carried, for replies that give it away. */
  key: string;
}

const TOKENS_PER_CHARACTER = 1 / 4;
const encoder = new TextEncoder();

/** The cost of the answer and the reason for its end, from its steps and the size of the prompt. */
export function planReply(reply: Reply, promptCharacters: number): Plan {
  const steps = stepsOf(reply);
  const asked = steps.findLast((step) => step.kind === "usage");
  const ended = steps.findLast((step) => step.kind === "finish");
  const calls = steps.some((step) => step.kind === "call" || step.kind === "together");
  const guess: Usage = {
    input: Math.ceil(promptCharacters * TOKENS_PER_CHARACTER),
    output: Math.ceil(steps.reduce((sum, step) => sum + lengthOf(step), 0) * TOKENS_PER_CHARACTER),
  };
  return {
    report: asked?.report ?? "plain",
    usage: asked?.usage ?? guess,
    finish: ended?.reason ?? (calls ? "tools" : "stop"),
  };
}

function lengthOf(step: Step): number {
  if (step.kind === "say" || step.kind === "think") return step.text.length;
  if (step.kind === "call") return step.name.length + step.args.length;
  if (step.kind === "together") return [step.say, ...step.calls].reduce((sum, one) => sum + lengthOf(one), 0);
  return step.kind === "stamps" ? step.count * 16 : 0;
}

/** The acts of a streamed answer. */
export function recordStream(reply: Reply, writer: Writer, context: Context): Act[] {
  const tape = new Tape();
  const idOf = (call: Call): string | null => (call.id === undefined ? context.nextId() : call.id);
  for (const step of stepsOf(reply)) {
    switch (step.kind) {
      case "say":
        if (step.delayMs !== undefined) tape.act({ do: "wait", ms: step.delayMs });
        step.pieces.forEach((piece, n) => {
          if (n > 0 && step.everyMs !== undefined) tape.act({ do: "wait", ms: step.everyMs });
          tape.send(writer.say(piece));
        });
        break;
      case "think":
        for (const piece of step.pieces) tape.send(writer.think(piece));
        break;
      case "call":
        for (const frame of writer.call(step, idOf(step))) tape.send(frame);
        break;
      case "together": {
        const calls = step.calls.map((one) => ({ call: one, id: idOf(one) }));
        for (const frame of writer.together(step.say.text, calls)) tape.send(frame);
        break;
      }
      case "stamps": {
        tape.send(writer.say("stamped: "));
        const [before, after] = writer.sayAround();
        tape.act({ do: "stamps", count: step.count, everyMs: step.everyMs, before, after });
        break;
      }
      case "fault":
        tape.send(writer.fault(withKey(step.message, context), step.type));
        return tape.ended({ do: "end" });
      default: {
        const act = commonAct(step, writer, context, tape.started);
        if (act === undefined) break;
        tape.act(act);
        if (["hang", "cut", "end", "whole"].includes(act.do)) return tape.ended();
      }
    }
  }
  tape.send(writer.close());
  return tape.ended({ do: "end" });
}

/** The acts of an answer in one body: waits and faults first, then all of it at once. */
export function recordWhole(reply: Reply, writer: Writer, context: Context): Act[] {
  const acts: Act[] = [];
  const blocks: Block[] = [];
  const addCall = (call: Call): void => {
    blocks.push({ kind: "call", call, id: call.id === undefined ? context.nextId() : call.id });
  };
  for (const step of stepsOf(reply)) {
    if (step.kind === "say" || step.kind === "think") addSpeech(blocks, step.kind, step.text);
    else if (step.kind === "call") addCall(step);
    else if (step.kind === "together") {
      addSpeech(blocks, "say", step.say.text);
      step.calls.forEach(addCall);
    } else if (step.kind === "fault") {
      const body = writer.error(500, withKey(step.message, context), step.type);
      return [...acts, { do: "whole", status: 500, headers: JSON_HEADERS, body }];
    } else {
      const act = commonAct(step, writer, context, false);
      if (act === undefined || act.do === "headers") continue;
      acts.push(act);
      if (["hang", "cut", "end", "whole"].includes(act.do)) return acts;
    }
  }
  const body = writer.message(blocks);
  return [...acts, { do: "whole", status: 200, headers: JSON_HEADERS, body }];
}

export const JSON_HEADERS = { "content-type": "application/json" };

function addSpeech(blocks: Block[], kind: "say" | "think", text: string): void {
  const last = blocks.at(-1);
  if (last?.kind === kind) last.text += text;
  else blocks.push({ kind, text });
}

/** Steps that mean the same in both ways of answering. */
function commonAct(step: Step, writer: Writer, context: Context, started: boolean): Act | undefined {
  switch (step.kind) {
    case "pause":
      return { do: "wait", ms: step.ms };
    case "gate":
      return { do: "gate", gate: step };
    case "headers":
    case "hang":
    case "cut":
    case "end":
      return { do: step.kind };
    case "status": {
      if (started) throw new Error("httpError after speech: the status is long sent; use errorInStream");
      const body = writer.error(step.status, withKey(step.message, context), step.type);
      const entries = Object.entries({ ...JSON_HEADERS, ...step.headers });
      const headers = Object.fromEntries(entries.map(([k, v]) => [k, withKey(v, context)]));
      return { do: "whole", status: step.status, headers, body };
    }
    case "raw":
      if (started) return { do: "send", bytes: encoder.encode(step.text) };
      return {
        do: "whole",
        status: 200,
        headers: { "content-type": step.contentType },
        body: step.text,
      };
    default:
      return undefined;
  }
}

function withKey(text: string, context: Context): string {
  return text.replaceAll("{key}", context.key);
}

/** Joins frames between which nothing happens, so that they leave in one write. */
class Tape {
  started = false;
  private frames: string[] = [];
  private readonly acts: Act[] = [];

  send(frame: string): void {
    this.started = true;
    this.frames.push(frame);
  }

  act(act: Act): void {
    this.flush();
    this.acts.push(act);
  }

  ended(last?: Act): Act[] {
    this.flush();
    if (last) this.acts.push(last);
    return this.acts;
  }

  private flush(): void {
    if (this.frames.length === 0) return;
    this.acts.push({ do: "send", bytes: encoder.encode(this.frames.join("")) });
    this.frames = [];
  }
}
