// My account: what the signed-in person may do, their password, their tokens.

import type { VNode } from "preact";
import type { Token } from "../../people/schema.ts";
import type { Failure } from "../failure.ts";
import { Field, Figure, FormTo, Problem } from "../pieces.tsx";
import type { Visit } from "../visit.ts";
import { TokenTable } from "./tokens.tsx";

interface AccountProps {
  readonly visit: Visit;
  readonly tokens: readonly Token[];
  readonly failure: Failure | undefined;
}

export const ACCOUNT = "/console/account";

export function AccountBody({ visit, tokens, failure }: AccountProps): VNode {
  const spaces = visit.caller.rights.spaces();
  return (
    <div class="console-stack">
      <dl class="console-figures">
        <Figure label="Role">{visit.caller.rights.role}</Figure>
        <Figure label="Spaces">
          {spaces === null ? "all" : spaces.length === 0 ? "none" : spaces.join(", ")}
        </Figure>
      </dl>
      <section class="console-stack" aria-labelledby="password">
        <h2 id="password">Password</h2>
        <FormTo visit={visit} action={`${ACCOUNT}/password`} class="form console-form">
          <Problem failure={failure} fields={["current", "password"]} />
          <Field
            label="Current password"
            name="current"
            type="password"
            required
            autoComplete="current-password"
            failure={failure}
          />
          <Field
            label="New password"
            name="password"
            type="password"
            required
            autoComplete="new-password"
            hint="At least 8 characters. Your other sessions end."
            failure={failure}
          />
          <div class="actions">
            <button class="btn primary">Change password</button>
          </div>
        </FormTo>
      </section>
      <section class="console-stack" aria-labelledby="tokens">
        <h2 id="tokens">Your tokens</h2>
        <TokenTable tokens={tokens} base={`${ACCOUNT}/tokens`} />
        <div class="console-bar">
          {tokens.length > 0 && (
            <a class="btn danger" href={`${ACCOUNT}/tokens/revoke`}>
              Revoke all
            </a>
          )}
          <p class="muted">
            Sign in on another machine with <code>cairn auth login</code>. An admin creates tokens for
            programs.
          </p>
        </div>
      </section>
    </div>
  );
}
