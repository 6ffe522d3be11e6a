// Advice about a turn whose model call the provider refused.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Match, Show, Switch } from "solid-js";
import type { CallSummary } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { modelsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { useRoom } from "./room.ts";

type Refusal = "key" | "credit" | "unknown" | "request" | "later";

/** Says nothing about a failure that the provider had no part in, or whose own message says it all. */
export function WhatHelps(props: { readonly turnId: number }): JSX.Element {
  const calls = createQuery(() => {
    const { turnId } = props;
    return { key: ["turn-calls", turnId], read: () => take(api.turns({ id: turnId }).calls.get()) };
  });
  const failed = createMemo(() => {
    const call = calls.data()?.findLast(({ status }) => status === "failed");
    const refusal = call && refusalOf(call.http_status);
    return call && refusal ? { call, refusal } : undefined;
  });
  return <Show when={failed()}>{(found) => <Advice {...found()} />}</Show>;
}

/** `status` as in `CallSummary.http_status`. */
function refusalOf(status: number | null): Refusal | undefined {
  if (status === null) return undefined;
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "credit";
  if (status === 404) return "unknown";
  if (status === 408 || status === 429 || status >= 500) return "later";
  return status >= 400 ? "request" : undefined;
}

function Advice(props: { readonly call: CallSummary; readonly refusal: Refusal }): JSX.Element {
  const room = useRoom();
  const provider = () => <bdi>{props.call.provider_name}</bdi>;
  const models = modelsQuery();
  const model = () => models.data()?.find(({ id }) => id === props.call.model_id);
  return (
    <p>
      <Switch>
        <Match when={props.refusal === "key"}>
          {provider()} refused its key.{" "}
          <ForAdmins
            path={model() && `/models?open=provider-${model()!.provider_id}`}
            does={`Change the key of ${props.call.provider_name}`}
            ask="Ask an admin to change it."
          />
        </Match>
        <Match when={props.refusal === "credit"}>
          The account at {provider()} has no credit left, or has reached its spending limit. Add credit there,
          or choose another model.
        </Match>
        <Match when={props.refusal === "unknown"}>
          {provider()} has no model <bdi class="mono">{props.call.model_name}</bdi> at its address.{" "}
          <ForAdmins
            path={model() && `/models?open=model-${model()!.id}`}
            does={`Check ${props.call.model_name}`}
            ask="Ask an admin to check both, or choose another model."
          />
        </Match>
        <Match when={props.refusal === "request"}>
          {provider()} refused this request, and would refuse it again. Change the message, or choose another
          model.{" "}
          <button
            type="button"
            class="chat-link"
            onClick={() => room.select({ kind: "call", id: props.call.id })}
          >
            Show what was sent
          </button>
        </Match>
        <Match when={props.refusal === "later"}>
          {provider()} is overloaded or limits your requests. Wait a minute, then resume.
        </Match>
      </Switch>
    </p>
  );
}

function ForAdmins(props: {
  /** Undefined while it is not known, or when the model was deleted. */
  readonly path: string | undefined;
  readonly does: string;
  readonly ask: string;
}): JSX.Element {
  return (
    <Show when={isAdmin() && props.path} fallback={props.ask}>
      {(path) => <A href={path()}>{props.does}</A>}
    </Show>
  );
}
