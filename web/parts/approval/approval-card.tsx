// One pending approval with the exact content to decide on, for the approvals page and the conversation. Its content is read from the
// server, so that a decision never applies to something older than what the card shows.

import { type JSX, Match, Show, Switch } from "solid-js";
import type { Approval } from "../../../src/service/approvals/schema.ts";
import type { ApprovalCardProps } from "./card-parts.tsx";
import { GearCard } from "./gear-card.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { SearchCard } from "./search-card.tsx";
import "./approval-card.css";

/** Keyed, so that no state of one approval carries over to the next. */
export function ApprovalCard(props: ApprovalCardProps): JSX.Element {
  return (
    <Show when={keyOf(props.approval)} keyed>
      <Switch>
        <Match when={props.approval.kind === "search"}>
          <SearchCard {...props} />
        </Match>
        <Match when={props.approval.kind === "gear"}>
          <GearCard {...props} />
        </Match>
        <Match when={props.approval.kind === "instruction"}>
          <ProposalCard {...props} />
        </Match>
      </Switch>
    </Show>
  );
}

/** `search-3`: unique among all approvals. */
export function keyOf(approval: Pick<Approval, "kind" | "id">): string {
  return `${approval.kind}-${approval.id}`;
}
