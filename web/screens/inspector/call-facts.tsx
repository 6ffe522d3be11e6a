// The figures of a model call. Values that the provider did not report are marked so; they are not zero.

import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import type { Call } from "../../../src/service/turns/schema.ts";
import { count, duration, money } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { FailureNotice } from "../../kit/states.tsx";

const NOT_REPORTED = "not reported";

export function CallFacts(props: { readonly call: Call }): JSX.Element {
  const running = () => props.call.status === "running";
  const reported = (value: number | null) =>
    value === null ? (running() ? "not yet" : NOT_REPORTED) : count(value);
  const time = (ms: number | null) => (ms === null ? (running() ? "not yet" : "unknown") : duration(ms));
  return (
    <section class="section">
      <Show when={props.call.error}>
        {(error) => (
          <div class="inspector-error">
            <FailureNotice reason={error()} />
          </div>
        )}
      </Show>
      <dl class="inspector-figures num">
        <Figure name="Tokens in" value={reported(props.call.input_tokens)} />
        <Figure name="Cached" value={reported(props.call.cached_input_tokens)} />
        <Figure name="Tokens out" value={reported(props.call.output_tokens)} />
        <Figure name="Cost" value={props.call.cost === null ? "unknown" : money(props.call.cost)} />
        <Figure name="First chunk" value={time(props.call.first_chunk_ms)} />
        <Figure name="Duration" value={time(props.call.duration_ms)} />
      </dl>
      <Show when={props.call.cost === null && !running()}>
        <p class="small muted">
          {props.call.input_tokens === null || props.call.output_tokens === null ? (
            "The cost is unknown because the provider did not report tokens."
          ) : (
            <>
              The cost is unknown because the model had no price at the time.{" "}
              <A href={`/models?open=model-${props.call.model_id}`}>Prices</A> apply from the next call.
            </>
          )}
        </p>
      </Show>
      <details class="inspector-more">
        <summary class="small">Model, attempts, finish</summary>
        <dl class="facts">
          <dt>Model</dt>
          <dd>{props.call.model_name}</dd>
          <dt>Provider</dt>
          <dd>
            {props.call.provider_name}, {props.call.protocol}
          </dd>
          <dt>Round</dt>
          <dd>
            {props.call.round}
            {props.call.may_call ? "" : ", the run's last answer, without tools"}
          </dd>
          <dt>Started</dt>
          <dd>
            <Time time={props.call.started_at} />
          </dd>
          <dt>Attempts</dt>
          <dd>{props.call.attempts ?? (running() ? "not yet known" : "unknown")}</dd>
          <dt>Status</dt>
          <dd>{props.call.status}</dd>
          <dt>Finish</dt>
          <dd>{props.call.finish ?? (running() ? "not yet" : NOT_REPORTED)}</dd>
        </dl>
      </details>
    </section>
  );
}

function Figure(props: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd classList={{ absent: !/\d/.test(props.value) }}>{props.value}</dd>
    </div>
  );
}
