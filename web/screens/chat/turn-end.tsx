// The end of a turn that did not complete: the reason, and what can be done.

import CircleAlert from "lucide-solid/icons/circle-alert";
import CirclePause from "lucide-solid/icons/circle-pause";
import CircleStop from "lucide-solid/icons/circle-stop";
import Scissors from "lucide-solid/icons/scissors";
import { A } from "@solidjs/router";
import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";
import { modelsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import type { TurnEnd } from "../../state/transcript.ts";
import { useRoom } from "./room.ts";

const CONTINUE = "Your last answer was cut off. Continue exactly where it ended.";
const KEY_REFUSED = [401, 403];

export function TurnEndItem(props: { readonly item: TurnEnd }): JSX.Element {
  const room = useRoom();
  const turn = () => props.item.turn;
  const [busy, setBusy] = createSignal(false);
  const resume = async () => {
    setBusy(true);
    await attempt(() => take(api.turns({ id: turn().id }).resume.post()));
    setBusy(false);
  };
  const more = async () => {
    setBusy(true);
    await attempt(() =>
      take(api.workspaces({ id: turn().workspace_id }).chat.post({ text: CONTINUE, queue: true })),
    );
    setBusy(false);
  };
  const goOn = (kind: "plain" | "primary") => (
    <Show when={props.item.last}>
      <Button small kind={kind} busy={busy()} onClick={() => void resume()}>
        Resume
      </Button>
    </Show>
  );
  return (
    <div class="chat-turn-end">
      <Switch>
        <Match when={turn().status === "failed"}>
          <Failed turn={turn()} last={props.item.last}>
            <Button small onClick={() => room.compose(turn().text)}>
              Retry
            </Button>
            {goOn("plain")}
          </Failed>
        </Match>
        <Match when={turn().status === "interrupted"}>
          <Interrupted last={props.item.last}>{goOn("primary")}</Interrupted>
        </Match>
        <Match when={turn().status === "done"}>
          <div class="chat-stopped">
            <Scissors aria-hidden="true" />
            <span>The answer is incomplete.</span>
            <Button small busy={busy()} onClick={() => void more()}>
              Continue
            </Button>
          </div>
        </Match>
        <Match when={turn().status === "cancelled"}>
          <div class="chat-stopped">
            <CircleStop aria-hidden="true" />
            <span class="wrap" dir="auto">
              {turn().error === null ? "Stopped." : `Stopped: ${turn().error}.`} The conversation so far is
              kept.
            </span>
            {goOn("plain")}
          </div>
        </Match>
      </Switch>
    </div>
  );
}

function Failed(props: {
  readonly turn: Turn;
  readonly last: boolean;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <div class="notice bad" role="group" aria-label="The turn failed">
      <CircleAlert aria-hidden="true" />
      <div>
        <b>The turn failed</b>
        <div class="wrap" dir="auto">
          {props.turn.error ?? "No reason was recorded."}
        </div>
        <WhatHelps turnId={props.turn.id} />
        <p class="small muted">
          {props.last ? "Resume continues after the last recorded step. " : ""}Retry puts your message back
          into the box.
        </p>
        <div class="chat-actions">{props.children}</div>
      </div>
    </div>
  );
}

function Interrupted(props: { readonly last: boolean; readonly children: JSX.Element }): JSX.Element {
  return (
    <div class="notice wait" role="group" aria-label="The turn was interrupted">
      <CirclePause aria-hidden="true" />
      <div>
        <b>Interrupted</b>
        <div>
          The service stopped during this turn.
          {props.last ? " Resuming continues from the record and repeats no effect." : ""}
        </div>
        <Show when={props.last}>
          <div class="chat-actions">{props.children}</div>
        </Show>
      </div>
    </div>
  );
}

/** Where to go when the provider refused the key of the call that failed. */
function WhatHelps(props: { readonly turnId: number }): JSX.Element {
  const calls = createQuery(() => {
    const { turnId } = props;
    return { key: ["turn-calls", turnId], read: () => take(api.turns({ id: turnId }).calls.get()) };
  });
  const models = modelsQuery();
  const refused = createMemo(() => {
    const call = calls.data()?.findLast(({ status }) => status === "failed");
    return call && KEY_REFUSED.includes(call.http_status ?? 0) ? call : undefined;
  });
  const providerId = () => models.data()?.find(({ id }) => id === refused()?.model_id)?.provider_id;
  return (
    <Show when={refused()}>
      {(call) => (
        <p>
          <bdi>{call().provider_name}</bdi> refused its key.{" "}
          <Show when={isAdmin() && providerId()} fallback="Ask an admin to change it.">
            {(id) => <A href={`/models?open=provider-${id()}`}>Change the key of {call().provider_name}</A>}
          </Show>
        </p>
      )}
    </Show>
  );
}
