// Writing a new instruction. What was typed survives a reload until it is saved or given up.

import { createSignal, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { put, refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { focusOn } from "../../kit/focus.ts";
import { createSubmission } from "../../kit/form.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { keep, remember } from "../../kit/storage.ts";
import { type Wording, WordingFields } from "./wording-fields.tsx";

const DRAFT = "library.draft.new";

export function NewInstruction(props: {
  readonly onMade: (id: number) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [wording, setWording] = createSignal<Wording>(remember(DRAFT) ?? { name: "", text: "" });
  const change = (value: Wording) => {
    setWording(value);
    keep(DRAFT, value);
  };
  const sent = createSubmission(["name", "text"], async () => {
    const made = await take(api.instructions.post(wording()));
    keep(DRAFT, undefined);
    put(["instruction", made.id, "text"], made);
    await refresh("instructions");
    props.onMade(made.id);
  });
  return (
    <form ref={focusOn("input")} class="section form" onSubmit={(event) => void sent.submit(event)}>
      <h2 class="library-heading">New instruction</h2>
      <WordingFields value={wording()} onChange={change} sent={sent} />
      <Show when={sent.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <div class="actions">
        <Button
          onClick={() => {
            keep(DRAFT, undefined);
            props.onCancel();
          }}
        >
          Cancel
        </Button>
        <Button type="submit" kind="primary" busy={sent.busy()}>
          Save instruction
        </Button>
      </div>
    </form>
  );
}
