// The attachments of a message: thumbnails that open large, and files to download.

import Download from "lucide-solid/icons/download";
import FileText from "lucide-solid/icons/file-text";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { MessageAttachment } from "../../../src/service/attachments/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { useHere } from "../../state/here.ts";
import { factsOf, fileAddress } from "./file-facts.ts";
import "./attach.css";

export function SentFiles(props: { readonly attachments: readonly MessageAttachment[] }): JSX.Element {
  const [large, setLarge] = createSignal<MessageAttachment>();
  return (
    <>
      <ul class="chat-attach-sent" aria-label="Attachments">
        <For each={props.attachments}>
          {(one) => (
            <li>
              <Show when={one.kind === "image"} fallback={<FileLink one={one} />}>
                <Thumbnail one={one} onOpen={() => setLarge(one)} />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={large()}>{(one) => <LargeImage one={one()} onClose={() => setLarge(undefined)} />}</Show>
    </>
  );
}

function Thumbnail(props: { readonly one: MessageAttachment; readonly onOpen: () => void }): JSX.Element {
  const here = useHere();
  return (
    <button
      type="button"
      class="chat-attach-thumbnail"
      title={`${props.one.name} · ${factsOf(props.one)}`}
      aria-label={`Open ${props.one.name}`}
      aria-haspopup="dialog"
      onClick={() => props.onOpen()}
    >
      <img src={fileAddress(here.id, props.one.hash)} alt="" loading="lazy" decoding="async" />
    </button>
  );
}

function LargeImage(props: { readonly one: MessageAttachment; readonly onClose: () => void }): JSX.Element {
  const here = useHere();
  const address = () => fileAddress(here.id, props.one.hash);
  return (
    <Dialog open wide onClose={props.onClose} title={props.one.name}>
      <img class="chat-attach-large" src={address()} alt={props.one.name} />
      <div class="actions chat-attach-actions">
        <span class="muted small">{factsOf(props.one)}</span>
        <a class="btn" href={address()} download={props.one.name}>
          <Download size={14} aria-hidden="true" />
          Download
        </a>
        <Button onClick={() => props.onClose()}>Close</Button>
      </div>
    </Dialog>
  );
}

function FileLink(props: { readonly one: MessageAttachment }): JSX.Element {
  const here = useHere();
  return (
    <a class="chat-attach-file" href={fileAddress(here.id, props.one.hash)} download={props.one.name}>
      <FileText size={16} aria-hidden="true" />
      <span class="chat-attach-words">
        <span class="ellipsis" dir="auto">
          {props.one.name}
        </span>
        <span class="chat-attach-facts">{factsOf(props.one)}</span>
      </span>
    </a>
  );
}
