// The conversation with a workspace's orchestrator, and everything that its turns do.

import { useLocation, useSearchParams } from "@solidjs/router";
import MessagesSquare from "lucide-solid/icons/messages-square";
import { createMemo, For, type JSX, on, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { countActs } from "../../kit/focus.ts";
import { CodeActionContext } from "../../kit/markdown-code.tsx";
import { later } from "../../kit/later.tsx";
import { Empty } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { createTranscript } from "../../state/transcript.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { offerPrinting } from "./printing.ts";
import { createRoom, RoomContext } from "./room.ts";
import "./chat.css";

/** Loads with the first link to an entry. */
const EntryLink = later(async () => (await import("./entry-link.tsx")).EntryLink);
/** Loads in an archived workspace only. */
const Unsent = later(async () => (await import("./unsent.tsx")).Unsent);
const SaveCode = later(async () => (await import("./save-code.tsx")).SaveCode, { whenQuiet: true });

export function Chat(): JSX.Element {
  const here = useHere();
  const room = createRoom();
  const transcript = createTranscript();
  const items = createMemo(() => transcript(here.state()));
  const [params, setParams] = useSearchParams<{ entry: string }>();
  const linked = () => Number(/^[1-9]\d{0,14}$/.exec(params.entry ?? "")?.[0] ?? 0);
  const location = useLocation();
  const acts = countActs();
  const openedAt = createMemo(on([linked, () => location.state], () => acts()));
  const some = createMemo(() => items().length > 0);
  offerPrinting(() => items().length);
  const isArchived = () => here.state().workspace.archived_at !== null;
  return (
    <RoomContext.Provider value={room}>
      <div class="chat">
        <h1 class="visually-hidden">Chat in {here.state().workspace.display_name}</h1>
        <Show when={some()} fallback={isArchived() ? <NoMessages /> : <Beginning onChoose={room.compose} />}>
          <CodeActionContext.Provider value={SaveCode}>
            <Conversation items={items()} />
          </CodeActionContext.Provider>
        </Show>
        <Show when={linked()}>
          {(id) => (
            <div class="chat-linked">
              <EntryLink
                id={id()}
                items={items()}
                acts={acts}
                openedAt={openedAt()}
                onClose={() => setParams({ entry: undefined })}
              />
            </div>
          )}
        </Show>
        <Show when={!isArchived()} fallback={<Unsent />}>
          <Composer />
        </Show>
      </div>
    </RoomContext.Provider>
  );
}

const EXAMPLES = [
  "Create a worker named scribe that writes short summaries, and ask it to introduce itself.",
  "Which tools and files do you have here, and what can you do with them?",
  "Write a gear that counts the words in a text.",
];

/** Of an archived workspace, which takes no messages. */
function NoMessages(): JSX.Element {
  return (
    <div class="chat-beginning">
      <Empty title="No messages" icon={<MessagesSquare aria-hidden="true" />}>
        The workspace was archived before anyone wrote to its orchestrator.
      </Empty>
    </div>
  );
}

function Beginning(props: { readonly onChoose: (text: string) => void }): JSX.Element {
  return (
    <div class="chat-beginning">
      <Empty title="Talk to the orchestrator" icon={<MessagesSquare aria-hidden="true" />}>
        It answers you, or delegates to agents that it creates. You see their work and its cost here as it
        happens.
      </Empty>
      <ul class="chat-examples" aria-label="Suggested messages">
        <For each={EXAMPLES}>
          {(example) => (
            <li>
              <Button onClick={() => props.onChoose(example)}>{example}</Button>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
