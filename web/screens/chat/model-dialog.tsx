// Changes the model of the orchestrator. Loads when it is first opened.

import { createSignal, type JSX } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { modelChoices } from "../../parts/catalog/model-choices.ts";
import { modelsQuery } from "../../state/lists.ts";

export function ModelDialog(props: { readonly agent: Agent; readonly onClose: () => void }): JSX.Element {
  const models = modelsQuery();
  const [model, setModel] = createSignal(String(props.agent.model_id));
  const form = createSubmission(["model_id"], async () => {
    await take(api.agents({ id: props.agent.id }).patch({ model_id: Number(model()) }));
    props.onClose();
  });
  return (
    <Dialog open onClose={props.onClose} title="Model of the orchestrator">
      <form onSubmit={(event) => void form.submit(event)}>
        <Combobox
          label="Model"
          value={model()}
          choices={modelChoices(models.data())}
          onChange={setModel}
          hint="Applies from the next model call. To try another model for one question, use Ask another model… in the menu of an answer."
          problem={form.of("model_id")}
        />
        <FormActions
          form={form}
          action="Save"
          disabled={model() === String(props.agent.model_id)}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
