// One user with their tokens.

import type { VNode } from "preact";
import type { SeenUser, Token } from "../../people/schema.ts";
import type { Failure } from "../failure.ts";
import { userPath } from "../user-addresses.ts";
import type { Visit } from "../visit.ts";
import { NewTokenForm, TokenTable } from "./tokens.tsx";
import { UserFacts } from "./users.tsx";

interface UserProps {
  readonly visit: Visit;
  readonly user: SeenUser;
  readonly rules: number;
  readonly tokens: readonly Token[];
  readonly form: { readonly label: string; readonly days: string; readonly failure: Failure } | undefined;
}

export function UserBody({ visit, user, rules, tokens, form }: UserProps): VNode {
  const base = userPath(user.name, "/tokens");
  return (
    <div class="console-stack">
      <UserFacts visit={visit} user={user} rules={rules} />
      <section class="console-stack" aria-labelledby="tokens">
        <h2 id="tokens">Tokens</h2>
        <TokenTable tokens={tokens} base={base} />
        {tokens.length > 1 && (
          <div class="console-bar">
            <a class="btn danger" href={`${base}/revoke`}>
              Revoke all
            </a>
          </div>
        )}
      </section>
      <section class="console-stack" aria-labelledby="new-token">
        <h2 id="new-token">Create a token</h2>
        {user.disabled ? (
          <p class="muted">A disabled user gets no tokens. Enable the user first.</p>
        ) : (
          <NewTokenForm
            visit={visit}
            action={base}
            label={form?.label ?? ""}
            days={form?.days ?? ""}
            failure={form?.failure}
          />
        )}
      </section>
    </div>
  );
}
