// The library: instructions with their versions and bindings, and agents' proposals.

import { Type, type Static } from "@sinclair/typebox";
import { GivenName, closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";

export const INSTRUCTION_CHARACTERS_MAX = 100_000;
export const INSTRUCTIONS_MAX = 10_000;
/** Of text, in one page of versions; a single version may be larger. */
export const VERSIONS_PAGE_BYTES_MAX = 1024 * 1024;
/** Bounded, because each binding adds text to every prompt. */
export const BINDINGS_PER_WORKSPACE_MAX = 500;
export const PROPOSALS_OPEN_PER_WORKSPACE_MAX = 50;

export const InstructionSummary = closed({
  id: Id,
  name: Type.String(),
  version: Id,
  author_id: Id,
  author: Type.String(),
  created_at: Time,
  updated_at: Time,
});
export type InstructionSummary = Static<typeof InstructionSummary>;

export const Instruction = closed({ ...InstructionSummary.properties, text: Type.String() });
export type Instruction = Static<typeof Instruction>;

export const InstructionVersion = closed({
  version: Id,
  name: Type.String(),
  text: Type.String(),
  content_hash: Type.String({ description: "SHA-256, hex, over the canonical JSON of name and text" }),
  author: Type.String({ description: "the user who saved or approved it" }),
  proposed_by: nullable(Type.String({ description: "the agent that proposed it" })),
  created_at: Time,
});
export type InstructionVersion = Static<typeof InstructionVersion>;

const Text = Type.String({ maxLength: INSTRUCTION_CHARACTERS_MAX });

export const CreateInstruction = closed({ name: GivenName, text: Text });
export type CreateInstruction = Static<typeof CreateInstruction>;

/** `expected_version` is the version that was read; if the current one differs, the change is refused (412). An absent field is unchanged. */
export const UpdateInstruction = closed({
  name: Type.Optional(GivenName),
  text: Type.Optional(Text),
  expected_version: Type.Optional(Id),
});
export type UpdateInstruction = Static<typeof UpdateInstruction>;

export const InstructionBinding = closed({
  id: Id,
  workspace_id: Id,
  instruction_id: Id,
  name: Type.String(),
  version: Id,
  agent_id: nullable(Id),
  created_at: Time,
});
export type InstructionBinding = Static<typeof InstructionBinding>;

export const BindInstruction = closed({ instruction_id: Id, agent_id: Type.Optional(nullable(Id)) });
export type BindInstruction = Static<typeof BindInstruction>;

/** SHA-256, hex. */
const HASH_CHARACTERS = 64;

const proposalStatuses = ["pending", "accepted", "refused"] as const;

export const Proposal = closed({
  id: Id,
  workspace_id: Id,
  instruction_id: nullable(Id),
  /** The version that the agent saw; null for a new instruction. */
  base_version: nullable(Id),
  name: Type.String(),
  text: Type.String(),
  content_hash: Type.String(),
  agent: Type.String(),
  requested_by: Type.String(),
  turn_id: nullable(Id),
  /** Written after the turn had read text from outside. */
  tainted: Type.Boolean(),
  status: oneOf(proposalStatuses),
  decided_by: nullable(Type.String()),
  decided_at: nullable(Time),
  created_at: Time,
});
export type Proposal = Static<typeof Proposal>;

export const DecideProposal = closed({
  decision: oneOf(["accept", "refuse"] as const),
  content_hash: Type.Optional(Type.String({ maxLength: HASH_CHARACTERS })),
});
export type DecideProposal = Static<typeof DecideProposal>;
