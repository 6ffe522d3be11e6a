// The editor of a gear's program: its files and argument schema, and below them description, tags and tests.

import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createSignal, For, Index, type JSX, Match, Show, Switch } from "solid-js";
import { Button, IconButton } from "../../kit/button.tsx";
import { Editor } from "../../kit/editor/editor.tsx";
import { TextArea, TextInput } from "../../kit/form.tsx";
import { bytes } from "../../kit/format.ts";
import { type ProgramDraft, type TestDraft, withFile, withoutFile } from "./program-draft.ts";

interface EditorProps {
  readonly draft: ProgramDraft;
  readonly onChange: (draft: ProgramDraft) => void;
  readonly readOnly?: boolean;
  readonly onSave: () => void;
  /** The server's problems by field. */
  readonly problemOf: (field: string) => string | undefined;
}

const SCHEMA = "\0schema";

export function ProgramEditor(props: EditorProps): JSX.Element {
  const [open, setOpen] = createSignal(props.draft.entrypoint);
  const shown = () =>
    open() === SCHEMA || props.draft.files.some(({ path }) => path === open())
      ? open()
      : (props.draft.files[0]?.path ?? SCHEMA);
  const file = () => props.draft.files.find(({ path }) => path === shown());
  const problem = () => props.problemOf("code") ?? props.problemOf("files") ?? props.problemOf("entrypoint");
  return (
    <div class="gear-editor">
      <div class="gear-editor-bar">
        <FileTabs
          paths={[...props.draft.files.map(({ path }) => path), SCHEMA]}
          open={shown()}
          onOpen={setOpen}
        />
        <Show when={!props.readOnly}>
          <FileActions {...props} open={shown()} onOpen={setOpen} />
        </Show>
      </div>
      <Switch>
        <Match when={shown() === SCHEMA}>
          <div class="gear-editor-room">
            <Editor
              label="Argument schema"
              fileName="arguments.json"
              value={props.draft.argsSchema}
              onChange={(argsSchema) => props.onChange({ ...props.draft, argsSchema })}
              readOnly={props.readOnly ?? false}
              onSave={props.onSave}
            />
          </div>
        </Match>
        <Match when={file()?.encoding === "base64" && file()}>
          {(binary) => (
            <div class="section muted">
              Binary file, about {bytes(Math.floor((binary().content.length * 3) / 4))}.
            </div>
          )}
        </Match>
        <Match when={file()}>
          {(text) => (
            <div class="gear-editor-room">
              <Editor
                label={`Content of ${text().path}`}
                fileName={text().path}
                value={text().content}
                onChange={(content) => props.onChange(withFile(props.draft, { ...text(), content }))}
                readOnly={props.readOnly ?? false}
                onSave={props.onSave}
              />
            </div>
          )}
        </Match>
      </Switch>
      <EditorProblem text={problem()} />
      <EditorProblem text={props.problemOf("args_schema")} prefix="Arguments: " />
    </div>
  );
}

function EditorProblem(props: { readonly text: string | undefined; readonly prefix?: string }): JSX.Element {
  return (
    <Show when={props.text}>
      <p class="small gear-bad gear-editor-problem" role="alert">
        {props.prefix}
        {props.text}
      </p>
    </Show>
  );
}

function FileTabs(props: {
  readonly paths: readonly string[];
  readonly open: string;
  readonly onOpen: (path: string) => void;
}): JSX.Element {
  return (
    <div class="gear-editor-tabs" role="tablist" aria-label="Files of the gear">
      <For each={props.paths}>
        {(path) => (
          <button
            type="button"
            role="tab"
            class="gear-editor-tab"
            classList={{ mono: path !== SCHEMA }}
            aria-selected={props.open === path}
            tabIndex={props.open === path ? 0 : -1}
            onClick={() => props.onOpen(path)}
            onKeyDown={walkTabs}
          >
            {path === SCHEMA ? "Arguments" : path}
          </button>
        )}
      </For>
    </div>
  );
}

function walkTabs(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const move = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[event.key];
  const tab = move && (event.currentTarget[move as "nextElementSibling"] as HTMLElement | null);
  if (!tab) return;
  event.preventDefault();
  tab.click();
  tab.focus();
}

