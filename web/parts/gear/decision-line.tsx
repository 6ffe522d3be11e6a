// One decision on a version of a gear: what, which hash, who, how they were authenticated, when.

import { type JSX, Show } from "solid-js";
import type { GearDecision } from "../../../src/service/gears/schema.ts";
import { shortHash } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { AUTH_NAMES } from "./auth-names.ts";

const WORDS: Readonly<Record<GearDecision["decision"], string>> = {
  approved: "Approved",
  disabled: "Rejected",
  withdrawn: "Approval withdrawn",
};

/** A content that was approved before is not rejected, but taken out of use. */
function wordOf(decision: GearDecision, among: readonly GearDecision[]): string {
  const before = among
    .slice(0, among.indexOf(decision))
    .findLast(({ version }) => version === decision.version);
  const isDisabling = decision.decision === "disabled" && before?.decision === "approved";
  return isDisabling ? "Disabled" : WORDS[decision.decision];
}

export function DecisionLine(props: {
  readonly decision: GearDecision;
  /** It and others of the same gear, the oldest first. */
  readonly among: readonly GearDecision[];
  /** Beside its version, without repeating it. */
  readonly short?: boolean;
}): JSX.Element {
  return (
    <span class="gear-decided wrap">
      <span class={props.decision.decision === "approved" ? "gear-ok" : undefined}>
        {wordOf(props.decision, props.among)}
      </span>
      <Show when={!props.short}>
        {" "}
        v{props.decision.version}{" "}
        <span class="mono muted" title={`SHA-256 ${props.decision.content_hash}`}>
          {shortHash(props.decision.content_hash)}
        </span>
      </Show>
      <span class="muted">
        , <bdi>{props.decision.by}</bdi> ({AUTH_NAMES[props.decision.auth]}),{" "}
        <Time time={props.decision.time} />
      </span>
    </span>
  );
}
