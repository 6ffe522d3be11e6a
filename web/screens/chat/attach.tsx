// Attaching files to the message: the button, dropping and pasting, and the chips of what is attached. Loads after the message box.

import FileText from "lucide-solid/icons/file-text";
import Paperclip from "lucide-solid/icons/paperclip";
import RotateCw from "lucide-solid/icons/rotate-cw";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { IconButton } from "../../kit/button.tsx";
import { bytes, percent } from "../../kit/format.ts";
import { useHere } from "../../state/here.ts";
import { me } from "../../state/session.ts";
import { type AttachedFile, type Attaching, createAttaching } from "./attaching.ts";
import { factsOf, fileAddress } from "./file-facts.ts";
import { useRoom } from "./room.ts";
import "./attach.css";

const TYPES =
  "image/png,image/jpeg,image/webp,image/gif,application/pdf,text/*,.md,.json,.csv,.log,.yaml,.yml";

export function Attach(props: { readonly area: HTMLTextAreaElement }): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const attaching = createAttaching(me()!.id, here.id);
  let input!: HTMLInputElement;
  const over = createDropping(props.area, attaching.add);
  onMount(() => room.setAttaching(attaching));
  onCleanup(() => room.setAttaching(undefined));
  return (
    <>
      <input
        ref={(element) => (input = element)}
        type="file"
        multiple
        hidden
        accept={TYPES}
        aria-label="Files to attach"
        onChange={() => {
          attaching.add([...(input.files ?? [])]);
          // So that the same file can be chosen again.
          input.value = "";
          props.area.focus();
        }}
      />
      <IconButton small label="Attach files" onClick={() => input.click()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
      <span class="visually-hidden" role="status">
        {attaching.said()}
      </span>
      <Show when={over()}>
        <div class="chat-attach-drop" aria-hidden="true">
          Drop files to attach them
        </div>
      </Show>
    </>
  );
}

/** Files dropped anywhere on the chat, and pasted into the message. Returns whether files are held over it. */
function createDropping(area: HTMLTextAreaElement, add: (files: readonly File[]) => void): () => boolean {
  const [over, setOver] = createSignal(false);
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const listen = <K extends keyof HTMLElementEventMap>(
    element: HTMLElement,
    type: K,
    hear: (event: HTMLElementEventMap[K]) => void,
  ) => {
    element.addEventListener(type, hear);
    onCleanup(() => element.removeEventListener(type, hear));
  };
  // Not before: once this part has loaded, the next chat creates it with its message box, outside of the page.
  onMount(() => {
    const chat = area.closest<HTMLElement>(".chat")!;
    listen(chat, "dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(true);
    });
    listen(chat, "dragleave", (event) => {
      if (!chat.contains(event.relatedTarget as Node | null)) setOver(false);
    });
    listen(chat, "drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      add([...(event.dataTransfer?.files ?? [])]);
      area.focus();
    });
  });
  listen(area, "paste", (event) => {
    const { clipboardData: data } = event;
    // Text that comes with its picture, as from a spreadsheet, is meant as text.
    if (!data || data.files.length === 0 || data.types.includes("text/plain")) return;
    event.preventDefault();
    add([...data.files]);
  });
  return over;
}

export function Chosen(props: { readonly attaching: Attaching }): JSX.Element {
  const { files, untrusted, setUntrusted } = props.attaching;
  const keys = createMemo(() => files().map(({ key }) => key), undefined, {
    equals: (a, b) => a.join() === b.join(),
  });
  return (
    <div class="chat-attach">
      <ul class="chat-attach-list" aria-label="Attachments">
        <For each={keys()}>
          {(key) => (
            <Show when={files().find((one) => one.key === key)}>
              {(one) => <FileChip one={one()} attaching={props.attaching} />}
            </Show>
          )}
        </For>
      </ul>
      <label class="chat-attach-trust">
        <input
          type="checkbox"
          checked={untrusted()}
          onChange={({ currentTarget }) => setUntrusted(currentTarget.checked)}
        />
        <span>
          Untrusted source <span class="muted">· agents get no tools that write</span>
        </span>
      </label>
    </div>
  );
}

function FileChip(props: { readonly one: AttachedFile; readonly attaching: Attaching }): JSX.Element {
  const here = useHere();
  const image = () => (props.one.attachment?.kind === "image" ? props.one.attachment : undefined);
  return (
    <li class="chat-attach-chip" classList={{ bad: props.one.problem !== undefined }}>
      <span class="chat-attach-sight">
        <Show when={image()} fallback={<FileText size={16} aria-hidden="true" />}>
          {(picture) => <img src={fileAddress(here.id, picture().hash)} alt="" />}
        </Show>
      </span>
      <span class="chat-attach-words">
        <span class="ellipsis" dir="auto" title={props.one.name}>
          {props.one.name}
        </span>
        <Show
          when={props.one.problem}
          fallback={
            <span class="chat-attach-facts">
              <Show
                when={props.one.attachment}
                fallback={
                  <progress value={props.one.share} aria-label={`Uploading ${props.one.name}`}>
                    {percent(props.one.share)}
                  </progress>
                }
              >
                {(attachment) => factsOf(attachment())}
              </Show>
              <Show when={!props.one.attachment}>{bytes(props.one.bytes)}</Show>
            </span>
          }
        >
          <span class="chat-attach-problem" role="alert">
            {props.one.problem?.text}
          </span>
        </Show>
      </span>
      <Show when={props.one.problem?.passing && props.one.file}>
        <IconButton
          small
          label={`Retry ${props.one.name}`}
          onClick={() => props.attaching.retry(props.one.key)}
        >
          <RotateCw aria-hidden="true" />
        </IconButton>
      </Show>
      <IconButton
        small
        label={`Remove ${props.one.name}`}
        onClick={() => props.attaching.remove(props.one.key)}
      >
        <X aria-hidden="true" />
      </IconButton>
    </li>
  );
}
