// A person's message, sent or queued. People write plain text, which is shown as typed.

import { type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import type { MessageAttachment } from "../../../src/service/attachments/schema.ts";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";
import { later } from "../../kit/later.tsx";
import { Plain } from "../../kit/markdown.tsx";
import { Avatar, Time } from "../../kit/pieces.tsx";
import { me } from "../../state/session.ts";
import type { Message, Queued } from "../../state/transcript.ts";
import { senderOf } from "../../state/workspace-state.ts";
import { BranchSwitch } from "./branch-switch.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { useRoom } from "./room.ts";
import "./message.css";

const SentFiles = later(async () => (await import("./sent-files.tsx")).SentFiles);

export function MessageItem(props: { readonly item: Message }): JSX.Element {
  const mine = () =>
    !props.item.imported && props.item.userId !== undefined && props.item.userId === me()?.id;
  const sender = () => senderOf({ user_name: props.item.userName, imported: props.item.imported });
  const name = () => (mine() ? "You" : props.item.userName === "" ? "Unknown user" : sender());
  return (
    <article
      class="chat-message"
      classList={{ "chat-forgotten": props.item.entry?.forgotten ?? false }}
      aria-label={`${name()} said`}
      data-entry={props.item.entry?.id}
    >
      <Avatar name={props.item.userName === "" ? "?" : props.item.userName} size="large" />
      <div class="chat-said">
        <div class="chat-who">
          <b class="ellipsis" title={sender()}>
            {name()}
          </b>
          <span class="chat-when">
            <Time time={props.item.time} />
          </span>
          <Show when={props.item.entry?.tainted}>
            <span class="tag wait">untrusted</span>
          </Show>
          <Show when={props.item.entry?.forgotten}>
            <span class="tag">not sent to the model</span>
          </Show>
          <Show when={props.item.entry}>{(entry) => <BranchSwitch turnId={entry().turn_id} />}</Show>
          <Show when={props.item.entry}>
            {(entry) => <EntryMenu entry={entry()} of={`the message of ${name()}`} />}
          </Show>
        </div>
        <Attached attachments={props.item.entry?.attachments ?? []} />
        <Plain text={props.item.text} />
      </div>
    </article>
  );
}

/** Its place is there at once, so that nothing moves when it loads. */
function Attached(props: { readonly attachments: readonly MessageAttachment[] }): JSX.Element {
  return (
    <Show when={props.attachments.length > 0}>
      <div class="chat-files">
        <SentFiles attachments={props.attachments} />
      </div>
    </Show>
  );
}

export function QueuedItem(props: { readonly item: Queued }): JSX.Element {
  const room = useRoom();
  const { turn } = props.item;
  const mine = () => turn.user_id === me()?.id;
  const cancelling = createAction(async () => {
    await take(api.turns({ id: turn.id }).cancel.post());
    if (!mine()) return;
    room.compose(turn.text);
    room.attaching()?.take(turn.attachments);
  });
  return (
    <article class="chat-message chat-queued" aria-label="Queued message">
      <Avatar name={turn.user_name} size="large" />
      <div class="chat-said">
        <div class="chat-who">
          <b class="ellipsis">{mine() ? "You" : turn.user_name}</b>
          <span class="tag wait">queued</span>
          <span class="chat-end">
            <Button small busy={cancelling.busy()} onClick={() => void cancelling.run()}>
              Cancel
            </Button>
          </span>
        </div>
        <Attached attachments={turn.attachments} />
        <Plain text={turn.text} />
      </div>
    </article>
  );
}
