// The review of a gear: the card with its content and the decision, tests, a dry run. The page keeps showing the version that it was opened
// with: a newer one is announced and never slips under the Approve button.

import { children, type JSX, Show } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { createPlaced } from "../../kit/quiet.ts";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { GearDecision } from "../../parts/approval/gear-decision.tsx";
import { createLooked } from "../../parts/approval/looked.ts";
import { createArgsForm } from "./args-form.tsx";
import { DecideGear } from "./decide-gear.tsx";
import { EarlierDecisions } from "./earlier-decisions.tsx";
import { GearHead } from "./gear-head.tsx";
import { StoredTests } from "./stored-tests.tsx";
import { TryGear } from "./try-gear.tsx";
import "../../parts/approval/approval-card.css";

export function Review(props: { readonly gear: GearDetail }): JSX.Element {
  const looked = createLooked(() => props.gear);
  const placing = createPlaced();
  const form = createArgsForm(() => looked.gear().args_schema);
  const side = children(() => (
    <>
      <TryGear gear={looked.gear()} form={form} />
      <DecideGear gear={looked.gear()} />
      <EarlierDecisions gear={looked.gear()} />
    </>
  ));
  const main = children(() => (
    <div class={`gear-review ${placing()}`}>
      <GearHead gear={looked.gear()} />
      <section
        class="approval whole"
        classList={{ settled: looked.gear().status !== "pending" }}
        aria-label={`Version ${looked.gear().version}`}
      >
        <GearDecision looked={looked} whole />
      </section>
      <StoredTests gear={looked.gear()} onUse={form.fill} />
    </div>
  ));
  return (
    <Show
      when={!narrow()}
      fallback={
        <div class={`scroll gear-narrow ${placing()}`}>
          {main()}
          <div class="gear-narrow-side">{side()}</div>
        </div>
      }
    >
      <Split
        name="gear-review"
        size={380}
        min={300}
        max={640}
        sideLabel="Run and decide"
        open
        main={main()}
        side={side()}
      />
    </Show>
  );
}
