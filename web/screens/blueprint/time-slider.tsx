// The slider that shows the blueprint as of an earlier turn, and the notice while it does.

import ChevronsLeft from "lucide-solid/icons/chevrons-left";
import { type JSX, Show } from "solid-js";
import { Button, IconButton } from "../../kit/button.tsx";
import { Time } from "../../kit/pieces.tsx";
import { moment } from "../../kit/format.ts";
import type { Past } from "./past.ts";
import "./time-slider.css";

export function TimeSlider(props: { readonly past: Past }): JSX.Element {
  const { past } = props;
  const last = () => past.turns().length;
  const value = () => {
    const turn = past.turn();
    return turn ? past.turns().indexOf(turn) : last();
  };
  const words = () => {
    const turn = past.turn();
    return turn ? `turn ${turn.number}, ${moment(turn.started_at ?? turn.created_at)}` : "now";
  };
  return (
    <div class="blueprint-time">
      <Show
        when={last() > 0}
        fallback={<span class="muted small">No turns yet. This slider will show earlier blueprints.</span>}
      >
        <Show when={past.hasEarlier()}>
          <IconButton
            small
            label="Load earlier turns"
            busy={past.loadingEarlier()}
            onClick={() => void past.loadEarlier()}
          >
            <ChevronsLeft aria-hidden="true" />
          </IconButton>
        </Show>
        <span class="blueprint-time-label">as of</span>
        <input
          type="range"
          class="blueprint-time-range"
          min={0}
          max={last()}
          step={1}
          value={value()}
          style={{ "--at": `${(value() / last()) * 100}%` }}
          aria-label="Blueprint as of"
          aria-valuetext={words()}
          onInput={(event) => past.look(past.turns()[event.currentTarget.valueAsNumber]?.id)}
        />
        <span class="blueprint-time-value num">
          <Show when={past.turn()} fallback="now">
            {(turn) => <>turn {turn().number}</>}
          </Show>
        </span>
        <Show when={past.turn()}>
          <Button small onClick={() => past.look(undefined)}>
            Show current
          </Button>
        </Show>
      </Show>
    </div>
  );
}

/** Shown while an earlier turn is selected. */
export function PastNotice(props: { readonly past: Past }): JSX.Element {
  return (
    <div role="status" class="blueprint-past">
      <Show when={props.past.turn()}>
        {(turn) => (
          <Show
            when={props.past.problem()}
            fallback={
              <>
                The blueprint as of turn {turn().number},{" "}
                <Time time={turn().started_at ?? turn().created_at} />. Read-only.
              </>
            }
          >
            {(problem) => <>Loading failed: {problem().message}</>}
          </Show>
        )}
      </Show>
    </div>
  );
}
