// Pieces that pages are made of: forms, fields, tables, times, sizes, empty lists. Every text that comes from a person or a document is isolated
// (`bdi`), so that its direction does not change its surroundings.

import type { ComponentChildren, VNode } from "preact";
import { visible, visibleInLine } from "../../kit/text/visible.ts";
import type { Failure } from "./failure.ts";
import { sizeInWords } from "../../kit/text/amounts.ts";
import { exactTimeText, timeText } from "./format.ts";
import type { Stranger } from "./visit.ts";

/** A form that changes something. */
export function FormTo(props: {
  visit: Pick<Stranger, "csrf">;
  action: string;
  class?: string;
  /** Scripts warn before typed text is lost. */
  guard?: boolean;
  children: ComponentChildren;
}): VNode {
  return (
    <form
      method="post"
      action={props.action}
      class={props.class}
      {...(props.guard === true ? { "data-guard": "" } : {})}
    >
      <input type="hidden" name="csrf" value={props.visit.csrf} />
      {props.children}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly type?: "text" | "password" | "date";
  readonly placeholder?: string;
  readonly hint?: string | undefined;
  /** A failure of this form: shown here if it is about this field. */
  readonly failure?: Failure | undefined;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly autoComplete?: "off" | "username" | "current-password" | "new-password";
  readonly maxLength?: number;
}

export function Field(props: FieldProps): VNode {
  const problem = problemAt(props.name, props.failure);
  const shared = {
    class: "input",
    id: `f-${props.name}`,
    name: props.name,
    value: props.value ?? "",
    required: props.required === true,
    autofocus: props.autoFocus === true,
    autocomplete: props.autoComplete ?? "off",
    placeholder: props.placeholder,
    ...(props.maxLength === undefined ? {} : { maxLength: props.maxLength }),
    spellcheck: false,
    dir: "auto" as const,
    ...describedBy(props.name, problem, props.hint),
  };
  return (
    <div class="field">
      <label for={`f-${props.name}`}>{props.label}</label>
      {props.type === "password" ? (
        <input type="password" {...shared} />
      ) : props.type === "date" ? (
        <input type="date" {...shared} />
      ) : (
        <input type="text" {...shared} />
      )}
      <Below name={props.name} problem={problem} hint={props.hint} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly hint?: string;
  readonly failure?: Failure | undefined;
}

export function Choice(props: ChoiceProps): VNode {
  const problem = problemAt(props.name, props.failure);
  return (
    <div class="field">
      <label for={`f-${props.name}`}>{props.label}</label>
      <select
        class="input"
        id={`f-${props.name}`}
        name={props.name}
        {...describedBy(props.name, problem, props.hint)}
      >
        {props.options.map(({ value, label }) => (
          <option value={value} selected={value === props.value}>
            {label}
          </option>
        ))}
      </select>
      <Below name={props.name} problem={problem} hint={props.hint} />
    </div>
  );
}

export interface OptionsProps extends Omit<ChoiceProps, "options" | "hint"> {
  readonly options: readonly { readonly value: string; readonly label: string; readonly note: string }[];
}

/** A choice whose options need a sentence each, which a list that opens would cut. */
export function Options({ label, name, value, options, failure }: OptionsProps): VNode {
  const problem = problemAt(name, failure);
  return (
    <fieldset class="console-options" {...describedBy(name, problem, undefined)}>
      <legend class="label">{label}</legend>
      {options.map((one) => (
        <label class="check">
          <input type="radio" name={name} value={one.value} checked={one.value === value} />
          <span>
            {one.label}
            <br />
            <span class="muted small">{one.note}</span>
          </span>
        </label>
      ))}
      {problem !== undefined && (
        <div class="field">
          <Below name={name} problem={problem} hint={undefined} />
        </div>
      )}
    </fieldset>
  );
}

function problemAt(name: string, failure: Failure | undefined): string | undefined {
  return failure?.field === name ? failure.text : undefined;
}

function describedBy(name: string, problem: string | undefined, hint: string | undefined) {
  const isNoted = problem !== undefined || hint !== undefined;
  return {
    ...(problem === undefined ? {} : { "aria-invalid": "true" as const }),
    ...(isNoted ? { "aria-describedby": `f-${name}-note` } : {}),
  };
}

function Below(props: { name: string; problem: string | undefined; hint: string | undefined }): VNode | null {
  const { name, problem, hint } = props;
  if (problem === undefined && hint === undefined) return null;
  return (
    <p id={`f-${name}-note`} class={problem === undefined ? "hint" : `problem ${sentenceClass(problem)}`}>
      {problem ?? hint}
    </p>
  );
}

/** Errors begin in lower case. The page shows a capital, except where the first word may be a name. */
export function sentenceClass(text: string): string {
  return /^[a-z]+[ ,](?!\(|[^:]*[./][^:]*: )/.test(text) ? "console-sentence" : "";
}

/** A failure that belongs to no field of the form. `fields`: those that show their own. */
export function Problem({
  failure,
  fields = [],
}: {
  failure: Failure | undefined;
  fields?: readonly string[];
}) {
  if (!failure || (failure.field !== undefined && fields.includes(failure.field))) return null;
  return (
    <div class="console-problem" role="alert">
      <p class={sentenceClass(failure.sentence)}>{visible(failure.sentence)}</p>
    </div>
  );
}

/** A table that scrolls sideways in a narrow window. `false` stands for a column that no row fills. */
export function Table(props: {
  label: string;
  head: readonly (string | false | { readonly label: string; readonly class: string })[];
  children: ComponentChildren;
}): VNode {
  return (
    <div class="console-table" role="region" aria-label={props.label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {props.head.map((one) =>
              one === false ? null : typeof one === "string" ? (
                <th scope="col">{one === "" ? <span class="visually-hidden">Actions</span> : one}</th>
              ) : (
                <th scope="col" class={one.class}>
                  {one.label}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <div class="console-empty">{children}</div>;
}

/** Links to the next page of a list, and back to its beginning. */
export function Pager({
  first,
  next,
}: {
  first?: string | undefined;
  next?: string | undefined;
}): VNode | null {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="console-pager" aria-label="Pages">
      {first !== undefined && (
        <a class="btn" href={first}>
          First page
        </a>
      )}
      {next !== undefined && (
        <a class="btn" href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

/** RFC 3339, or nothing. Shown in UTC, because the server does not know the reader's zone; scripts show the local time. */
export function Time({ at }: { at: string | null }): VNode {
  if (at === null) return <span class="muted">never</span>;
  return <time dateTime={at}>{timeText(at)}</time>;
}

/** To the second, for lists in which much happens in one minute. */
export function ExactTime({ at }: { at: string }): VNode {
  return (
    <time dateTime={at} data-exact>
      {exactTimeText(at)}
    </time>
  );
}

export function Size({ bytes }: { bytes: number }): VNode {
  return <span title={`${bytes} bytes`}>{sizeInWords(bytes)}</span>;
}

/** A name of a person, a file or a space, on one line. */
export function Name({ children }: { children: string }): VNode {
  return <bdi>{visibleInLine(children)}</bdi>;
}

/** A number with its label, in a row of them. */
export function Figure({ label, children }: { label: string; children: ComponentChildren }): VNode {
  return (
    <div class="console-figure">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** How much of a disk is free. */
export function DiskFigure({ disk: { free, total } }: { disk: { free: number; total: number } }): VNode {
  return (
    <Figure label="Disk free">
      {sizeInWords(free)} <span class="console-of">of {sizeInWords(total)}</span>
    </Figure>
  );
}

/** Text exactly as it is. */
export function Raw({ text, label }: { text: string; label: string }): VNode {
  return (
    <pre class="console-raw" tabIndex={0} aria-label={label} dir="auto">
      {visible(text)}
    </pre>
  );
}

/** One complete command. Scripts add a button that copies it. */
export function Command({ text }: { text: string }): VNode {
  return (
    <code class="console-secret console-command" data-copy>
      {visibleInLine(text)}
    </code>
  );
}
