// The items of a conversation on the screen. Immutable values.

import type { Approval, DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { Entry } from "../../src/service/conversation/schema.ts";
import type { Turn } from "../../src/service/turns/schema.ts";

export interface Chip {
  readonly key: string;
  readonly turnId: number;
  readonly tool: string;
  /** As the model wrote them. */
  readonly arguments: string;
  readonly result: Entry | undefined;
  /** The runs of a delegation: the worker's and those below it. */
  readonly runs: readonly number[];
  /** The worker's. */
  readonly agentId: number | undefined;
  /** Of a search that was not sent because of a decision, or for lack of one. */
  readonly refusal: Refusal | undefined;
}

/** A decision against a request, or none in time. */
export type Refusal = "rejected" | "expired";

export interface Segment {
  readonly key: string;
  readonly entry: Entry;
  readonly chips: readonly Chip[];
  /** The questions after this answer and before the next one. */
  readonly asks: readonly Approval[];
  readonly decided: readonly DecisionRecord[];
}

export interface Bubble {
  readonly kind: "bubble";
  readonly key: string;
  readonly turnId: number;
  readonly runId: number;
  readonly agentId: number;
  /** 0: the orchestrator. */
  readonly depth: number;
  readonly callerId: number | undefined;
  /** The worker's task, shown with its first bubble. */
  readonly task: Entry | undefined;
  /** The result of the delegation if the worker failed, in the last bubble of its run. */
  readonly failure: Entry | undefined;
  readonly segments: readonly Segment[];
  /** The run is active, and its next words belong here. */
  readonly live: boolean;
  readonly turnOpen: boolean;
  /** Of a run that has not answered yet. */
  readonly asks: readonly Approval[];
  readonly decided: readonly DecisionRecord[];
}

/** The decisions that people made by themselves, between turns or during one. */
export interface Decided {
  readonly kind: "decided";
  readonly key: string;
  readonly decisions: readonly DecisionRecord[];
}

export interface Message {
  readonly kind: "message";
  readonly key: string;
  readonly entry: Entry | undefined;
  readonly text: string;
  readonly userId: number | undefined;
  readonly userName: string;
  /** Came in with a file, in which this was the name of its person. */
  readonly imported: boolean;
  readonly time: string;
}

export interface TurnEnd {
  readonly kind: "end";
  readonly key: string;
  readonly turn: Turn;
  /** Nothing was said after it, so it can be resumed. */
  readonly last: boolean;
  /** Why the provider truncated the answer of a turn that is done. */
  readonly cut: Entry["truncated"];
}

export interface Queued {
  readonly kind: "queued";
  readonly key: string;
  readonly turn: Turn;
}

export type Item = Bubble | Message | Decided | TurnEnd | Queued;

/** An active run. */
export interface LiveRun {
  readonly runId: number;
  readonly agentId: number;
  readonly turnId: number;
  readonly speaks: boolean;
}

/** The input of one turn's part of the list. */
export interface TurnParts {
  readonly turnId: number;
  readonly turn: Turn | undefined;
  readonly entries: readonly Entry[];
  readonly live: readonly LiveRun[];
  readonly asks: readonly Approval[];
  readonly decided: readonly DecisionRecord[];
  /** Decisions that no agent asked for: before the first turn, and since this one began. */
  readonly lead: readonly DecisionRecord[];
  readonly notes: readonly DecisionRecord[];
  readonly names: ReadonlyMap<number, string>;
  readonly last: boolean;
}
