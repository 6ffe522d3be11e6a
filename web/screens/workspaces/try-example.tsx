// The way in without a key: the built-in example, in a workspace of its own. And, as long as there is nothing else, the way on to a real model.

import { A, useNavigate } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { keep } from "../../kit/storage.ts";
import {
  EXAMPLE_MODEL_LABEL,
  EXAMPLE_MODEL_NAME,
  EXAMPLE_PROVIDER_NAME,
  isExample,
} from "../../parts/catalog/provider-words.ts";
import { isAdmin, me } from "../../state/session.ts";

const FIRST_MESSAGE = "Show me what a turn looks like.";

export function TryExample(props: {
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}): JSX.Element {
  const navigate = useNavigate();
  const open = unlessMovedOn((id: number) => navigate(`/workspaces/${id}`));
  const form = createSubmission([], async () => {
    const model = await exampleModel(props.providers, props.models);
    const made = await take(
      api.workspaces.post({ name: "Example", description: "", orchestrator_model_id: model.id }),
    );
    // Typed already: sending it is the first step.
    keep(`draft.${me()!.id}.${made.id}`, FIRST_MESSAGE);
    open(made.id);
    await Promise.all([refresh("providers"), refresh("models"), refresh("workspaces")]);
  });
  return (
    <section class="workspaces-example" aria-labelledby="example-title">
      <div class="stack">
        <h2 id="example-title">No key yet?</h2>
        <p class="muted">
          Try the built-in example for a minute. It is a script in this server, not a language model: it sends
          nothing anywhere, and you can delete it at any time.
        </p>
        <FormProblem form={form} />
      </div>
      <Button busy={form.busy()} onClick={() => void form.submit()}>
        Try the example
      </Button>
    </section>
  );
}

/** Creates what is missing: an earlier attempt may have stopped halfway. */
async function exampleModel(providers: readonly Provider[], models: readonly Model[]): Promise<Model> {
  const known = models.find(({ provider_type: type }) => isExample(type));
  if (known) return known;
  const provider =
    providers.find(({ type }) => isExample(type)) ??
    (await take(api.providers.post({ name: EXAMPLE_PROVIDER_NAME, type: "example" })));
  return take(
    api.models.post({
      provider_id: provider.id,
      model_name: EXAMPLE_MODEL_NAME,
      label: EXAMPLE_MODEL_LABEL,
    }),
  );
}

/** Shown while there is no other model. */
export function OnlyExample(props: { readonly models: readonly Model[] }): JSX.Element {
  const only = () =>
    props.models.length > 0 && props.models.every(({ provider_type: type }) => isExample(type));
  return (
    <Show when={only()}>
      <div class="notice wait">
        <div>
          So far there is only the built-in example, which is a script.{" "}
          <Show when={isAdmin()} fallback="Ask an admin to add a provider.">
            Add a provider to use a language model.
          </Show>
        </div>
        <Show when={isAdmin()}>
          <A class="btn small" href="/models?open=new-provider">
            Add provider
          </A>
        </Show>
      </div>
    </Show>
  );
}
