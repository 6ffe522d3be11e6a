// The forms that add a provider and edit its name and address. Keys are write-only.

import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { Provider } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { fieldProblem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { followed } from "../../kit/followed.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import {
  ANTHROPIC_ADDRESS,
  isAnthropic,
  type NewType,
  suggestedName,
  typeChoices,
} from "./provider-words.ts";
import "./catalog.css";

const FIELDS = ["name", "base_url", "api_key"];
const KEY_HINT = "Stored on the server and never shown again. Leave it empty if the server needs none.";

interface NewProviderProps {
  readonly others: readonly Provider[];
  readonly action: string;
  readonly onMade: (provider: Provider) => void;
  readonly onCancel?: () => void;
}

export function NewProvider(props: NewProviderProps): JSX.Element {
  const [type, setType] = createSignal<NewType>("anthropic");
  const [named, setNamed] = createSignal<string>();
  const [address, setAddress] = createSignal("");
  const [key, setKey] = createSignal("");
  const name = () => named() ?? suggestedName(type(), address(), props.others);
  const saved = guardLeaving(() => named() !== undefined || address() !== "" || key() !== "");
  const form = createSubmission(FIELDS, async () => {
    requireAddress(type() === "anthropic", address());
    requireKey(type() === "anthropic", address(), key());
    const made = await take(
      api.providers.post({ name: name(), type: type(), base_url: address().trim(), api_key: key() }),
    );
    setKey("");
    saved();
    await refresh("providers");
    props.onMade(made);
  });
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <fieldset class="catalog-types">
        <legend class="label">Provider type</legend>
        <For each={typeChoices}>
          {(choice) => (
            <label class="catalog-type">
              <input
                type="radio"
                name="provider-type"
                value={choice.value}
                checked={type() === choice.value}
                onChange={() => setType(choice.value)}
              />
              <span>
                <span class="strong">{choice.title}</span>
                <span class="small muted">{choice.text}</span>
              </span>
            </label>
          )}
        </For>
      </fieldset>
      <AddressInput
        anthropic={type() === "anthropic"}
        value={address()}
        onInput={setAddress}
        problem={form.of("base_url")}
      />
      <TextInput
        label="Key"
        type="password"
        autocomplete="new-password"
        value={key()}
        onInput={setKey}
        hint={KEY_HINT}
        problem={form.of("api_key")}
      />
      <TextInput
        label="Name"
        value={name()}
        onInput={setNamed}
        hint="Shown to people here."
        problem={form.of("name")}
      />
      <FormActions form={form} action={props.action} onCancel={props.onCancel} />
    </form>
  );
}

interface SettingsProps {
  readonly provider: Provider;
  readonly disabled?: boolean;
  /** Includes the key, where it has no form of its own. */
  readonly withKey?: boolean;
  readonly onSaved?: () => void;
  readonly onCancel?: () => void;
}

function createSettings(props: SettingsProps) {
  const stored = () => ({ name: props.provider.name, address: props.provider.base_url });
  const [before, setBefore] = createSignal(stored());
  const [typed, setTyped] = createSignal(before());
  const name = () => typed().name;
  const address = () => typed().address;
  const setName = (to: string) => setTyped({ ...typed(), name: to });
  const setAddress = (to: string) => setTyped({ ...typed(), address: to });
  // Follows saves made elsewhere, except for edited fields.
  createEffect(
    on(
      stored,
      (now) => {
        setTyped(followed(typed(), before(), now));
        setBefore(now);
      },
      { defer: true },
    ),
  );
  const [key, setKey] = createSignal("");
  const anthropic = () => isAnthropic(props.provider.type);
  const moved = () => plain(address(), { anthropic: anthropic() }) !== props.provider.base_url;
  const rekeyed = () => props.withKey === true && key() !== "";
  const changed = () => moved() || rekeyed() || name().trim() !== props.provider.name;
  guardLeaving(changed);
  const form = createSubmission(FIELDS, async () => {
    requireAddress(anthropic(), address());
    const sent = { name: name(), address: address(), key: key() };
    const saved = await take(
      api.providers({ id: props.provider.id }).patch({
        // Unchanged fields are not sent: someone else may have changed them.
        ...(name().trim() === props.provider.name ? {} : { name: name() }),
        // The stored key is never sent to another address: this one replaces it.
        ...(moved() ? { base_url: address().trim() } : {}),
        ...(moved() || rekeyed() ? { api_key: key() } : {}),
      }),
    );
    // Edits since then stay.
    if (key() === sent.key) setKey("");
    if (name() === sent.name) setName(saved.name);
    if (address() === sent.address) setAddress(saved.base_url);
    await Promise.all([refresh("providers"), refresh("models")]);
    props.onSaved?.();
  });
  return { name, setName, address, setAddress, key, setKey, anthropic, moved, changed, form };
}

/** Name and address. A new address asks for the key again. */
export function ProviderSettings(props: SettingsProps): JSX.Element {
  const { name, setName, address, setAddress, key, setKey, anthropic, moved, changed, form } =
    createSettings(props);
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput label="Name" value={name()} onInput={setName} problem={form.of("name")} />
      <AddressInput
        anthropic={anthropic()}
        value={address()}
        onInput={setAddress}
        problem={form.of("base_url")}
      />
      <Show when={moved()}>
        <p class="small catalog-note" role="status">
          {props.provider.has_key
            ? "The stored key is never sent to another address. Enter the key for the new one; if you leave it empty, the stored key is deleted."
            : "Enter the key for the new address, if it needs one."}
        </p>
      </Show>
      <Show when={moved() || props.withKey}>
        <TextInput
          label={moved() ? "Key for the new address" : props.provider.has_key ? "New key" : "Key"}
          type="password"
          autocomplete="new-password"
          value={key()}
          onInput={setKey}
          hint={
            moved()
              ? undefined
              : props.provider.has_key
                ? "Leave it empty to keep the stored key."
                : "No key stored."
          }
          problem={form.of("api_key")}
        />
      </Show>
      <FormActions
        form={form}
        action="Save"
        kind="plain"
        disabled={!changed() || props.disabled === true}
        onCancel={props.onCancel}
      />
    </form>
  );
}

function AddressInput(props: {
  readonly anthropic: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problem: string | undefined;
}): JSX.Element {
  return (
    <TextInput
      label="Address"
      type="url"
      value={props.value}
      onInput={props.onInput}
      placeholder={props.anthropic ? ANTHROPIC_ADDRESS : "https://"}
      hint={
        props.anthropic
          ? "Leave it empty for Anthropic."
          : "Include the path before /chat/completions, often /v1: http://localhost:11434/v1"
      }
      problem={props.problem}
    />
  );
}

function requireAddress(anthropic: boolean, address: string): void {
  if (!anthropic && address.trim() === "")
    throw fieldProblem("base_url", "Enter the server's address. This kind has no default.");
}

/** Anthropic refuses every call without a key; other servers may need none. */
function requireKey(anthropic: boolean, address: string, key: string): void {
  if (anthropic && plain(address, { anthropic }) === ANTHROPIC_ADDRESS && key.trim() === "")
    throw fieldProblem("api_key", "Anthropic requires a key.");
}

/** As the server stores it: a trailing slash is not another address. */
function plain(address: string, { anthropic }: { readonly anthropic: boolean }): string {
  const text = address.trim().replace(/\/+$/, "");
  return text === "" && anthropic ? ANTHROPIC_ADDRESS : text;
}
