// Reads a whole file before anything is stored, and refuses it with the first thing that does not fit: an import changes all or nothing. Keeps
// what the import needs ahead of the rows: the blueprint, the gears, and how many rows of each kind there are.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { fieldError, type AppError } from "../../kit/error.ts";
import { parseName } from "../../kit/text/names.ts";
import { foldedPath, parseDocumentPath } from "../../kit/text/paths.ts";
import {
  AGENT_NAME_CHARACTERS_MAX,
  AGENTS_PER_WORKSPACE_MAX,
  ORCHESTRATOR_NAME,
  ROLE_CHARACTERS_MAX,
  ROLES_BYTES_MAX,
  WIRES_PER_WORKSPACE_MAX,
} from "../blueprint/schema.ts";
import { FILE_BYTES_MAX } from "../files/schema.ts";
import { BINDINGS_PER_WORKSPACE_MAX } from "../library/schema.ts";
import { parseWording } from "../library/instructions.ts";
import { CONTEXT_BINDINGS_PER_WORKSPACE_MAX } from "../memory/schema.ts";
import { DESCRIPTION_CHARACTERS_MAX } from "../workspaces/schema.ts";
import { requireFits, requireTime, wrong } from "./record-checks.ts";
import { ConversationSurvey } from "./conversation-survey.ts";
import { KINDS, type AnyRecord, type Kind, type RecordOf } from "./format.ts";
import { gearInput, requireGear, type GearDraft } from "./gear-drafts.ts";
import { EXPORTED_FILES_MAX, EXPORTED_GEARS_BYTES_MAX, EXPORTED_GEARS_MAX } from "./schema.ts";

const MODELS_MAX = 2_000;
/** Live and removed ones. */
const AGENTS_MAX = 20_000;
const INSTRUCTIONS_MAX = BINDINGS_PER_WORKSPACE_MAX;
const GEAR_BINDINGS_MAX = 2_000;
const LEFT_OUT_MAX = 10_000;

export class Survey {
  header: RecordOf<"workspace"> | undefined;
  readonly models: RecordOf<"model">[] = [];
  /** Numbers of models that live agents need. */
  readonly needed = new Set<number>();
  readonly instructions: RecordOf<"instruction">[] = [];
  readonly instructionBindings: RecordOf<"instruction_binding">[] = [];
  readonly gears: GearDraft[] = [];
  readonly gearBindings: RecordOf<"gear_binding">[] = [];
  readonly documents: RecordOf<"document">[] = [];
  readonly leftOut: RecordOf<"left_out">[] = [];
  readonly conversation = new ConversationSurvey();
  /** The number of the orchestrator. */
  orchestrator = 0;
  agents = 0;
  /** Numbers of removed agents, to which nothing is bound. */
  readonly removed = new Set<number>();
  readonly #names = new Set<string>();
  readonly #wires = new Set<string>();
  readonly #paths = new Set<string>();
  #section = 0;
  #roleBytes = 0;
  #gearBytes = 0;

  /** Raises `invalid`. */
  take(record: AnyRecord): void {
    // The files of a gear follow it, and what is left out may be named anywhere.
    const section = record.type === "left_out" ? this.#section : KINDS.indexOf(sectionOf(record.type));
    if (section < this.#section) throw misplaced(record.type);
    this.#section = section;
    if (record.type !== "workspace" && !this.header) throw misplaced(record.type);
    this.#take(record);
  }

  /** Call it after the last record. Raises `invalid`. */
  async finish(): Promise<void> {
    if (!this.header) throw misplaced("end");
    if (this.orchestrator === 0) throw wrong("agent", "there is no orchestrator");
    this.conversation.finish();
    const stretch = new Stretch();
    for (const gear of this.gears) {
      requireGear(gear);
      if (stretch.isOver()) await turnOfOthers();
    }
  }

  #take(record: AnyRecord): void {
    if (this.conversation.take(record, this.agents, this.models.length)) return;
    switch (record.type) {
      case "workspace":
        return this.#takeHeader(record);
      case "model":
        return takeNext(this.models, record, MODELS_MAX);
      case "agent":
        return this.#takeAgent(record);
      case "wire":
        return this.#takeWire(record);
      case "instruction":
        parseWording(record.name, record.text);
        return takeNext(this.instructions, record, INSTRUCTIONS_MAX);
      case "instruction_binding":
        requireFits(record.type, "instruction", record.instruction, this.instructions.length);
        return this.#takeBinding(this.instructionBindings, record, BINDINGS_PER_WORKSPACE_MAX);
      case "gear":
        return takeNext(
          this.gears,
          { ...gearInput(record), id: record.id, type: "gear" },
          EXPORTED_GEARS_MAX,
        );
      case "gear_file":
        return this.#takeGearFile(record);
      case "gear_binding":
        requireFits(record.type, "gear", record.gear, this.gears.length);
        return this.#takeBinding(this.gearBindings, record, GEAR_BINDINGS_MAX);
      case "document":
        parseDocumentPath("path", record.path);
        return this.#takeBinding(this.documents, record, CONTEXT_BINDINGS_PER_WORKSPACE_MAX);
      case "file":
        return this.#takeFile(record);
      case "left_out":
        if (this.leftOut.length < LEFT_OUT_MAX) this.leftOut.push(record);
    }
  }

