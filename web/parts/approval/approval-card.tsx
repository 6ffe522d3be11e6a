// One pending approval with the exact content to decide on, for the approvals page and the conversation. Its content is read from the
// server, so that a decision never applies to something older than what the card shows.

import { type JSX, Match, Show, Switch } from "solid-js";
import type { Approval } from "../../../src/service/approvals/schema.ts";
import { later } from "../../kit/later.tsx";
import { Skeleton } from "../../kit/states.tsx";
import type { ApprovalCardProps } from "./card-parts.tsx";
import { SearchCard } from "./search-card.tsx";
import "./approval-card.css";

/** They load when they are first shown, because they bring code and its differences with them. */
const GearCard = later(async () => (await import("./gear-card.tsx")).GearCard);
const ProposalCard = later(async () => (await import("./proposal-card.tsx")).ProposalCard);

/** Keyed, so that no state of one approval carries over to the next. */
export function ApprovalCard(props: ApprovalCardProps): JSX.Element {
  return (
    <Show when={keyOf(props.approval)} keyed>
      <Switch>
        <Match when={props.approval.kind === "search"}>
          <SearchCard {...props} />
        </Match>
        <Match when={props.approval.kind === "gear"}>
          <GearCard {...props} fallback={<Skeleton />} />
        </Match>
        <Match when={props.approval.kind === "instruction"}>
          <ProposalCard {...props} fallback={<Skeleton />} />
        </Match>
      </Switch>
    </Show>
  );
}

/** `search-3`: unique among all approvals. */
export function keyOf(approval: Pick<Approval, "kind" | "id">): string {
  return `${approval.kind}-${approval.id}`;
}
