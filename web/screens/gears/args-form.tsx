// The form for a gear's arguments: one input per field of its schema, or JSON if the schema cannot be a form or a person prefers it.

import Braces from "lucide-solid/icons/braces";
import Plus from "lucide-solid/icons/plus";
import TextCursorInput from "lucide-solid/icons/text-cursor-input";
import X from "lucide-solid/icons/x";
import { type Accessor, createMemo, createSignal, For, Index, type JSX, Match, Show, Switch } from "solid-js";
import { Button, IconButton } from "../../kit/button.tsx";
import { Select, TextArea, TextInput } from "../../kit/form.tsx";
import {
  type ArgField,
  collect,
  type Collected,
  type Draft,
  draftsOf,
  fieldsOf,
  parseArgs,
  type SimpleField,
  whyJson,
} from "./args-fields.ts";

export interface ArgsFormState {
  readonly fields: Accessor<readonly ArgField[] | undefined>;
  /** Says why there are no fields. */
  readonly why: Accessor<string | undefined>;
  readonly raw: Accessor<boolean>;
  /** Switches the form and carries the inputs over. */
  readonly setRaw: (raw: boolean) => void;
  readonly text: Accessor<string>;
  readonly setText: (text: string) => void;
  readonly drafts: Accessor<Readonly<Record<string, Draft>>>;
  readonly setDraft: (name: string, draft: Draft) => void;
  readonly problems: Accessor<ReadonlyMap<string, string>>;
  /** Undefined, with `problems` set, if an input is not valid. */
  readonly read: () => Record<string, unknown> | undefined;
  readonly fill: (args: Readonly<Record<string, unknown>>) => void;
}

/** A new schema makes a new form; inputs that fit are kept. */
export function createArgsForm(argsSchema: () => string): ArgsFormState {
  const schema = createMemo(argsSchema);
  const fields = createMemo(() => fieldsOf(schema()));
  const [wantsRaw, setWantsRaw] = createSignal(false);
  const [text, setText] = createSignal("{}");
  const [typed, setTyped] = createSignal<Readonly<Record<string, Draft>>>({});
  const [problems, setProblems] = createSignal<ReadonlyMap<string, string>>(new Map());
  const drafts = createMemo(() => ({ ...draftsOf(fields() ?? []), ...typed() }));
  const raw = () => wantsRaw() || fields() === undefined;
  const collected = (): Collected => collect(fields() ?? [], drafts());
  const fill = (args: Readonly<Record<string, unknown>>) => {
    setTyped(draftsOf(fields() ?? [], args));
    setText(JSON.stringify(args, null, 2));
    setProblems(new Map());
  };
  return {
    fields,
    why: () => whyJson(schema()),
    raw,
    text,
    setText,
    drafts,
    problems,
    fill,
    setDraft: (name, draft) => setTyped((before) => ({ ...before, [name]: draft })),
    setRaw: (next) => {
      if (next) setText(JSON.stringify(collected().args, null, 2));
      else {
        const found = parseArgs(text());
        if ("problem" in found) return void setProblems(new Map([["", found.problem]]));
        fill(found.args);
      }
      setProblems(new Map());
      setWantsRaw(next);
    },
    read: () => {
      if (raw()) {
        const found = parseArgs(text());
        setProblems(new Map("problem" in found ? [["", found.problem]] : []));
        return "args" in found ? found.args : undefined;
      }
      const { args, problems: found } = collected();
      setProblems(found);
      return found.size > 0 ? undefined : args;
    },
  };
}

export function ArgsForm(props: {
  readonly form: ArgsFormState;
  /** The server's problems by path, as in `problems`. */
  readonly refused: (path: string) => string | undefined;
}): JSX.Element {
  const problemOf = (path: string) => props.form.problems().get(path) ?? props.refused(path);
  return (
    <div class="form gear-args">
      <Show
        when={!props.form.raw()}
        fallback={
          <TextArea
            label="Arguments (JSON)"
            mono
            rows={6}
            value={props.form.text()}
            onInput={props.form.setText}
            problem={problemOf("")}
            hint={props.form.why()}
          />
        }
      >
        <Show
          when={props.form.fields()!.length > 0}
          fallback={<p class="muted small">This gear takes no arguments.</p>}
        >
          <For each={props.form.fields()}>
            {(field) => (
              <FieldInput
                field={field}
                path={field.name}
                draft={props.form.drafts()[field.name] ?? ""}
                onChange={(draft) => props.form.setDraft(field.name, draft)}
                problemOf={problemOf}
              />
            )}
          </For>
        </Show>
      </Show>
      <Show when={props.form.fields()}>
        <button
          type="button"
          class="btn small gear-args-switch"
          onClick={() => props.form.setRaw(!props.form.raw())}
        >
          {props.form.raw() ? <TextCursorInput aria-hidden="true" /> : <Braces aria-hidden="true" />}
          {props.form.raw() ? "Use form" : "Use JSON"}
        </button>
      </Show>
    </div>
  );
}

interface InputProps {
  readonly field: ArgField;
  readonly path: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly problemOf: (path: string) => string | undefined;
}

