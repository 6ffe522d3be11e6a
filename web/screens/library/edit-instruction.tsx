// Edits an instruction. Saving requires that the version read is still current; if someone else saved meanwhile, a dialog shows both
// texts. A draft survives a reload, together with the version it is based on.

import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { Instruction } from "../../../src/service/library/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { put } from "../../api/query.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { mayDiscard } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { createSaves, onSaveKey } from "../../kit/save-key.ts";
import { keep, remember, tabDraft } from "../../kit/storage.ts";
import { me } from "../../state/session.ts";
import { instructionChanged } from "./queries.ts";
import { StaleDialog } from "./stale-dialog.tsx";
import { type Wording, WordingFields } from "./wording-fields.tsx";

interface Draft extends Wording {
  readonly version: number;
}

const draftName = (id: number) => `library.draft.${me()!.id}.${id}`;

export const hasDraft = (id: number) => remember<Draft>(draftName(id)) !== undefined;

/** For the form that opens next. */
export const keepDraft = (id: number, draft: Draft) => void keep(draftName(id), draft);

interface EditProps {
  readonly instruction: Instruction;
  readonly onDone: () => void;
}

export function EditInstruction(props: EditProps): JSX.Element {
  const { before, draft, newer, change, cancel, sent, save, back, saveOver, takeTheirs } = createEdit(props);
  return (
    <>
      <form
        ref={focusOn("textarea")}
        class="section form"
        onSubmit={(event) => void sent.submit(event)}
        onKeyDown={onSaveKey(save)}
      >
        <Show when={before}>
          <p class="small muted">Restored your draft, based on version {before!.version}.</p>
        </Show>
        <WordingFields value={draft()} onChange={change} sent={sent} />
        <FormActions form={sent} action="Save new version" onCancel={() => void cancel()} />
      </form>
      <Show when={newer()}>
        {(current) => (
          <StaleDialog
            mine={draft()}
            current={current()}
            onBack={back}
            onMine={() => saveOver(current())}
            onTheirs={() => takeTheirs(current())}
          />
        )}
      </Show>
    </>
  );
}

const draftOf = ({ name, text, version }: Instruction): Draft => ({ name, text, version });

function createEdit(props: EditProps) {
  const { id } = props.instruction;
  const stored = tabDraft<Draft>(draftName(id));
  onCleanup(stored.end);
  const { before } = stored;
  const [saved, setSaved] = createSignal(props.instruction);
  const [draft, setDraft] = createSignal<Draft>(before ?? draftOf(props.instruction));
  /** The version that someone else saved meanwhile. */
  const [newer, setNewer] = createSignal<Instruction>();
  const change = (wording: Wording) => {
    setDraft((was) => ({ ...wording, version: was.version }));
    stored.keep(draft());
  };
  const isEdited = () => draft().name !== saved().name || draft().text !== saved().text;
  let isDiscarded = false;
  const leave = () => {
    isDiscarded = true;
    stored.drop();
    props.onDone();
  };
  const cancel = async () => {
    if (await mayDiscard(isEdited())) leave();
  };
  const close = unlessMovedOn(leave);
  /** An edit since it was sent is one of the new version, also if the person has gone elsewhere and comes back to it. */
  const follow = (answer: Instruction) => {
    setSaved(answer);
    setDraft((was) => ({ ...was, version: answer.version }));
    stored.keep(draft());
  };
  const saveOnce = async () => {
    const asked = draft();
    const { version: expected_version, ...wording } = asked;
    try {
      const answer = await take(api.instructions({ id }).put({ ...wording, expected_version }));
      put(["instruction", id, "text"], answer);
      if (draft() !== asked) {
        if (!isDiscarded) follow(answer);
      } else {
        stored.drop();
        close();
      }
      void instructionChanged(id);
    } catch (error) {
      if (asProblem(error).code !== "stale") throw error;
      setNewer(await take(api.instructions({ id }).get()));
    }
  };
  const saves = createSaves(saveOnce, () => isEdited() && !isDiscarded && newer() === undefined);
  const sent = createSubmission(["name", "text"], saves.run);
  const save = () => void (sent.busy() ? saves.again() : sent.submit());
  const saveOver = (current: Instruction) => {
    setDraft((was) => ({ ...was, version: current.version }));
    setNewer(undefined);
    void sent.submit();
  };
  const takeTheirs = (current: Instruction) => {
    put(["instruction", id, "text"], current);
    leave();
    void instructionChanged(id);
  };
  const back = () => setNewer(undefined);
  return { before, draft, newer, change, cancel, sent, save, back, saveOver, takeTheirs };
}
