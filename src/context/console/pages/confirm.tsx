// Asks before something that cannot be taken back, or that other people notice.

import type { ComponentChildren, VNode } from "preact";
import type { Failure } from "../failure.ts";
import { Field, FormTo, Problem } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

interface ConfirmProps {
  readonly visit: Visit;
  /** Takes the form. */
  readonly action: string;
  /** Says what will happen. */
  readonly children: ComponentChildren;
  readonly button: string;
  /** The page to go to instead. */
  readonly back: string;
  /** The text to type, if a click is not enough. */
  readonly typed?: string | undefined;
  readonly failure?: Failure | undefined;
  /** Sent along. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** It loses nothing. */
  readonly isHarmless?: boolean;
}

export function ConfirmBody(props: ConfirmProps): VNode {
  const { visit, action, children, button, back, typed, failure, hidden = {}, isHarmless = false } = props;
  return (
    <FormTo visit={visit} action={action} class="form console-form">
      <Problem failure={failure} fields={typed === undefined ? [] : ["confirm"]} />
      {children}
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {typed !== undefined && (
        <Field label={`Type ${typed} to confirm`} name="confirm" required autoFocus failure={failure} />
      )}
      <div class="actions">
        <a class="btn" href={back}>
          Cancel
        </a>
        <button class={isHarmless ? "btn primary" : "btn danger primary"}>{button}</button>
      </div>
    </FormTo>
  );
}
