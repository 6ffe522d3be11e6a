// Web search: grants, requests and their limits. A request is the exact query that a person decides on, and the record of what became of it.

import { Type, type Static } from "@sinclair/typebox";
import { judgedText, closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";

export const QUERY_CHARACTERS_MAX = 256;
/** No answer in this time is a refusal; an approval that nobody used in this time is worth nothing any more. */
export const DECISION_MINUTES_MAX = 10;
/** Over the whole installation; a person cannot look at more. */
export const REQUESTS_OPEN_MAX = 200;

/** `approved` with a `started_at` is running. `done` and `failed` were sent. */
export const requestStates = ["pending", "approved", "refused", "expired", "done", "failed"] as const;
export type RequestState = (typeof requestStates)[number];

export const EgressStatus = closed({
  /** All of lock 1: searches are possible now. */
  on: Type.Boolean(),
  /** Why not; null when they are. */
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
  /** Characters that are not plain Latin letters, digits and common marks, each once, as `U+0430 а`. */
  unusual_characters: Type.Array(Type.String()),
  /** Words that look like a key or an id: long, letters and digits mixed. */
  opaque_words: Type.Array(Type.String()),
  /** The longest passage that the query shares with what was said in the workspace; null: nothing worth naming. */
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
  /** Names of the agents from the orchestrator to the one that asks. */
  chain: Type.Array(Type.String()),
  asked_by: Type.String({ description: "whose turn it is" }),
  query: Type.String(),
  query_hash: Type.String({ description: "SHA-256 of the query, hex" }),
  facts: EgressFacts,
  state: oneOf(requestStates),
  asked_at: Time,
  expires_at: Time,
  decided_at: nullable(Time),
  /** Null while undecided, and when the service decided (expiry, a turn that was cancelled). */
  decided_by: nullable(Type.String()),
  auth: nullable(AuthKind),
  /** What came of it, when that needs words. */
  reason: nullable(Type.String()),
  started_at: nullable(Time),
  finished_at: nullable(Time),
  results: nullable(Type.Integer()),
});
export type EgressRequest = Static<typeof EgressRequest>;

export const decisions = ["approve", "refuse"] as const;
/** `query_hash` names what was looked at: a decision cannot be about something else. */
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
export type SearchInput = Static<typeof SearchInput>;
