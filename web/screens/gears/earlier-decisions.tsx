// Past decisions on a gear, newest first, with who made them and how they were authenticated.

import { For, type JSX } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { DecisionLine } from "../../parts/gear/decision-line.tsx";

export function EarlierDecisions(props: { readonly gear: GearDetail }): JSX.Element {
  return (
    <section class="section" aria-labelledby="gear-decisions">
      <h2 id="gear-decisions">Earlier decisions</h2>
      <ul class="gear-decisions">
        <For
          each={props.gear.decisions.toReversed()}
          fallback={<li class="muted small">No decisions yet.</li>}
        >
          {(decision) => (
            <li>
              <DecisionLine decision={decision} among={props.gear.decisions} />
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
