// The end of a turn that did not complete: the reason, and what can be done.

import CircleAlert from "lucide-solid/icons/circle-alert";
import CirclePause from "lucide-solid/icons/circle-pause";
import CircleStop from "lucide-solid/icons/circle-stop";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";
import type { TurnEnd } from "../../state/transcript.ts";
import { useRoom } from "./room.ts";

export function TurnEndItem(props: { readonly item: TurnEnd }): JSX.Element {
  const room = useRoom();
  const turn = () => props.item.turn;
  const [busy, setBusy] = createSignal(false);
  const resume = async () => {
    setBusy(true);
    await attempt(() => take(api.turns({ id: turn().id }).resume.post()));
    setBusy(false);
  };
  const again = (
    <Button small onClick={() => room.compose(turn().text)}>
      Retry
    </Button>
  );
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
          <div class="notice bad" role="group" aria-label="The turn failed">
            <CircleAlert aria-hidden="true" />
            <div>
              <b>The turn failed</b>
              <div class="wrap" dir="auto">
                {turn().error ?? "No reason was recorded."}
              </div>
              <div class="chat-actions">
                {again}
                {goOn("plain")}
              </div>
            </div>
          </div>
        </Match>
        <Match when={turn().status === "interrupted"}>
          <div class="notice wait" role="group" aria-label="The turn was interrupted">
            <CirclePause aria-hidden="true" />
            <div>
              <b>Interrupted</b>
              <div>
                The service stopped during this turn.
                {props.item.last ? " Resuming continues from the record and repeats no effect." : ""}
              </div>
              <Show when={props.item.last}>
                <div class="chat-actions">{goOn("primary")}</div>
              </Show>
            </div>
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
