// The column headers of the waterfall, with the time axis and its gaps above the bars.

import { createMemo, For, type JSX } from "solid-js";
import type { Gap } from "./axis.ts";
import { ticksOf, tickText } from "./axis-ticks.ts";
import { gapSentence, gapWords } from "./step-label.ts";

export function WaterfallHead(props: {
  readonly length: number;
  readonly gaps: readonly Gap[];
  readonly beginMs: number;
  readonly now: number;
}): JSX.Element {
  const ticks = createMemo(() => ticksOf(props.length, props.gaps, props.beginMs));
  const label = () => ["Start", ...props.gaps.map((gap) => gapSentence(gap, props.now))].join("; ");
  return (
    <div role="rowgroup" class="activity-top">
      <div role="row" class="activity-row activity-head" aria-rowindex={1}>
        <span role="columnheader">Step</span>
        <span role="columnheader" class="activity-track" aria-label={label()}>
          <For each={ticks()}>
            {(tick) => (
              <span class="activity-tick num" style={{ "--at": tick.at }}>
                {tickText(tick.ms)}
              </span>
            )}
          </For>
          <For each={props.gaps}>
            {(gap) => (
              <span
                class="activity-gap-label num"
                classList={{ last: gap.to >= props.length }}
                style={{ "--from": gap.from, "--to": gap.to }}
                title={gapSentence(gap, props.now)}
              >
                <span class="activity-gap-verb">{gapWords(gap, props.now).verb} </span>
                {gapWords(gap, props.now).time}
              </span>
            )}
          </For>
        </span>
        <span role="columnheader" class="activity-number">
          Time
        </span>
        <span role="columnheader" class="activity-number activity-tokens">
          Tokens
        </span>
        <span role="columnheader" class="activity-number activity-cost">
          Cost
        </span>
      </div>
    </div>
  );
}
