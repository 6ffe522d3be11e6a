// Past decisions on a gear, with who made them and how they were authenticated. The audit has the full record, for admins.

import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { shortHash } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { isAdmin } from "../../state/session.ts";
import { decisionsQuery } from "./gear-queries.ts";
import { AUTH_NAMES } from "./gear-words.tsx";

const SHOWN_MAX = 20;

export function EarlierDecisions(props: { readonly gear: GearDetail }): JSX.Element {
  const decisions = decisionsQuery(() => props.gear.id);
  const list = () => decisions.data()?.slice(0, SHOWN_MAX) ?? [];
  return (
    <section class="section" aria-labelledby="gear-decisions">
      <h2 id="gear-decisions">Earlier decisions</h2>
      <Switch fallback={<p class="muted small">No decisions yet.</p>}>
        <Match when={!isAdmin()}>
          <p class="muted small">Admins can see all decisions in the audit.</p>
        </Match>
        <Match when={decisions.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void decisions.refresh()} />}
        </Match>
        <Match when={list().length > 0}>
          <ul class="gear-decisions">
            <For each={list()}>
              {(decision) => (
                <li>
                  <span>
                    v{decision.version} {decision.action}
                  </span>
                  <Show when={decision.record.content_hash}>
                    {(hash) => (
                      <span class="mono faint" title={`SHA-256 ${hash()}`}>
                        {shortHash(hash())}
                      </span>
                    )}
                  </Show>
                  <span class="muted small gear-decided">
                    <bdi class="ellipsis">{decision.record.actor}</bdi>
                    {" · "}
                    {AUTH_NAMES[decision.record.auth]}
                    <Show when={decision.record.time}>
                      {(time) => (
                        <>
                          {" · "}
                          <Time time={time()} />
                        </>
                      )}
                    </Show>
                  </span>
                </li>
              )}
            </For>
          </ul>
        </Match>
      </Switch>
    </section>
  );
}