function FieldInput(props: InputProps): JSX.Element {
  const as = <K extends ArgField["kind"]>(kind: K) =>
    props.field.kind === kind ? (props.field as Extract<ArgField, { kind: K }>) : undefined;
  return (
    <Switch
      fallback={
        <SimpleInput
          field={props.field as SimpleField}
          label={labelOf(props.field)}
          draft={String(props.draft)}
          onChange={props.onChange}
          problem={props.problemOf(props.path)}
        />
      }
    >
      <Match when={as("group")}>{(group) => <GroupInput {...props} fields={group().fields} />}</Match>
      <Match when={as("list")}>{(list) => <ListInput {...props} item={list().item} />}</Match>
      <Match when={as("json")}>
        <TextArea
          label={`${labelOf(props.field)} (JSON)`}
          mono
          rows={3}
          value={String(props.draft)}
          onInput={props.onChange}
          hint={props.field.description}
          problem={props.problemOf(props.path)}
        />
      </Match>
    </Switch>
  );
}

function labelOf(field: ArgField): string {
  return field.required ? field.name : `${field.name} (optional)`;
}

function SimpleInput(props: {
  readonly field: SimpleField;
  readonly label: string;
  readonly draft: string;
  readonly onChange: (draft: string) => void;
  readonly problem: string | undefined;
}): JSX.Element {
  const field = () => props.field;
  const hint = () => props.field.description ?? limits(props.field);
  const choices = (): { value: string; label: string }[] => {
    const of = field();
    const known =
      of.kind === "choice"
        ? of.choices.map((choice, index) => ({ value: String(index), label: String(choice) }))
        : [
            { value: "true", label: "yes" },
            { value: "false", label: "no" },
          ];
    return [{ value: "", label: of.required && !of.nullable ? "Select" : "Not set" }, ...known];
  };
  return (
    <Switch>
      <Match when={field().kind === "choice" || field().kind === "boolean"}>
        <Select
          label={props.label}
          value={props.draft}
          choices={choices()}
          onChange={props.onChange}
          hint={hint()}
          problem={props.problem}
        />
      </Match>
      <Match when={isLong(field())}>
        <TextArea
          label={props.label}
          value={props.draft}
          onInput={props.onChange}
          mono
          rows={3}
          hint={hint()}
          problem={props.problem}
        />
      </Match>
      <Match when={true}>
        <TextInput
          label={props.label}
          value={props.draft}
          onInput={props.onChange}
          mono
          hint={hint()}
          problem={props.problem}
        />
      </Match>
    </Switch>
  );
}

function isLong(field: SimpleField): boolean {
  return field.kind === "text" && field.long;
}

function limits(field: SimpleField): string | undefined {
  if (field.kind === "text") return field.file ? "path of a workspace file" : undefined;
  if (field.kind !== "number") return undefined;
  const { min, max, whole } = field;
  const kind = whole ? "a whole number" : "a number";
  if (min !== undefined && max !== undefined) return `${kind}, ${min} to ${max}`;
  if (min !== undefined) return `${kind}, at least ${min}`;
  return max === undefined ? kind : `${kind}, at most ${max}`;
}

function GroupInput(props: InputProps & { readonly fields: readonly ArgField[] }): JSX.Element {
  const drafts = () => props.draft as Readonly<Record<string, Draft>>;
  return (
    <fieldset class="gear-args-group">
      <legend class="label">{labelOf(props.field)}</legend>
      <Show when={props.field.description}>
        <p class="small faint">{props.field.description}</p>
      </Show>
      <div class="form">
        <For each={props.fields}>
          {(field) => (
            <FieldInput
              field={field}
              path={`${props.path}.${field.name}`}
              draft={drafts()[field.name] ?? ""}
              onChange={(draft) => props.onChange({ ...drafts(), [field.name]: draft })}
              problemOf={props.problemOf}
            />
          )}
        </For>
      </div>
    </fieldset>
  );
}

function ListInput(props: InputProps & { readonly item: SimpleField }): JSX.Element {
  const items = () => (Array.isArray(props.draft) ? (props.draft as readonly string[]) : []);
  const put = (index: number, text: string) => props.onChange(items().with(index, text));
  return (
    <fieldset class="gear-args-group">
      <legend class="label">{labelOf(props.field)}</legend>
      <Show when={props.field.description}>
        <p class="small faint">{props.field.description}</p>
      </Show>
      <Show when={props.problemOf(props.path)}>
        {(problem) => (
          <p class="small gear-bad" role="alert">
            {problem()}
          </p>
        )}
      </Show>
      <div class="stack">
        <Index each={items()}>
          {(item, index) => (
            <div class="gear-args-item">
              <SimpleInput
                field={props.item}
                label={`${props.field.name} ${index + 1}`}
                draft={item()}
                onChange={(text) => put(index, text)}
                problem={props.problemOf(`${props.path}.${index}`)}
              />
              <IconButton
                label={`Remove ${props.field.name} ${index + 1}`}
                onClick={() => props.onChange(items().toSpliced(index, 1))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </div>
          )}
        </Index>
        <Button small onClick={() => props.onChange([...items(), ""])}>
          <Plus aria-hidden="true" />
          Add to {props.field.name}
        </Button>
      </div>
    </fieldset>
  );
}
