// The pane beside the tables: one provider or one model. Non-admins can read it and add models.

import { createSignal, type JSX, Show } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { DeletedNotice } from "../../kit/deleted.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { count, plural, priceText } from "../../kit/format.ts";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { tell } from "../../kit/toast.tsx";
import { isAdmin } from "../../state/session.ts";
import { ModelSettings } from "../../parts/catalog/model-form.tsx";
import { ModelPicker } from "../../parts/catalog/model-picker.tsx";
import { isExample } from "../../parts/catalog/provider-words.ts";
import { ProviderSettings } from "../../parts/catalog/provider-form.tsx";

export function ProviderDetail(props: {
  readonly provider: Provider;
  /** By someone, while it was open. */
  readonly deleted: boolean;
  readonly models: readonly Model[];
  readonly onGone: () => void;
}): JSX.Element {
  return (
    <>
      <Show when={props.deleted}>
        <DeletedNotice name={props.provider.name} />
      </Show>
      <Show when={!isExample(props.provider.type)} fallback={<ExampleProvider />}>
        <section class="section">
          <h3>Add models</h3>
          <ModelPicker
            provider={props.provider}
            models={props.models}
            onAdded={(added) =>
              tell(`${added.length === 1 ? added[0]!.label : plural(added.length, "model")} added.`)
            }
            disabled={props.deleted}
          />
        </section>
      </Show>
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
        <Show when={!isExample(props.provider.type)}>
          <section class="section">
            <h3>Name and address</h3>
            <ProviderSettings provider={props.provider} disabled={props.deleted} />
          </section>
          <section class="section">
            <h3>Key</h3>
            <KeyForm provider={props.provider} deleted={props.deleted} />
          </section>
        </Show>
        <Show when={!props.deleted}>
          <section class="section">
            <Remove
              what="provider"
              question={() => ({
                title: `Delete ${props.provider.name}?`,
                text: "This deletes its address and key. Delete its models first.",
              })}
              remove={() => take(api.providers({ id: props.provider.id }).delete())}
              onGone={props.onGone}
            />
          </section>
        </Show>
      </Show>
    </>
  );
}

function ExampleProvider(): JSX.Element {
  return (
    <section class="section">
      <p class="lead">
        A script in this server that shows what a turn looks like. It is not a language model, and it sends
        nothing to any other machine. Delete it when you no longer need it.
      </p>
    </section>
  );
}

/** Replaces or deletes the key, which no one can read. */
function KeyForm(props: { readonly provider: Provider; readonly deleted: boolean }): JSX.Element {
  const [key, setKey] = createSignal("");
  guardLeaving(() => key() !== "");
  const send = async (value: string) => {
    const typed = key();
    await take(api.providers({ id: props.provider.id }).patch({ api_key: value }));
    if (key() === typed) setKey("");
    await refresh("providers");
    tell(value === "" ? "Key deleted." : "Key saved.");
  };
  const form = createSubmission(["api_key"], () => send(key()));
  const clearing = createSubmission([], () => send(""));
  const clear = async () => {
    const yes = await confirm({
      title: `Delete the key of ${props.provider.name}?`,
      text: "The key cannot be recovered. Its models are then called without a key.",
      action: "Delete key",
    });
    if (yes) await clearing.submit();
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput
        label={props.provider.has_key ? "New key" : "Key"}
        type="password"
        autocomplete="new-password"
        value={key()}
        onInput={setKey}
        hint={props.provider.has_key ? "A key is stored. No one can read it." : "No key is stored."}
        problem={form.of("api_key")}
      />
      <FormProblem form={form} />
      <FormProblem form={clearing} />
      <div class="actions">
        <Show when={props.provider.has_key && !props.deleted}>
          <Button kind="danger" busy={clearing.busy()} onClick={() => void clear()}>
            Delete key
          </Button>
        </Show>
        <Button type="submit" busy={form.busy()} disabled={key() === "" || props.deleted}>
          {props.provider.has_key ? "Replace key" : "Save key"}
        </Button>
      </div>
    </form>
  );
}

export function ModelDetail(props: {
  readonly model: Model;
  /** By someone, while it was open. */
  readonly deleted: boolean;
  readonly onGone: () => void;
}): JSX.Element {
  return (
    <>
      <Show when={props.deleted}>
        <DeletedNotice name={props.model.label} />
      </Show>
      <Show when={isAdmin()} fallback={<ModelFacts model={props.model} />}>
        <Show when={!isExample(props.model.provider_type)}>
          <section class="section">
            <ModelSettings model={props.model} disabled={props.deleted} />
          </section>
        </Show>
        <Show when={!props.deleted}>
          <section class="section">
            <Remove
              what="model"
              question={() => ({
                title: `Delete ${props.model.label}?`,
                text: "This deletes its label, sizes and prices. Recorded calls stay. First give the agents that use it another model.",
              })}
              remove={() => take(api.models({ id: props.model.id }).delete())}
              onGone={props.onGone}
            />
          </section>
        </Show>
      </Show>
    </>
  );
}

function ModelFacts(props: { readonly model: Model }): JSX.Element {
  const size = (value: number | null) => (value === null ? "unknown" : `${count(value)} tokens`);
  const price = (value: number | null) =>
    value === null ? "unknown" : `${priceText(value)} per million tokens`;
  return (
    <section class="section">
      <dl class="facts">
        <dt>Name</dt>
        <dd class="mono">{props.model.model_name}</dd>
        <dt>Context size</dt>
        <dd>{size(props.model.context_tokens)}</dd>
        <dt>Longest answer</dt>
        <dd>{props.model.output_tokens === null ? "provider default" : size(props.model.output_tokens)}</dd>
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

/** Deletes a provider or model; a refusal (still in use) is shown beside the button. */
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
    if (await confirm({ ...props.question(), action: `Delete ${props.what}` })) await form.submit();
  };
  return (
    <div class="form">
      <FormProblem form={form} />
      <div class="row">
        <Button kind="danger" busy={form.busy()} onClick={() => void ask()}>
          Delete {props.what}
        </Button>
      </div>
    </div>
  );
}
