// The menu of a conversation entry, open. Loads when the first one is opened (entry-menu.tsx).

import Activity from "lucide-solid/icons/activity";
import Bot from "lucide-solid/icons/bot";
import Copy from "lucide-solid/icons/copy";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Link from "lucide-solid/icons/link";
import GitBranch from "lucide-solid/icons/git-branch";
import EyeOff from "lucide-solid/icons/eye-off";
import Pencil from "lucide-solid/icons/pencil";
import Quote from "lucide-solid/icons/quote";
import Refresh from "lucide-solid/icons/refresh-cw";
import ScanText from "lucide-solid/icons/scan-text";
import ShieldCheck from "lucide-solid/icons/shield-check";
import Undo from "lucide-solid/icons/undo-2";
import { createSignal, type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { api, take } from "../../api/client.ts";
import { later } from "../../kit/later.tsx";
import { type Action, Menu } from "../../kit/menu.tsx";
import { copyText } from "../../kit/pieces.tsx";
import { clearTaint, isTainting } from "../../state/taint.ts";
import { attempt } from "../../kit/toast.tsx";
import { type Room, useRoom } from "./room.ts";

const AskAgainDialog = later(async () => (await import("./ask-again-dialog.tsx")).AskAgainDialog);

/** Opens at once: it replaces the button that was clicked, unless the person has moved on while it was loaded. */
export function EntryActions(props: {
  readonly entry: Entry;
  readonly label: string;
  readonly class: string;
  readonly isAwaited: () => boolean;
}): JSX.Element {
  const room = useRoom();
  const opens = props.isAwaited();
  const [asking, setAsking] = createSignal(false);
  const actions = (): Action[] => {
    const { entry } = props;
    return [
      { label: "Copy as Markdown", icon: <Copy />, run: () => void copyText(entry.text) },
      { label: "Copy link", icon: <Link />, run: () => void copyText(room.linkTo(entry.id)) },
      { label: "Quote", icon: <Quote />, run: () => room.compose(quoteOf(entry.text)) },
      ...branchActions(room, entry, () => setAsking(true)),
      entry.forgotten
        ? { label: "Restore", icon: <Undo />, run: () => void attempt(() => restore(entry.id)) }
        : { label: "Forget", icon: <EyeOff />, run: () => void attempt(() => forget(entry.id)) },
      ...(isTainting(entry)
        ? [
            {
              label: "Clear mark",
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
  return (
    <>
      <Menu label={props.label} actions={actions()} class={props.class} openAtOnce={opens}>
        <Ellipsis aria-hidden="true" />
      </Menu>
      <Show when={asking()}>
        <AskAgainDialog turnId={props.entry.turn_id} onClose={() => setAsking(false)} />
      </Show>
    </>
  );
}

/** The actions that start another branch: for the question and the answers of the conversation with the orchestrator. */
function branchActions({ branches, compose, revise }: Room, entry: Entry, askAnother: () => void): Action[] {
  if (entry.thread !== 0) return [];
  const { turn_id: turnId } = entry;
  const writeAgain = () => revise(entry.text, () => branches.placeBeside(turnId));
  if (entry.kind === "person")
    return [{ label: "Edit and resend", icon: <Pencil />, apart: true, run: () => void attempt(writeAgain) }];
  return [
    {
      label: "Regenerate",
      icon: <Refresh />,
      apart: true,
      run: () => void attempt(() => branches.askAgain(turnId)),
    },
    { label: "Ask another model…", icon: <Bot />, run: askAnother },
    {
      label: "Branch from here",
      icon: <GitBranch />,
      run: () => {
        branches.place({ after: turnId });
        compose("");
      },
    },
  ];
}

function quoteOf(text: string): string {
  return `${text.replaceAll(/^/gm, "> ")}\n\n`;
}

async function forget(id: number): Promise<void> {
  await take(api.entries({ id }).delete());
}

async function restore(id: number): Promise<void> {
  await take(api.entries({ id }).restore.post());
}

/** Returns the model call of this answer: the last call of its run that had started by then. */
async function callOf(entry: Entry): Promise<number> {
  const calls = await take(api.turns({ id: entry.turn_id }).calls.get());
  const own = calls.filter(({ run_id: run }) => run === entry.run_id);
  const at = Date.parse(entry.created_at);
  const call = own.findLast(({ started_at: started }) => Date.parse(started) <= at) ?? own[0];
  if (!call) throw new Error("The model call of this answer was not found.");
  return call.id;
}
