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

export function DecisionLine(props: {
  readonly decision: GearDecision;
  /** Beside its version, without repeating it. */
  readonly short?: boolean;
}): JSX.Element {
  return (
    <span class="gear-decided wrap">
      <span class={props.decision.decision === "approved" ? "gear-ok" : undefined}>
        {WORDS[props.decision.decision]}
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
