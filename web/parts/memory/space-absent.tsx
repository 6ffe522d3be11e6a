// In place of documents while there is no space, or while it does not answer: what is wrong, in the server's words, and what to do.

import CloudOff from "lucide-solid/icons/cloud-off";
import FolderPlus from "lucide-solid/icons/folder-plus";
import { createSignal, type JSX, Show } from "solid-js";
import type { ContextStatus } from "../../../src/service/memory/schema.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/pieces.tsx";
import { Empty } from "../../kit/states.tsx";
import { isAdmin } from "../../state/session.ts";
import { SETUP_COMMAND, spaceWords } from "./space-words.ts";
import "./memory.css";

export function SpaceAbsent(props: {
  readonly status: ContextStatus;
  readonly onRetry: () => Promise<void>;
}): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const retry = async () => {
    setBusy(true);
    await props.onRetry();
    setBusy(false);
  };
  const isNone = () => props.status.kind === "none";
  return (
    <Empty
      title={spaceWords(props.status).title}
      icon={isNone() ? <FolderPlus aria-hidden="true" /> : <CloudOff aria-hidden="true" />}
      actions={
        <Button busy={busy()} onClick={() => void retry()}>
          Check again
        </Button>
      }
    >
      <SpaceHelp status={props.status} />
      <p class="memory-meanwhile">
        Until then agents work without memory, and prompts name the documents that are missing.
      </p>
    </Empty>
  );
}

const ASK = "Only an admin of this server can change that.";

/** The server's message and what to do, without a title. */
export function SpaceHelp(props: { readonly status: ContextStatus }): JSX.Element {
  return (
    <div class="memory-help">
      {/* Without a space it says no more than the title and the command below. */}
      <Show when={props.status.reason !== "no_space"}>
        <p class="memory-error mono">{props.status.error}</p>
      </Show>
      <p>{isAdmin() ? spaceWords(props.status).help : ASK}</p>
      <Show when={props.status.kind === "none" && isAdmin()}>
        <p class="memory-command">
          <code>{SETUP_COMMAND}</code>
          <CopyButton text={SETUP_COMMAND} label="Copy command" />
        </p>
      </Show>
    </div>
  );
}
