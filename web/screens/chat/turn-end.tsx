// The end of a turn that did not complete: the reason, and what can be done.

import CircleAlert from "lucide-solid/icons/circle-alert";
import CirclePause from "lucide-solid/icons/circle-pause";
import CircleStop from "lucide-solid/icons/circle-stop";
import Scissors from "lucide-solid/icons/scissors";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";
import type { TurnEnd } from "../../state/transcript.ts";
import { useRoom } from "./room.ts";
import { WhatHelps } from "./what-helps.tsx";

const CONTINUE = "Your last answer was cut off. Continue exactly where it ended.";

export function TurnEndItem(props: { readonly item: TurnEnd }): JSX.Element {
  const room = useRoom();
  const turn = () => props.item.turn;
  const [busy, setBusy] = createSignal<string>();
  const act = async (name: string, run: () => Promise<unknown>) => {
    setBusy(name);
    await attempt(run);
    setBusy(undefined);
  };
  const button = (name: string, kind: "plain" | "primary", run: () => Promise<unknown>) => (
    <Button
      small
      kind={kind}
      busy={busy() === name}
      disabled={busy() !== undefined}
      onClick={() => void act(name, run)}
    >
      {name}
    </Button>
  );
  const resume = (kind: "plain" | "primary") =>
    button("Resume", kind, () => take(api.turns({ id: turn().id }).resume.post()));
  const again = () =>
    button("Try again", "plain", () => room.branches.askAgain(turn().id, turn().model_id ?? undefined));
  const more = () =>
    button("Continue", "plain", () =>
      take(api.workspaces({ id: turn().workspace_id }).chat.post({ text: CONTINUE, queue: true })),
    );
  return (
    <div class="chat-turn-end">
      <Switch>
        <Match when={turn().status === "failed"}>
          <Failed turn={turn()} last={props.item.last}>
            {resume("plain")}
            {again()}
          </Failed>
        </Match>
        <Match when={turn().status === "interrupted"}>
          <Interrupted last={props.item.last}>
            {resume("primary")}
            {again()}
          </Interrupted>
        </Match>
        <Match when={turn().status === "done"}>
          <div class="chat-stopped">
            <CutOff by={props.item.cut} />
            {more()}
          </div>
        </Match>
        <Match when={turn().status === "cancelled"}>
          <div class="chat-stopped">
            <CircleStop aria-hidden="true" />
            <span class="wrap" dir="auto">
              {turn().error === null ? "Stopped." : `Stopped: ${turn().error}.`} The conversation so far is
              kept.
            </span>
            <Show when={props.item.last}>
              {resume("plain")}
              {again()}
            </Show>
          </div>
          <Show when={props.item.last}>
            <Meaning />
          </Show>
        </Match>
      </Switch>
    </div>
  );
}

function CutOff(props: { readonly by: TurnEnd["cut"] }): JSX.Element {
  return (
    <>
      <Scissors aria-hidden="true" />
      <span>
        {props.by === "content_filter"
          ? "The provider's content filter stopped the answer. Rephrase your message, or let Continue ask for the rest."
          : "The answer was cut off. Continue asks for the rest."}
      </span>
    </>
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
        <div class="wrap chat-reason" dir="auto">
          {props.turn.error ?? "No reason was recorded."}
        </div>
        <WhatHelps turnId={props.turn.id} />
        <Show when={props.last}>
          <div class="chat-actions">{props.children}</div>
          <Meaning />
        </Show>
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
        <div>The service stopped during this turn.</div>
        <Show when={props.last}>
          <div class="chat-actions">{props.children}</div>
          <Meaning />
        </Show>
      </div>
    </div>
  );
}

/** The effects of the two buttons. */
function Meaning(): JSX.Element {
  return (
    <p class="small muted">
      Resume continues after the last recorded step and repeats nothing. Try again resends your message; this
      attempt stays on its branch.
    </p>
  );
}
