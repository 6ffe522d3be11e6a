// A form that came too late: its session had ended, or another one began meanwhile. Nothing was changed. The person looks at what they typed and
// sends it again.

import type { VNode } from "preact";
import type { Form } from "../form.ts";
import { Field, FormTo, Raw } from "../pieces.tsx";

/** The names below which the form for signing in carries the fields of the other one. */
const KEPT = "kept ";
/** The address that the form is sent to. */
const AGAIN = "again";
/** Of a page, not of what was typed. */
const CSRF = "csrf";

/** A form that a person worked on, and where it goes. */
export interface Late {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Undefined for a form that is quickly filled in again, or that only confirms something. */
export function lateForm(action: string, form: Form): Late | undefined {
  if (!form.has("content") && !form.has("rows")) return undefined;
  return { action, fields: form.entries().filter(([name]) => name !== CSRF) };
}

/** Undefined unless the form for signing in carries one. Raises nothing: anything can be sent again, and is refused then. */
export function carriedForm(form: Form): Late | undefined {
  const action = form.text(AGAIN);
  if (!/^\/console\/[\x21-\x7e]*$/.test(action)) return undefined;
  const kept = form.entries().filter(([name]) => name.startsWith(KEPT));
  return { action, fields: kept.map(([name, value]) => [name.slice(KEPT.length), value]) };
}

/** Signs in and comes back to `late`. */
export function SignInAgainBody({ csrf, late }: { csrf: string; late: Late }): VNode {
  return (
    <FormTo visit={{ csrf }} action="/console/login" class="form">
      <p>Your session has ended, so nothing was saved yet. Sign in to continue editing.</p>
      <Field label="Name" name="name" required autoFocus autoComplete="username" />
      <Field label="Password" name="password" type="password" required autoComplete="current-password" />
      <CarriedFields late={late} />
      <div class="actions">
        <button class="btn primary">Sign in</button>
      </div>
      <Typed late={late} />
    </FormTo>
  );
}

/** In the form for signing in, also when the password was wrong. */
export function CarriedFields({ late: { action, fields } }: { late: Late }): VNode {
  return (
    <>
      <input type="hidden" name={AGAIN} value={action} />
      {fields.map(([name, value]) => (
        <Hidden name={KEPT + name} value={value} />
      ))}
    </>
  );
}

/** `csrf`: of the present session. */
export function RepeatBody({ csrf, late }: { csrf: string; late: Late }): VNode {
  return (
    <FormTo visit={{ csrf }} action={late.action} class="form console-form wide">
      <p>Nothing was changed yet. Check your input, then send it again.</p>
      <Typed late={late} />
      {late.fields.map(([name, value]) => (
        <Hidden name={name} value={value} />
      ))}
      <div class="actions">
        <a class="btn" href="/console">
          Cancel
        </a>
        <button class="btn primary">Send again</button>
      </div>
    </FormTo>
  );
}

/** A browser keeps no line end in a field of one line, so texts travel in areas. */
function Hidden({ name, value }: { name: string; value: string }): VNode {
  if (!value.includes("\n")) return <input type="hidden" name={name} value={value} />;
  return (
    <textarea name={name} hidden>
      {`\n${value}`}
    </textarea>
  );
}

function Typed({ late: { fields } }: { late: Late }): VNode {
  const text = fields.find(([name]) => name === "content")?.[1];
  const shown = text ?? fields.map(([name, value]) => `${name}: ${value}`).join("\n");
  return <Raw text={shown} label="What you typed" />;
}
