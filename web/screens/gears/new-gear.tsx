// The form for a new gear. A new gear is pending, so its review follows.

import { A, useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import type { GearRuntime } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, Field, Select, TextInput } from "../../kit/form.tsx";
import { bytes } from "../../kit/format.ts";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { RUNTIME_NAMES } from "../../parts/gear/gear-words.tsx";
import { newDraft, type ProgramDraft, tagsOf, testsOf, withRuntime } from "./program-draft.ts";
import { DetailFields, ProgramEditor, TestFields } from "./program-editor.tsx";

const FIELDS = [
  "name",
  "runtime",
  "code",
  "files",
  "entrypoint",
  "args_schema",
  "description",
  "tags",
  "tests",
] as const;

const START = newDraft("python");

function createMaking() {
  const navigate = useNavigate();
  const review = unlessMovedOn((id: number) => navigate(`/gears/${id}/review`));
  const [name, setName] = createSignal("");
  const [draft, setDraft] = createSignal<ProgramDraft>(START);
  const [made, setMade] = createSignal(false);
  guardLeaving(() => !made() && (name() !== "" || draft() !== START));
  const making = createSubmission(FIELDS, async () => {
    const { runtime, entrypoint, files, argsSchema, description } = draft();
    const gear = await take(
      api.gears.post({
        name: name(),
        description,
        tags: tagsOf(draft()),
        runtime,
        ...(runtime === "binary" ? { entrypoint } : {}),
        files: [...files],
        args_schema: argsSchema,
        tests: testsOf(draft()),
      }),
    );
    setMade(true);
    void Promise.all([refresh("gears"), refresh("approvals")]);
    review(gear.id);
  });
  const editing = () => ({
    draft: draft(),
    onChange: setDraft,
    onSave: () => void making.submit(),
    problemOf: making.of,
  });
  return { name, setName, draft, setDraft, making, editing };
}

export function NewGear(): JSX.Element {
  const { name, setName, draft, setDraft, making, editing } = createMaking();
  return (
    <form class="gear-new" onSubmit={(event) => void making.submit(event)}>
      <div class="title">
        <h1>Create gear</h1>
      </div>
      <p class="muted gear-new-about">
        A small program that agents can call. It receives its arguments as one JSON object on stdin, and its
        output is the result. Agents can call it once an admin has approved it.
      </p>
      <div class="form">
        <div class="gear-new-row">
          <TextInput
            label="Name"
            mono
            autofocus
            value={name()}
            onInput={setName}
            hint="Lower-case letters, digits and _. It is also the tool's name and cannot be changed."
            problem={making.of("name")}
          />
          <Select
            label="Runtime"
            value={draft().runtime}
            choices={Object.entries(RUNTIME_NAMES).map(([value, label]) => ({ value, label }))}
            onChange={(runtime) => setDraft(withRuntime(draft(), runtime as GearRuntime))}
            problem={making.of("runtime")}
          />
        </div>
        <DetailFields {...editing()} />
        <Show when={draft().runtime === "binary"}>
          <BinaryFile draft={draft()} onChange={setDraft} problem={making.of("files")} />
        </Show>
        <ProgramEditor {...editing()} />
        <TestFields {...editing()} />
        <FormProblem form={making} />
        <div class="actions">
          <A class="btn" href="/gears">
            Cancel
          </A>
          <Button type="submit" kind="primary" busy={making.busy()}>
            Create gear
          </Button>
        </div>
      </div>
    </form>
  );
}

const PROGRAM_BYTES_MAX = 4 * 1024 * 1024;

function BinaryFile(props: {
  readonly draft: ProgramDraft;
  readonly onChange: (draft: ProgramDraft) => void;
  readonly problem: string | undefined;
}): JSX.Element {
  const [tooLarge, setTooLarge] = createSignal<string>();
  const choose = async (file: File | undefined) => {
    setTooLarge(undefined);
    if (!file) return;
    if (file.size > PROGRAM_BYTES_MAX)
      return void setTooLarge(`The file has ${bytes(file.size)}; the limit is ${bytes(PROGRAM_BYTES_MAX)}.`);
    const content = base64Of(new Uint8Array(await file.arrayBuffer()));
    props.onChange({
      ...props.draft,
      entrypoint: file.name,
      files: [{ path: file.name, content, encoding: "base64" }],
    });
  };
  return (
    <Field label="Program" hint="A self-contained program for Linux." problem={tooLarge() ?? props.problem}>
      {(field) => (
        <input
          class="input"
          type="file"
          id={field.id}
          aria-describedby={field.describedBy}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

const CHUNK_BYTES = 0x8000;

function base64Of(content: Uint8Array): string {
  let text = "";
  for (let at = 0; at < content.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...content.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}
