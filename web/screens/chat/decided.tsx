// A decision, as one line at its place in the conversation: subject, version and hash, person, kind of sign-in, time.

import { A } from "@solidjs/router";
import CircleCheck from "lucide-solid/icons/circle-check";
import CircleX from "lucide-solid/icons/circle-x";
import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { DecisionRecord } from "../../../src/service/approvals/schema.ts";
import { plural, shortHash } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { AUTH_NAMES } from "../../parts/gear/auth-names.ts";
import { useHere } from "../../state/here.ts";
import { nameOf } from "../../state/workspace-state.ts";
import "./decided.css";

const WORDS: Readonly<Record<DecisionRecord["decision"], string>> = {
  approved: "Approved",
  accepted: "Approved",
  refused: "Rejected",
  disabled: "Rejected",
  expired: "Expired",
  withdrawn: "Withdrawn",
  granted: "Allowed",
  revoked: "Revoked",
  cleared: "Cleared",
};
const POSITIVE: ReadonlySet<string> = new Set(["approved", "accepted", "granted", "cleared"]);

/** A gear that nobody asked to approve was not rejected. Decisions of earlier builds do not say what was asked. */
function wordOf({ decision, subject, requested_at }: DecisionRecord): string {
  return decision === "disabled" && subject !== null && requested_at === null ? "Disabled" : WORDS[decision];
}

interface Line {
  readonly decision: DecisionRecord;
  /** Of entries whose marks one person cleared in a row. */
  readonly count: number;
}

export function DecidedLines(props: { readonly decisions: readonly DecisionRecord[] }): JSX.Element {
  const lines = createMemo(() => linesOf(props.decisions));
  return (
    <ul class="chat-decided" aria-label="Decisions">
      <For each={lines()}>{(line) => <OneLine {...line} />}</For>
    </ul>
  );
}

function linesOf(decisions: readonly DecisionRecord[]): readonly Line[] {
  const lines: Line[] = [];
  for (const decision of decisions) {
    const last = lines.at(-1);
    const isMore =
      decision.kind === "taint" && last?.decision.kind === "taint" && last.decision.by === decision.by;
    if (isMore) lines[lines.length - 1] = { decision, count: last.count + 1 };
    else lines.push({ decision, count: 1 });
  }
  return lines;
}

function OneLine(props: Line): JSX.Element {
  const decision = () => props.decision;
  const isPositive = () => POSITIVE.has(decision().decision);
  return (
    <li>
      <Show when={isPositive()} fallback={<CircleX aria-hidden="true" />}>
        <CircleCheck class="ok" aria-hidden="true" />
      </Show>
      <span class="wrap">
        <span class="chat-decision">{wordOf(decision())}</span> <What {...props} />
        <Show when={decision().version}>{(version) => <> v{version()}</>}</Show>
        <Show when={decision().content_hash}>
          {(hash) => (
            <>
              {" "}
              <span class="mono" title={`SHA-256 ${hash()}`}>
                {shortHash(hash())}
              </span>
            </>
          )}
        </Show>
        <Show when={decision().by} fallback={decision().reason ? ": " : ""}>
          {(by) => (
            <>
              , <bdi>{by()}</bdi>
              <Show when={decision().auth}>{(auth) => <> ({AUTH_NAMES[auth()]})</>}</Show>
            </>
          )}
        </Show>
        <Show when={decision().reason}>
          {(reason) => (
            <>
              {decision().by === null ? "" : ", "}
              <span dir="auto">{reason()}</span>
            </>
          )}
        </Show>
        , <Time time={decision().time} />
      </span>
    </li>
  );
}

function What(props: Line): JSX.Element {
  const here = useHere();
  const decision = () => props.decision;
  const agent = () => {
    const id = decision().agent_id;
    return id === null ? "an agent" : nameOf(here.state(), id);
  };
  return (
    <Switch>
      <Match when={decision().kind === "gear"}>
        <A href={`/gears/${decision().subject_id}/versions`} class="mono">
          {decision().subject ?? `gear ${decision().subject_id}`}
        </A>
      </Match>
      <Match when={decision().kind === "search"}>
        <span>the search “</span>
        <bdi>{decision().subject ?? `no. ${decision().subject_id}`}</bdi>
        <span>”</span>
      </Match>
      <Match when={decision().kind === "instruction"}>
        <span>the instruction </span>
        <bdi>{decision().subject ?? `no. ${decision().subject_id}`}</bdi>
      </Match>
      <Match when={decision().kind === "grant"}>
        <span>web search for </span>
        <bdi>{agent()}</bdi>
      </Match>
      <Match when={decision().kind === "taint"}>
        <span>
          {props.count === 1 ? "an entry" : plural(props.count, "entry", "entries")} with untrusted text
        </span>
      </Match>
    </Switch>
  );
}
