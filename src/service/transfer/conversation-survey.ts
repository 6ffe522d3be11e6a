// Checks the conversation in a file: every number that a record names is there, and the rows fit the rules that the engine relies on.

import { Value } from "@sinclair/typebox/value";
import { excessIn, JSON_DEPTH_MAX } from "../../kit/text/json-shape.ts";
import { parseName } from "../../kit/text/names.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { parseReferences } from "../conversation/references.ts";
import { ANSWER_CHARACTERS_MAX } from "../llm/answer.ts";
import { CHAT_CHARACTERS_MAX } from "../turns/schema.ts";
import { requireFits, requireTime, timeOrNull, wrong } from "./record-checks.ts";
import { PartContent, type AnyRecord, type RecordOf } from "./format.ts";

const REFERENCES = /^(?:(?:p[1-9]\d{0,8}|e[1-9]\d{0,8}(?:-[1-9]\d{0,8})?)(?:,(?!$)|$))*$/;
/** Some 25,000 references: 20 ms to read. */
const REFERENCES_CHARACTERS_MAX = 256 * 1024;
/** Of the parts that a prompt has again; short notices may be equal. */
const REPEATED_CHARACTERS_MAX = 1024 * 1024;
const SOURCE = /^(agent|entry):(\d{1,15})$/;

export class ConversationSurvey {
  turns = 0;
  runs = 0;
  toolCalls = 0;
  entries = 0;
  parts = 0;
  /** The last turn of the current branch. */
  tip: number | null = null;
  /** By number: the turn that it follows; undefined: it never started. */
  readonly after: (number | null | undefined)[] = [undefined];
  /** By number: the turn and the agent of a run. */
  readonly runTurn: number[] = [0];
  readonly runAgent: number[] = [0];
  readonly runParent: (number | null)[] = [null];
  readonly #rooted = new Set<number>();
  readonly #delegated = new Set<number>();
  readonly #asked = new Set<number>();
  /** By number: the characters of a tool call's arguments, and of a part. */
  readonly #argumentsOf: number[] = [0];
  readonly #contentOf: number[] = [0];
  #number = 0;
  #entriesNamed = 0;
  #hasTip = false;

