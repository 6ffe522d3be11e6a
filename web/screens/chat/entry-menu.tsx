// The button for the actions of a conversation entry. The menu mounts when it is first opened, since a long conversation has hundreds.

import Ellipsis from "lucide-solid/icons/ellipsis";
import { createSignal, type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { later } from "../../kit/later.tsx";

const EntryActions = later(async () => (await import("./entry-actions.tsx")).EntryActions);

const LOOK = "btn quiet icon small chat-entry-menu";

export function EntryMenu(props: { readonly entry: Entry; readonly of: string }): JSX.Element {
  const [wanted, setWanted] = createSignal(false);
  const label = () => `Actions for ${props.of}`;
  const actions = (): Action[] => {
    const { entry } = props;
    return [
      { label: "Copy text", icon: <Copy />, run: () => void copyText(entry.text) },
      { label: "Copy link", icon: <Copy />, run: () => void copyText(room.linkTo(entry.id)) },
      { label: "Quote", icon: <Quote />, run: () => room.compose(quoteOf(entry.text)) },
      ...branchActions(room, entry, () => setAsking(true)),
      entry.forgotten
        ? { label: "Restore", icon: <Undo />, run: () => void attempt(() => restore(entry.id)) }
        : { label: "Forget", icon: <EyeOff />, run: () => void attempt(() => forget(entry.id)) },
      ...(isTainting(entry)
        ? [
            {
              label: "Clear web mark",
              icon: <ShieldCheck />,
              run: () => void attempt(() => clearTaint(entry.id)),
            },
          ]
        : []),
      {
        label: "Show in Activity",
        icon: <Activity />,
        apart: true,
        run: () => room.showInActivity(entry.turn_id),
      },
      ...(entry.kind === "agent"
        ? [
            {
              label: "Show exact prompt",
              icon: <ScanText />,
              run: () => void attempt(async () => room.select({ kind: "call", id: await callOf(entry) })),
            },
          ]
        : []),
    ];
  };
  const button = () => (
    <button
      type="button"
      class={LOOK}
      aria-label={label()}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      <Ellipsis aria-hidden="true" />
    </button>
  );
  return (
    <Show when={wanted()} fallback={button()}>
      <EntryActions entry={props.entry} label={label()} class={LOOK} fallback={button()} />
    </Show>
  );
}