function FileActions(
  props: EditorProps & { readonly open: string; readonly onOpen: (path: string) => void },
): JSX.Element {
  const [name, setName] = createSignal<string>();
  const add = () => {
    const path = name()?.trim() ?? "";
    if (path === "") return void setName(undefined);
    props.onChange(
      props.draft.files.some((file) => file.path === path)
        ? props.draft
        : withFile(props.draft, { path, content: "", encoding: "utf8" }),
    );
    props.onOpen(path);
    setName(undefined);
  };
  const removable = () => props.open !== SCHEMA && props.open !== props.draft.entrypoint;
  return (
    <div class="row end">
      <Show when={removable()}>
        <Button
          small
          kind="quiet"
          onClick={() => {
            props.onChange(withoutFile(props.draft, props.open));
            props.onOpen(props.draft.entrypoint);
          }}
        >
          Remove file
        </Button>
      </Show>
      <Show
        when={name() !== undefined}
        fallback={
          <Button small kind="quiet" onClick={() => setName("")}>
            <Plus aria-hidden="true" />
            Add file
          </Button>
        }
      >
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            add();
          }}
        >
          <input
            class="input mono gear-editor-name"
            aria-label="Path of new file"
            placeholder="lib/words.py"
            value={name()}
            ref={(element) => queueMicrotask(() => element.focus())}
            onInput={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && setName(undefined)}
          />
          <Button small type="submit">
            Add
          </Button>
        </form>
      </Show>
    </div>
  );
}

export function DetailFields(props: EditorProps): JSX.Element {
  const put = (fields: Partial<ProgramDraft>) => props.onChange({ ...props.draft, ...fields });
  return (
    <>
      <TextArea
        label="Description"
        rows={2}
        value={props.draft.description}
        onInput={(description) => put({ description })}
        disabled={props.readOnly ?? false}
        hint="Tells agents what the gear does."
        problem={props.problemOf("description")}
      />
      <TextInput
        label="Tags"
        value={props.draft.tags}
        onInput={(tags) => put({ tags })}
        disabled={props.readOnly ?? false}
        hint="Separated by commas."
        problem={props.problemOf("tags")}
      />
    </>
  );
}

export function TestFields(props: EditorProps): JSX.Element {
  const put = (tests: readonly TestDraft[]) => props.onChange({ ...props.draft, tests });
  const change = (index: number, fields: Partial<TestDraft>) =>
    put(props.draft.tests.map((test, at) => (at === index ? { ...test, ...fields } : test)));
  return (
    <fieldset class="gear-test-fields" disabled={props.readOnly}>
      <legend class="heading">Tests</legend>
      <p class="small muted">Arguments and the expected output: the same text, or the same JSON.</p>
      <Index each={props.draft.tests}>
        {(test, index) => (
          <div class="gear-test-draft">
            <TextInput
              label={`Name of test ${index + 1}`}
              value={test().name}
              onInput={(name) => change(index, { name })}
            />
            <div class="gear-test-remove">
              <IconButton
                label={`Remove test ${index + 1}`}
                onClick={() => put(props.draft.tests.toSpliced(index, 1))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </div>
            <TextArea
              label="Arguments (JSON)"
              mono
              rows={3}
              value={test().args}
              onInput={(args) => change(index, { args })}
            />
            <TextArea
              label="Expected output"
              mono
              rows={3}
              value={test().expected}
              onInput={(expected) => change(index, { expected })}
            />
          </div>
        )}
      </Index>
      <Show when={props.problemOf("tests")}>
        {(said) => (
          <p class="small gear-bad" role="alert">
            {said()}
          </p>
        )}
      </Show>
      <Show when={!props.readOnly}>
        <Button
          small
          onClick={() =>
            put([
              ...props.draft.tests,
              { name: `test ${props.draft.tests.length + 1}`, args: "{}", expected: "" },
            ])
          }
        >
          <Plus aria-hidden="true" />
          Add test
        </Button>
      </Show>
    </fieldset>
  );
}
