// Imports a workspace from a file. Models that this server lacks are asked for, once the server has named them.

import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Model } from "../../../src/service/catalog/schema.ts";
import type { Imported } from "../../../src/service/transfer/schema.ts";
import { asProblem, fieldProblem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { sendFile } from "../../api/send-file.ts";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, Field, TextInput } from "../../kit/form.tsx";
import { plural } from "../../kit/format.ts";
import { modelChoices } from "../../parts/catalog/model-choices.ts";

const TYPE = "application/x-ndjson";

/** Names of missing models, by their number in the file. */
type Missing = Readonly<Record<string, string>>;

export function ImportDialog(props: {
  readonly models: readonly Model[];
  readonly onClose: () => void;
  readonly onOpen: (workspaceId: number) => void;
}): JSX.Element {
  const [made, setMade] = createSignal<Imported>();
  return (
    <Dialog open onClose={props.onClose} title="Import workspace">
      <Show
        when={made()}
        fallback={<ImportForm models={props.models} onClose={props.onClose} onMade={setMade} />}
      >
        {(result) => <Result made={result()} onClose={props.onClose} onOpen={props.onOpen} />}
      </Show>
    </Dialog>
  );
}

function ImportForm(props: {
  readonly models: readonly Model[];
  readonly onClose: () => void;
  readonly onMade: (made: Imported) => void;
}): JSX.Element {
  const [file, setFile] = createSignal<File>();
  const [name, setName] = createSignal("");
  const [missing, setMissing] = createSignal<Missing>({});
  const [chosen, setChosen] = createSignal<Readonly<Record<string, string>>>({});
  const form = createSubmission(["file", "name", "models"], async () => {
    const chosenFile = file();
    if (!chosenFile) throw fieldProblem("file", "Choose a file.");
    if (Object.keys(missing()).some((number) => chosen()[number] === undefined))
      throw fieldProblem("models", "Choose a model for each.");
    try {
      const made = await sendFile<Imported>(addressOf(name(), chosen()), TYPE, chosenFile);
      void refresh("workspaces");
      props.onMade(made);
    } catch (error) {
      const found = asProblem(error).details["models"] as Missing | undefined;
      if (!found) throw error;
      setMissing(found);
      throw fieldProblem("models", "This server lacks models that the workspace uses. Choose others.");
    }
  });
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <p class="muted">
        You own the new workspace. Its gears start as pending and run only after an admin approves them.
      </p>
      <Field label="File" problem={form.of("file")}>
        {(field) => (
          <input
            id={field.id}
            class="input workspaces-file"
            type="file"
            accept=".jsonl,.ndjson"
            aria-invalid={field.invalid ? "true" : undefined}
            aria-describedby={field.describedBy}
            onChange={(event) => {
              setFile(event.currentTarget.files?.[0]);
              setMissing({});
              setChosen({});
            }}
          />
        )}
      </Field>
      <MissingModels
        missing={missing()}
        models={props.models}
        chosen={chosen()}
        onChoose={(number, id) => setChosen((before) => ({ ...before, [number]: id }))}
        problem={form.of("models")}
      />
      <TextInput
        label="Name"
        value={name()}
        onInput={setName}
        placeholder="As in the file"
        hint="Optional. You cannot change it later; the display name can change."
        problem={form.of("name")}
      />
      <FormActions form={form} action="Import" onCancel={props.onClose} />
    </form>
  );
}

/** Asks for a model of this server in place of each that it lacks. */
function MissingModels(props: {
  readonly missing: Missing;
  readonly models: readonly Model[];
  readonly chosen: Readonly<Record<string, string>>;
  readonly onChoose: (number: string, modelId: string) => void;
  readonly problem: string | undefined;
}): JSX.Element {
  const numbers = createMemo(() => Object.keys(props.missing));
  return (
    <Show when={numbers().length > 0}>
      <fieldset class="workspaces-models">
        <legend>Models</legend>
        <For each={numbers()}>
          {(number) => (
            <Combobox
              label={props.missing[number]!}
              value={props.chosen[number]}
              choices={modelChoices(props.models)}
              onChange={(id) => props.onChoose(number, id)}
              placeholder="Choose a model"
            />
          )}
        </For>
        <Show when={props.problem}>
          {(problem) => (
            <p class="problem" role="alert">
              {problem()}
            </p>
          )}
        </Show>
      </fieldset>
    </Show>
  );
}

/** Shows the imported parts, and those left out. */
function Result(props: {
  readonly made: Imported;
  readonly onClose: () => void;
  readonly onOpen: (workspaceId: number) => void;
}): JSX.Element {
  const pending = () => props.made.gears.filter(({ created }) => created);
  const renamed = () =>
    [...props.made.gears, ...props.made.instructions].filter(({ name, as }) => name !== as);
  return (
    <div class="stack">
      <p>
        <b dir="auto">{props.made.workspace.display_name}</b> is imported.
      </p>
      <Show when={pending().length > 0}>
        <p>{plural(pending().length, "gear")} pending approval.</p>
      </Show>
      <Show when={renamed().length > 0}>
        <p>These names were taken by other content:</p>
        <ul class="workspaces-left">
          <For each={renamed()}>
            {({ name, as }) => (
              <li>
                <bdi>{name}</bdi> is <bdi>{as}</bdi> here
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.made.left_out.length > 0}>
        <details>
          <summary>Not imported: {plural(props.made.left_out.length, "item")}</summary>
          <ul class="workspaces-left scroll">
            <For each={props.made.left_out}>
              {({ kind, name, reason }) => (
                <li>
                  {kind} <bdi>{name}</bdi>: {reason}
                </li>
              )}
            </For>
          </ul>
        </details>
      </Show>
      <div class="actions">
        <Button onClick={props.onClose}>Close</Button>
        <Button kind="primary" onClick={() => props.onOpen(props.made.workspace.id)}>
          Open workspace
        </Button>
      </div>
    </div>
  );
}

function addressOf(name: string, chosen: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  if (name.trim() !== "") query.set("name", name.trim());
  const pairs = Object.entries(chosen).map(([number, id]) => `${number}:${id}`);
  if (pairs.length > 0) query.set("models", pairs.join(","));
  const text = query.toString();
  return `/api/v1/workspaces/import${text === "" ? "" : `?${text}`}`;
}
