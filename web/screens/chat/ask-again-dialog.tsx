// Asks a question again of another model. Loads when it is first opened.

import { createSignal, type JSX } from "solid-js";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { modelChoices } from "../../parts/catalog/model-choices.ts";
import { modelsQuery } from "../../state/lists.ts";
import { useRoom } from "./room.ts";

export function AskAgainDialog(props: {
  readonly turnId: number;
  readonly onClose: () => void;
}): JSX.Element {
  const { branches } = useRoom();
  const models = modelsQuery();
  const [model, setModel] = createSignal<string>();
  const form = createSubmission(["model_id"], async () => {
    await branches.askAgain(props.turnId, Number(model()));
    props.onClose();
  });
  return (
    <Dialog open onClose={props.onClose} title="Ask another model">
      <form onSubmit={(event) => void form.submit(event)}>
        <p>
          The selected model answers this question instead of the orchestrator's, for this turn only. The
          previous answer stays on its branch.
        </p>
        <Combobox
          label="Model"
          value={model()}
          choices={modelChoices(models.data())}
          onChange={setModel}
          problem={form.of("model_id")}
        />
        <FormActions form={form} action="Ask" disabled={model() === undefined} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
