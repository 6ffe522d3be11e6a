// The model of an agent. A change applies from its next model call.

import { createMemo, createSignal, type JSX } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { asProblem } from "../../api/problem.ts";
import { modelChoices } from "../../parts/catalog/model-choices.ts";
import { modelsQuery } from "../../state/lists.ts";

export function AgentModel(props: { readonly agent: Agent }): JSX.Element {
  const models = modelsQuery();
  const [problem, setProblem] = createSignal<string>();
  const choices = createMemo(() => modelChoices(models.data()));
  const change = async (value: string) => {
    const id = Number(value);
    setProblem(undefined);
    if (id === props.agent.model_id) return;
    try {
      await take(api.agents({ id: props.agent.id }).patch({ model_id: id }));
    } catch (error) {
      setProblem(asProblem(error).message);
    }
  };
  return (
    <section class="section">
      <h3>Model</h3>
      <Combobox
        label="Model of this agent"
        value={String(props.agent.model_id)}
        choices={choices()}
        problem={problem()}
        onChange={(value) => void change(value)}
        hint="Applies from the next model call."
      />
    </section>
  );
}
