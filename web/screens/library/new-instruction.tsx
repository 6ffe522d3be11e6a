// Creates an instruction. The draft survives a reload until it is saved or cancelled.

import { createSignal, type JSX } from "solid-js";
import { api, take } from "../../api/client.ts";
import { put, refresh } from "../../api/query.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { mayDiscard } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { onSaveKey } from "../../kit/save-key.ts";
import { SideHead } from "../../kit/side-head.tsx";
import { keep, remember } from "../../kit/storage.ts";
import { me } from "../../state/session.ts";
import { keepDraft } from "./edit-instruction.tsx";
import { type Wording, WordingFields } from "./wording-fields.tsx";

const draftName = () => `library.draft.${me()!.id}.new`;

export function NewInstruction(props: {
  readonly onMade: (id: number) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [wording, setWording] = createSignal<Wording>(remember(draftName()) ?? { name: "", text: "" });
  const change = (value: Wording) => {
    setWording(value);
    keep(draftName(), value);
  };
  let isDiscarded = false;
  const show = unlessMovedOn((id: number) => props.onMade(id));
  const sent = createSubmission(["name", "text"], async () => {
    const asked = wording();
    const made = await take(api.instructions.post(asked));
    // An edit since then is one of the new instruction.
    if (wording() !== asked && !isDiscarded) keepDraft(made.id, { ...wording(), version: made.version });
    keep(draftName(), undefined);
    put(["instruction", made.id, "text"], made);
    await refresh("instructions");
    show(made.id);
  });
  const cancel = async () => {
    if (!(await mayDiscard(wording().name !== "" || wording().text !== ""))) return;
    isDiscarded = true;
    keep(draftName(), undefined);
    props.onCancel();
  };
  return (
    <>
      <SideHead title="Create instruction" onClose={() => void cancel()} />
      <form
        ref={focusOn("input")}
        class="section form"
        onSubmit={(event) => void sent.submit(event)}
        onKeyDown={onSaveKey(() => void sent.submit())}
      >
        <WordingFields value={wording()} onChange={change} sent={sent} />
        <FormActions form={sent} action="Create instruction" onCancel={() => void cancel()} />
      </form>
    </>
  );
}