  /** Returns false for a record that is not of the conversation. Raises `invalid`. */
  take(record: AnyRecord, agents: number, models: number): boolean {
    switch (record.type) {
      case "part":
        this.#takePart(record, agents);
        return true;
      case "turn":
        this.#takeTurn(record, models);
        return true;
      case "run":
        this.#takeRun(record, agents);
        return true;
      case "tool_call":
        this.toolCalls = next(record, this.toolCalls);
        this.#argumentsOf.push(record.arguments.length);
        requireFits("tool_call", "run", record.run, this.runs);
        timeOrNull(record.started_at);
        timeOrNull(record.finished_at);
        return true;
      case "entry":
        this.#takeEntry(record);
        return true;
      case "call":
        this.#takeCall(record);
        return true;
      case "branch":
        if (this.#hasTip) throw wrong("branch", "there is one already");
        requireFits("branch", "turn", record.turn, this.turns);
        if (record.turn !== null && this.after[record.turn] === undefined)
          throw wrong("branch", "its turn never started");
        this.#hasTip = true;
        this.tip = record.turn;
        return true;
      default:
        return false;
    }
  }

  /** Call it after the last record. Raises `invalid`. */
  finish(): void {
    requireFits("part", "source entry", this.#entriesNamed, this.entries);
    if (!this.#hasTip) throw wrong("branch", "missing");
  }

  #takePart(record: RecordOf<"part">, agents: number): void {
    this.parts = next(record, this.parts);
    this.#contentOf.push(record.content.length);
    const excess = excessIn(record.content);
    if (excess === "depth") throw wrong("part", `nested more than ${JSON_DEPTH_MAX} deep`);
    if (excess !== undefined) throw wrong("part", "more keys or values than a part has");
    const content = parsedJson(record.content);
    if (content === undefined) throw wrong("part", "its content is not valid JSON");
    if (!Value.Check(PartContent, content)) throw wrong("part", "its content is not a part of a prompt");
    const [, noun, number] = SOURCE.exec(content.source) ?? [];
    if (noun === "agent") requireFits("part", "source agent", Number(number), agents);
    if (noun === "entry") this.#entriesNamed = Math.max(this.#entriesNamed, Number(number));
  }

  #takeTurn(record: RecordOf<"turn">, models: number): void {
    this.turns = next(record, this.turns);
    if (record.number <= this.#number) throw wrong("turn", "numbers must ascend");
    this.#number = record.number;
    parseName("user", record.user);
    for (const field of ["text", "error"] as const)
      if ((record[field]?.length ?? 0) > CHAT_CHARACTERS_MAX)
        throw wrong("turn", `${field} has more than ${CHAT_CHARACTERS_MAX} characters`);
    requireFits("turn", "model", record.model, models);
    if (record.after !== null && record.after >= record.id) throw wrong("turn", "it follows a later turn");
    requireTime(record.created_at);
    for (const time of [record.started_at, record.finished_at, record.tainted_at]) timeOrNull(time);
    const hasStarted = record.started_at !== null;
    if (hasStarted && record.after !== null && this.after[record.after] === undefined)
      throw wrong("turn", "it follows a turn that never started");
    this.after.push(hasStarted ? record.after : undefined);
  }

  #takeRun(record: RecordOf<"run">, agents: number): void {
    this.runs = next(record, this.runs);
    requireFits("run", "turn", record.turn, this.turns);
    requireFits("run", "agent", record.agent, agents);
    requireTime(record.created_at);
    timeOrNull(record.finished_at);
    const { id, parent, turn, call } = record;
    if (parent === null) {
      if (this.#rooted.has(turn)) throw wrong("run", "a turn has one run without a parent");
      this.#rooted.add(turn);
    } else if (parent >= id || this.runTurn[parent] !== turn)
      throw wrong("run", "its parent is not an earlier run of its turn");
    if (call !== null) {
      if (this.#delegated.has(call)) throw wrong("run", "two runs of one call");
      this.#delegated.add(call);
    }
    this.runTurn.push(turn);
    this.runAgent.push(record.agent);
    this.runParent.push(parent);
  }

  #takeEntry(record: RecordOf<"entry">): void {
    this.entries = next(record, this.entries);
    requireFits("entry", "run", record.run, this.runs);
    requireTime(record.created_at);
    timeOrNull(record.forgotten_at);
    this.#takeAsked(record);
    if (record.kind === "tool" && (record.call === null || record.tool === null || record.outcome === null))
      throw wrong("entry", "a tool's result needs call, tool and outcome");
    if (record.kind !== "agent" && record.calls.length > 0) throw wrong("entry", "only an agent makes calls");
  }

  /** The row of an entry holds the arguments of its calls, so a call that many entries name would take much more room than the file. */
  #takeAsked({ text, reasoning, calls }: RecordOf<"entry">): void {
    let characters = text.length + (reasoning?.length ?? 0);
    for (const call of calls) {
      requireFits("entry", "call", call, this.toolCalls);
      if (this.#asked.has(call)) throw wrong("entry", `call ${call} is made twice`);
      this.#asked.add(call);
      characters += this.#argumentsOf[call]!;
    }
    if (characters > ANSWER_CHARACTERS_MAX)
      throw wrong("entry", `more than ${ANSWER_CHARACTERS_MAX} characters with its calls`);
  }

  #takeCall(record: RecordOf<"call">): void {
    requireFits("call", "run", record.run, this.runs);
    requireTime(record.started_at);
    if (record.parts.length > REFERENCES_CHARACTERS_MAX) throw wrong("call", "it names too many parts");
    if (!REFERENCES.test(record.parts)) throw wrong("call", "its parts are not references");
    let entries = 0;
    let repeated = 0;
    const named = new Set<number>();
    for (const reference of parseReferences(record.parts)) {
      if (reference.kind === "part") {
        requireFits("call", "part", reference.id, this.parts);
        if (named.has(reference.id)) repeated += this.#contentOf[reference.id]!;
        named.add(reference.id);
        continue;
      }
      requireFits("call", "entry", reference.to, this.entries);
      if (reference.from > reference.to) throw wrong("call", "a range of entries is reversed");
      entries += reference.to - reference.from + 1;
    }
    // A prompt has no entry twice; without this bound, a small file could name billions.
    if (entries > this.entries) throw wrong("call", "it names more entries than there are");
    if (repeated > REPEATED_CHARACTERS_MAX) throw wrong("call", "it repeats the same parts too often");
  }
}

function next({ type, id }: { readonly type: string; readonly id: number }, before: number): number {
  if (id !== before + 1) throw wrong(type, `id ${id} is not the next`);
  return id;
}