  #takeHeader(record: RecordOf<"workspace">): void {
    if (this.header) throw misplaced("workspace");
    parseName("name", record.name);
    if (record.display_name !== null) parseName("display_name", record.display_name);
    if (record.description.length > DESCRIPTION_CHARACTERS_MAX)
      throw fieldError("invalid", "description", `at most ${DESCRIPTION_CHARACTERS_MAX} characters`);
    this.header = record;
  }

  #takeAgent(record: RecordOf<"agent">): void {
    if (record.id !== this.agents + 1 || record.id > AGENTS_MAX)
      throw wrong("agent", `id ${record.id} is not the next`);
    this.agents = record.id;
    requireFits("agent", "model", record.model, this.models.length);
    requireTime(record.created_at);
    const { text, key } = parseName("name", record.name);
    if ([...text].length > AGENT_NAME_CHARACTERS_MAX)
      throw fieldError("invalid", "name", `at most ${AGENT_NAME_CHARACTERS_MAX} characters for an agent`);
    if (record.role.length > ROLE_CHARACTERS_MAX)
      throw fieldError("invalid", "role", `at most ${ROLE_CHARACTERS_MAX} characters`);
    if (
      record.orchestrator !==
      (key === ORCHESTRATOR_NAME && this.orchestrator === 0 && record.removed_at === null)
    )
      throw wrong("agent", `only one agent is the orchestrator, and it is named "${ORCHESTRATOR_NAME}"`);
    if (record.removed_at !== null) {
      requireTime(record.removed_at);
      this.removed.add(record.id);
      return;
    }
    this.#roleBytes += Buffer.byteLength(record.role);
    if (this.#roleBytes > ROLES_BYTES_MAX)
      throw wrong("agent", `the roles have at most ${ROLES_BYTES_MAX} bytes together`);
    if (record.orchestrator) this.orchestrator = record.id;
    if (this.#names.has(key)) throw wrong("agent", `two agents are named "${text}"`);
    this.#names.add(key);
    if (this.#names.size > AGENTS_PER_WORKSPACE_MAX)
      throw wrong("agent", `a workspace has at most ${AGENTS_PER_WORKSPACE_MAX} agents`);
    this.needed.add(record.model);
  }

  #takeWire(record: RecordOf<"wire">): void {
    this.#requireLive("from", record.from);
    this.#requireLive("to", record.to);
    requireTime(record.created_at);
    const key = `${record.from}>${record.to}`;
    if (record.from === record.to || this.#wires.has(key)) throw wrong("wire", `${key} is not a new wire`);
    this.#wires.add(key);
    if (this.#wires.size > WIRES_PER_WORKSPACE_MAX)
      throw wrong("wire", `a workspace has at most ${WIRES_PER_WORKSPACE_MAX} wires`);
  }

  #takeBinding<R extends { type: string; agent: number | null }>(
    bindings: R[],
    record: R,
    max: number,
  ): void {
    if (record.agent !== null) this.#requireLive("agent", record.agent);
    if (bindings.length >= max) throw wrong(record.type, `at most ${max}`);
    bindings.push(record);
  }

  #takeGearFile(record: RecordOf<"gear_file">): void {
    if (record.gear !== this.gears.length) throw misplaced("gear_file");
    this.#gearBytes += record.content.length;
    // Base64 takes a third more.
    if (this.#gearBytes > EXPORTED_GEARS_BYTES_MAX * 1.5)
      throw wrong("gear_file", `gears have at most ${EXPORTED_GEARS_BYTES_MAX} bytes together`);
    const { path, encoding, content } = record;
    this.gears.at(-1)!.files.push({ path, encoding, content });
  }

  #takeFile({ path, encoding, content }: RecordOf<"file">): void {
    const proven = parseDocumentPath("path", path);
    const key = foldedPath(proven);
    if (this.#paths.has(key)) throw wrong("file", `"${path}" appears twice`);
    this.#paths.add(key);
    if (this.#paths.size > EXPORTED_FILES_MAX) throw wrong("file", `at most ${EXPORTED_FILES_MAX} files`);
    if (Buffer.byteLength(content, encoding) > FILE_BYTES_MAX)
      throw wrong("file", `"${path}" has more than ${FILE_BYTES_MAX} bytes`);
    if (encoding === "utf8" && !content.isWellFormed()) throw wrong("file", `"${path}" is not valid Unicode`);
  }

  #requireLive(field: string, agent: number): void {
    requireFits("agent", field, agent, this.agents);
    if (this.removed.has(agent)) throw wrong("agent", `${agent} was deleted, so nothing leads to it`);
  }
}

function sectionOf(kind: Kind): Kind {
  return kind === "gear_file" ? "gear" : kind;
}

function takeNext<R extends { type: string; id: number }>(records: R[], record: R, max: number): void {
  if (record.id !== records.length + 1) throw wrong(record.type, `id ${record.id} is not the next`);
  if (records.length >= max) throw wrong(record.type, `at most ${max}`);
  records.push(record);
}

function misplaced(type: string): AppError {
  return wrong(type, "not at its place in the file");
}
