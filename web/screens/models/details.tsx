// The pane beside the tables: one provider or one model with what can be done to it. Who is not an admin reads, and may add models.

import { createSignal, type JSX, Show } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { count, priceText } from "../../kit/format.ts";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { isAdmin } from "../../state/session.ts";
import { ModelSettings } from "../../parts/catalog/model-form.tsx";
import { ModelPicker } from "../../parts/catalog/model-picker.tsx";
import { ProviderSettings } from "../../parts/catalog/provider-form.tsx";

export function ProviderDetail(props: {
  readonly provider: Provider;
  readonly models: readonly Model[];
  readonly onGone: () => void;
}): JSX.Element {
  return (
    <>
      <section class="section">
        <h3>Add models</h3>
        <ModelPicker
          provider={props.provider}
          models={props.models}
          onAdded={(added) =>
            tell(added.length === 1 ? `${added[0]!.label} is added.` : `${added.length} models are added.`)
          }
        />
      </section>
      <Show
        when={isAdmin()}
        fallback={
          <section class="section">
            <dl class="facts">
              <dt>Address</dt>
              <dd class="mono">{props.provider.base_url}</dd>
              <dt>Key</dt>
              <dd>{props.provider.has_key ? "stored" : "none"}</dd>
            </dl>
          </section>
        }
      >
        <section class="section">
          <h3>Name and address</h3>
          <ProviderSettings provider={props.provider} />
        </section>
        <section class="section">
          <h3>Key</h3>
          <KeyForm provider={props.provider} />
        </section>
        <section class="section">
          <Remove
            what="provider"
            question={() => ({
              title: `Delete ${props.provider.name}?`,
              text: "Its address and its key are erased. The models that it has must be deleted first.",
            })}
            remove={() => take(api.providers({ id: props.provider.id }).delete())}
            onGone={props.onGone}
          />
        </section>
      </Show>
    </>
  );
}

/** Of the key only whether there is one is known to anybody. */
function KeyForm(props: { readonly provider: Provider }): JSX.Element {
  const [key, setKey] = createSignal("");
  const send = async (value: string) => {
    await take(api.providers({ id: props.provider.id }).patch({ api_key: value }));
    setKey("");
    await refresh("providers");
    tell(value === "" ? "The key is erased." : "The key is stored.");
  };
  const form = createSubmission(["api_key"], () => send(key()));
  const clearing = createSubmission([], () => send(""));
  const clear = async () => {
    const yes = await confirm({
      title: `Clear the key of ${props.provider.name}?`,
      text: "It can't be shown or brought back. Calls of its models go out without a key.",
      action: "Clear the key",
    });
    if (yes) await clearing.submit();
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput
        label={props.provider.has_key ? "Another key" : "Key"}
        type="password"
        autocomplete="new-password"
        value={key()}
        onInput={setKey}
        hint={props.provider.has_key ? "A key is stored. Nobody can see it." : "No key is stored."}
        problem={form.of("api_key")}
      />
      <Show when={form.problem() ?? clearing.problem()}>
        {(problem) => <ProblemNotice problem={problem()} />}
      </Show>
      <div class="actions">
        <Show when={props.provider.has_key}>
          <Button kind="danger" busy={clearing.busy()} onClick={() => void clear()}>
            Clear the key
          </Button>
        </Show>
        <Button type="submit" busy={form.busy()} disabled={key() === ""}>
          {props.provider.has_key ? "Replace the key" : "Store the key"}
        </Button>
      </div>
    </form>
  );
}

export function ModelDetail(props: { readonly model: Model; readonly onGone: () => void }): JSX.Element {
  return (
    <>
      <Show when={isAdmin()} fallback={<ModelFacts model={props.model} />}>
        <section class="section">
          <ModelSettings model={props.model} />
        </section>
        <section class="section">
          <Remove
            what="model"
            question={() => ({
              title: `Delete ${props.model.label}?`,
              text: "Its label, sizes and prices are lost. What it did stays on record. Agents that use it must be given another model first.",
            })}
            remove={() => take(api.models({ id: props.model.id }).delete())}
            onGone={props.onGone}
          />
        </section>
      </Show>
    </>
  );
}

function ModelFacts(props: { readonly model: Model }): JSX.Element {
  const size = (value: number | null) => (value === null ? "unknown" : `${count(value)} tokens`);
  const price = (value: number | null) =>
    value === null ? "unknown" : `${priceText(value)} for a million tokens`;
  return (
    <section class="section">
      <dl class="facts">
        <dt>Name</dt>
        <dd class="mono">{props.model.model_name}</dd>
        <dt>Context size</dt>
        <dd>{size(props.model.context_tokens)}</dd>
        <dt>Longest answer</dt>
        <dd>
          {props.model.output_tokens === null ? "as the provider has it" : size(props.model.output_tokens)}
        </dd>
        <dt>Input</dt>
        <dd>{price(props.model.input_price)}</dd>
        <dt>Cached input</dt>
        <dd>{price(props.model.cached_input_price)}</dd>
        <dt>Output</dt>
        <dd>{price(props.model.output_price)}</dd>
      </dl>
    </section>
  );
}

/** A refusal (it is still in use) stands where one asked for it. */
function Remove(props: {
  readonly what: "provider" | "model";
  readonly question: () => { title: string; text: string };
  readonly remove: () => Promise<unknown>;
  readonly onGone: () => void;
}): JSX.Element {
  const form = createSubmission([], async () => {
    await props.remove();
    props.onGone();
    await refresh(`${props.what}s`);
  });
  const ask = async () => {
    if (await confirm({ ...props.question(), action: `Delete the ${props.what}` })) await form.submit();
  };
  return (
    <div class="form">
      <Show when={form.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <div class="row">
        <Button kind="danger" busy={form.busy()} onClick={() => void ask()}>
          Delete the {props.what}
        </Button>
      </div>
    </div>
  );
}
