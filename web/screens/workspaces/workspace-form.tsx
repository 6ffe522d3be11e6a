// The form that creates a workspace: name, description, and the model of its orchestrator.

import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX } from "solid-js";
import type { Model } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { fieldProblem } from "../../api/problem.ts";
import { put, refresh } from "../../api/query.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextArea, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { keep, remember } from "../../kit/storage.ts";
import { bestModel } from "../../parts/catalog/best-model.ts";
import { modelChoices } from "../../parts/catalog/model-choices.ts";
import { isExample } from "../../parts/catalog/provider-words.ts";

const MODEL_KEY = "workspaces.model";

export function WorkspaceForm(props: {
  readonly models: readonly Model[];
  readonly onCancel?: () => void;
}): JSX.Element {
  const navigate = useNavigate();
  const [name, setName] = createSignal("");
  const [description, setDescription] = createSignal("");
  const [chosen, setChosen] = createSignal<string | undefined>(firstChoice(props.models));
  // A name alone is typed again sooner than a question is answered.
  const saved = guardLeaving(() => description().trim() !== "");
  const open = unlessMovedOn((id: number) => navigate(`/workspaces/${id}`));
  const form = createSubmission(["name", "description", "orchestrator_model_id"], async () => {
    if (name().trim() === "") throw fieldProblem("name", "Enter a name.");
    if (chosen() === undefined) throw fieldProblem("orchestrator_model_id", "Choose a model.");
    const made = await take(
      api.workspaces.post({
        name: name(),
        description: description(),
        orchestrator_model_id: Number(chosen()),
      }),
    );
    saved();
    keep(MODEL_KEY, chosen());
    put(["workspace", made.id], made);
    void refresh("workspaces");
    open(made.id);
  });
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput label="Name" value={name()} onInput={setName} autofocus problem={form.of("name")} />
      <TextArea
        label="Description"
        rows={2}
        value={description()}
        onInput={setDescription}
        hint="The purpose. You cannot change name and description later; the display name can change."
        problem={form.of("description")}
      />
      <Combobox
        label="Model of the orchestrator"
        value={chosen()}
        choices={modelChoices(props.models)}
        onChange={setChosen}
        placeholder="Choose a model"
        hint="The orchestrator is the agent that you talk to. You can change its model at any time."
        problem={form.of("orchestrator_model_id")}
      />
      <FormActions form={form} action="Create workspace" onCancel={props.onCancel} />
    </form>
  );
}

/** The last choice, the only model, or the one that a name suggests. */
function firstChoice(models: readonly Model[]): string | undefined {
  const last = remember<string>(MODEL_KEY);
  if (models.some(({ id }) => String(id) === last)) return last;
  if (models.length === 1) return String(models[0]!.id);
  const real = models.filter(({ provider_type: type }) => !isExample(type));
  const best = bestModel(real.map(({ model_name: name }) => name));
  const found = real.find(({ model_name: name }) => name === best);
  return found && String(found.id);
}
