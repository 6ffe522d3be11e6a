// The model that answers, as a chip beside the message box. It opens the choice of another one.

import Bot from "lucide-solid/icons/bot";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { later } from "../../kit/later.tsx";
import { useHere } from "../../state/here.ts";
import { useRoom } from "./room.ts";

const ModelDialog = later(async () => (await import("./model-dialog.tsx")).ModelDialog);

export function ModelChip(): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const boss = createMemo(() => here.state().agents.find(({ orchestrator }) => orchestrator));
  const name = () => boss() && room.modelName(boss()!.id);
  const [open, setOpen] = createSignal(false);
  return (
    <Show when={name()}>
      <button
        type="button"
        class="btn quiet small chat-model"
        title={name()}
        aria-label={`Model of the orchestrator: ${name()}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Bot aria-hidden="true" />
        <span class="ellipsis">{name()}</span>
      </button>
      <Show when={open()}>
        <ModelDialog agent={boss()!} onClose={() => setOpen(false)} />
      </Show>
    </Show>
  );
}
