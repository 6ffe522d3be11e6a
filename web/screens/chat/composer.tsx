// The message box. Text is never lost: it is stored in this browser until the server has it.

import { createMemo, createSignal, type JSX, onMount, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { createProblem } from "../../api/reach.ts";
import { Button } from "../../kit/button.tsx";
import { count, plural } from "../../kit/format.ts";
import { later } from "../../kit/later.tsx";
import { mayDiscard } from "../../kit/leaving.ts";
import { narrow } from "../../kit/screen.ts";
import { attempt } from "../../kit/toast.tsx";
import { createDraft, type MessageDraft } from "../../parts/message/draft.ts";
import { useHere } from "../../state/here.ts";
import { me } from "../../state/session.ts";
import { openTurn } from "../../state/workspace-state.ts";
import { ModelChip } from "./model-chip.tsx";
import { PlacementNotice } from "./placement-notice.tsx";
import { type Room, useRoom } from "./room.ts";
import { StatusLine } from "./status-line.tsx";
import { TaintNotice } from "./taint-notice.tsx";
import "./composer.css";

/** The server's limit (turns/schema.ts). */
const CHARACTERS_MAX = 400_000;
const CHARACTERS_WARN = 380_000;
const Attach = later(async () => (await import("./attach.tsx")).Attach, { whenQuiet: true });
const Chosen = later(async () => (await import("./attach.tsx")).Chosen);
/** Loads with the first `@` or `/`. */
const MAY_COMPLETE = /^\/|(?:^|[\s([{])@/;
const Completion = later(async () => (await import("./completion.tsx")).Completion);

export function Composer(): JSX.Element {
  const here = useHere();
  const room = useRoom();
  let area!: HTMLTextAreaElement;
  const draft = createDraft(me()!.id, here.id);
  const { text, setText } = draft;
  const sending = createSending(here.id, draft, room);
  const running = createMemo(() => openTurn(here.state()) !== undefined);
  const completes = createMemo(() => MAY_COMPLETE.test(text()));
  const cancelPlacement = hearRoom(room, draft, () => area);
  onMount(() => {
    if (!narrow() && document.activeElement === document.body) area.focus({ preventScroll: true });
  });
  return (
    <div class="chat-foot">
      <div class="chat-foot-room">
        <div class="chat-composer">
          <TaintNotice />
          <PlacementNotice onCancel={() => void cancelPlacement()} />
          <StatusLine />
          <Show when={sending.problem()}>
            {(problem) => <Refused problem={problem()} onClose={sending.clear} />}
          </Show>
          <form class="chat-box" onSubmit={(event) => (event.preventDefault(), void sending.send())}>
            <textarea
              ref={(element) => (area = element)}
              rows="2"
              dir="auto"
              aria-label="Message the orchestrator"
              aria-describedby="chat-hint"
              aria-invalid={sending.tooLong() ? "true" : undefined}
              placeholder="Message the orchestrator"
              value={text()}
              onInput={(event) => {
                setText(event.currentTarget.value);
                sending.clear();
              }}
              onKeyDown={(event) => {
                // During composition the key belongs to the input method.
                if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                void sending.send();
              }}
            />
            <ChosenFiles />
            <div class="chat-box-foot">
              <Attach area={area} fallback={<span class="chat-attach-room" />} />
              <Hint length={text().length} running={running()} />
              <Show when={running()}>
                <StopButton />
              </Show>
              <ModelChip />
              <Button small kind="primary" type="submit" disabled={!sending.ready()} busy={sending.busy()}>
                {running() ? "Queue" : "Send"}
              </Button>
            </div>
          </form>
        </div>
      </div>
      <Show when={completes()}>
        <Completion area={area} />
      </Show>
    </div>
  );
}

/** Takes the texts that other parts of the chat give, and returns what ends the place and the revision of a message. */
function hearRoom(room: Room, draft: MessageDraft, area: () => HTMLTextAreaElement): () => Promise<void> {
  const { text, setText } = draft;
  const toEnd = () => {
    area().focus();
    area().setSelectionRange(area().value.length, area().value.length);
  };
  room.onCompose((more) => {
    if (more !== "") setText(text().trim() === "" ? more : `${text()}\n\n${more}`);
    toEnd();
  });
  room.onRevise(async (message, place) => {
    if (!(await mayDiscard(draft.isRevised()))) return;
    await place();
    draft.revise(message);
    toEnd();
  });
  return async () => {
    if (!(await mayDiscard(draft.isRevised()))) return;
    draft.endRevision();
    room.attaching()?.endRevision();
    room.branches.place(undefined);
    toEnd();
  };
}

function ChosenFiles(): JSX.Element {
  const { attaching } = useRoom();
  return (
    <Show when={attaching()?.has()}>
      <Chosen attaching={attaching()!} />
    </Show>
  );
}

/** Clears the text once the server has accepted it. */
function createSending(workspaceId: number, { text, sent }: MessageDraft, room: Room) {
  const { branches, attaching } = room;
  const { placement, place } = branches;
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createProblem();
  const tooLong = () => text().length > CHARACTERS_MAX;
  const has = () => text().trim() !== "" || (attaching()?.has() ?? false);
  const ready = () => has() && !attaching()?.failed() && !tooLong() && !busy();
  const send = async () => {
    if (!ready()) return;
    const said = text();
    setBusy(true);
    setProblem(undefined);
    const at = placement();
    try {
      const files = await attaching()?.settled();
      if (attaching()?.failed()) return;
      // Queues behind a running turn, including one that someone has just started.
      await take(
        api.workspaces({ id: workspaceId }).chat.post({
          text: said,
          queue: true,
          ...(files && files.named.length > 0 && { attachments: files.named }),
          ...(at && { after: at.after }),
        }),
      );
      room.toEnd();
      files?.sent();
      sent(said);
      if (placement() === at) place(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, tooLong, ready, send, clear: () => void setProblem(undefined) };
}

function Refused(props: { readonly problem: Problem; readonly onClose: () => void }): JSX.Element {
  return (
    <div class="notice bad chat-refused" role="alert">
      <div>{props.problem.message}</div>
      <Button small onClick={() => props.onClose()}>
        Dismiss
      </Button>
    </div>
  );
}

function Hint(props: { readonly length: number; readonly running: boolean }): JSX.Element {
  const { attaching } = useRoom();
  /** A file that was not attached keeps the message from being sent. */
  const failed = () => attaching()?.failed() ?? false;
  const long = () => props.length > CHARACTERS_WARN;
  return (
    <span
      class="chat-hint"
      id="chat-hint"
      classList={{
        over: props.length > CHARACTERS_MAX || failed(),
        usual: !long() && !failed(),
      }}
    >
      <Show when={long()} fallback={usualHint({ running: props.running, failed: failed() })}>
        {props.length > CHARACTERS_MAX
          ? `${plural(props.length - CHARACTERS_MAX, "character")} over the limit of ${count(CHARACTERS_MAX)}`
          : `${count(props.length)} of ${count(CHARACTERS_MAX)} characters`}
      </Show>
    </span>
  );
}

function usualHint({ running, failed }: { running: boolean; failed: boolean }): string {
  if (failed) return "Remove the file that failed, then send";
  return running ? "Sent when this turn ends" : "Shift Enter for a new line";
}

function StopButton(): JSX.Element {
  const here = useHere();
  const [stopping, setStopping] = createSignal(false);
  const stop = async () => {
    const turn = openTurn(here.state());
    if (!turn) return;
    setStopping(true);
    await attempt(() => take(api.turns({ id: turn.id }).cancel.post()));
    setStopping(false);
  };
  return (
    <Button small busy={stopping()} onClick={() => void stop()}>
      Stop
    </Button>
  );
}
