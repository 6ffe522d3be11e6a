// Web search: grants, requests and their limits. A request holds the exact query to decide on, and its outcome.

import { Type, type Static } from "@sinclair/typebox";
import { judgedText, closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";

export const QUERY_CHARACTERS_MAX = 256;
/** A request without a decision, and an approval without use, expire after this time. */
export const DECISION_MINUTES_MAX = 10;
/** Limit of the whole installation; people cannot review more. */
export const REQUESTS_OPEN_MAX = 200;

/** An `approved` request with a `started_at` is running. `done` and `failed` ones were sent. */
const requestStates = ["pending", "approved", "refused", "expired", "done", "failed"] as const;
export type RequestState = (typeof requestStates)[number];

export const EgressStatus = closed({
  /** Whether lock 1 is open. */
  on: Type.Boolean(),
  /** Why it is closed; null when it is open. */
  reason: nullable(Type.String()),
});
export type EgressStatus = Static<typeof EgressStatus>;

export const EgressGrant = closed({
  id: Id,
  workspace_id: Id,
  agent_id: Id,
  granted_by: Type.String(),
  auth: AuthKind,
  created_at: Time,
});
export type EgressGrant = Static<typeof EgressGrant>;

export const CreateGrant = closed({ agent_id: Id });

export const EgressFacts = closed({
  characters: Type.Integer(),
  /** Characters other than Latin letters, digits and common punctuation, each once, as `U+0430 а`. */
  unusual_characters: Type.Array(Type.String()),
  /** Words that look like a key or an id: long, with letters and digits. */
  opaque_words: Type.Array(Type.String()),
  /** The longest passage that the query shares with the workspace's entries; null when there is none of note. */
  overlap: nullable(closed({ text: Type.String(), words: Type.Integer(), entry_id: Id })),
});
export type EgressFacts = Static<typeof EgressFacts>;

export const EgressRequest = closed({
  id: Id,
  workspace_id: Id,
  workspace: Type.String(),
  turn_id: Id,
  run_id: Id,
  agent_id: Id,
  /** Names of the agents from the orchestrator to the requesting one. */
  chain: Type.Array(Type.String()),
  asked_by: Type.String({ description: "the user whose turn it is" }),
  query: Type.String(),
  query_hash: Type.String({ description: "SHA-256 of the query, hex" }),
  facts: EgressFacts,
  state: oneOf(requestStates),
  asked_at: Time,
  expires_at: Time,
  decided_at: nullable(Time),
  /** Null while pending, and when the service decided (expiry, a cancelled turn). */
  decided_by: nullable(Type.String()),
  auth: nullable(AuthKind),
  /** Explains the outcome, where needed. */
  reason: nullable(Type.String()),
  started_at: nullable(Time),
  finished_at: nullable(Time),
  results: nullable(Type.Integer()),
});
export type EgressRequest = Static<typeof EgressRequest>;

export const decisions = ["approve", "refuse"] as const;
/** `query_hash` identifies the reviewed query, so that a decision cannot apply to another one. */
export const DecideRequest = closed({
  decision: oneOf(decisions),
  query_hash: judgedText({ pattern: "^[0-9a-f]{64}$" }),
});
export type DecideRequest = Static<typeof DecideRequest>;

export const SearchInput = closed({
  query: Type.String({
    description: `At most ${QUERY_CHARACTERS_MAX} characters: letters, digits, spaces and .,:;?!'"()-+/#&`,
  }),
});
