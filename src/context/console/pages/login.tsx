// Signing in: a name and a password.

import type { VNode } from "preact";
import type { Failure } from "../failure.ts";
import { Field, FormTo, Problem } from "../pieces.tsx";
import type { Stranger } from "../visit.ts";
import { CarriedFields, type Late } from "./repeat.tsx";

interface LoginForm {
  readonly name: string;
  /** The page to open then. */
  readonly next: string;
  /** Typed before the session ended. */
  readonly late?: Late | undefined;
  readonly failure?: Failure | undefined;
}

export function LoginBody({ visit, form }: { visit: Stranger; form: LoginForm }): VNode {
  return (
    <FormTo visit={visit} action="/console/login" class="form">
      <Problem failure={form.failure} />
      <Field label="Name" name="name" value={form.name} required autoFocus autoComplete="username" />
      <Field label="Password" name="password" type="password" required autoComplete="current-password" />
      <input type="hidden" name="next" value={form.next} />
      {form.late && <CarriedFields late={form.late} />}
      <div class="actions">
        <button class="btn primary">Sign in</button>
      </div>
      <p class="hint muted small">
        An account without a password cannot sign in here. An admin sets one with{" "}
        <code>cairn user password &lt;name&gt;</code>.
      </p>
    </FormTo>
  );
}
