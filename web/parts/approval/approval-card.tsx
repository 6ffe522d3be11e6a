// One thing that waits for a person, with exactly what would be decided on: on the approvals page, and in the conversation where it was
// asked. What it is about is read from the server, so that a card never decides on something older than what it shows.

import { type JSX, Match, Show, Switch } from "solid-js";
import type { Approval } from "../../../src/service/approvals/schema.ts";
import type { ApprovalCardProps } from "./card-parts.tsx";
import { GearCard } from "./gear-card.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { SearchCard } from "./search-card.tsx";
import "./approval-card.css";

/** Another approval is another card: nothing of what was pressed or shown goes over. */
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
