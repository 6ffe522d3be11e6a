// The tokens of a person: a list, and the form for a new one.

import type { VNode } from "preact";
import type { Token } from "../../people/schema.ts";
import type { Failure } from "../failure.ts";
import { Empty, Field, FormTo, Name, Problem, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

const KINDS: Readonly<Record<Token["kind"], string>> = {
  token: "",
  bootstrap: "From setup",
  session: "From a login",
};

/** `base`: the address below which tokens are revoked. */
export function TokenTable({ tokens, base }: { tokens: readonly Token[]; base: string }): VNode {
  if (tokens.length === 0)
    return (
      <Empty>
        <p>No valid tokens. Programs and the command line sign in with a token.</p>
      </Empty>
    );
  return (
    <Table label="All tokens" head={["Label", "Created", "Last used", "Expires", ""]}>
      {tokens.map((one) => (
        <tr>
          <td class="wide">
            {one.label === "" ? <span class="muted">token {one.id}</span> : <Name>{one.label}</Name>}{" "}
            {one.kind !== "token" && <span class="console-badge plain">{KINDS[one.kind]}</span>}
          </td>
          <td class="tight" data-label="Created:">
            <Time at={one.created_at} />
          </td>
          <td class="tight" data-label="Last used:">
            <Time at={one.last_used_at} />
          </td>
          <td class="tight" data-label="Expires:">
            <Time at={one.expires_at} />
          </td>
          <td class="number">
            <a
              class="btn small danger"
              href={`${base}/${one.id}/revoke`}
              aria-label={`Revoke ${one.label === "" ? `token ${one.id}` : one.label}`}
            >
              Revoke
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface NewTokenProps {
  readonly visit: Visit;
  readonly action: string;
  readonly label: string;
  readonly days: string;
  readonly failure: Failure | undefined;
}

export function NewTokenForm({ visit, action, label, days, failure }: NewTokenProps): VNode {
  return (
    <FormTo visit={visit} action={action} class="form console-form">
      <Problem failure={failure} fields={["label", "days"]} />
      <Field
        label="Label"
        name="label"
        value={label}
        hint="For example, a machine's name."
        failure={failure}
      />
      <Field
        label="Days until it expires"
        name="days"
        value={days}
        hint="Empty: the token does not expire."
        failure={failure}
      />
      <div class="actions">
        <button class="btn primary">Create a token</button>
      </div>
    </FormTo>
  );
}
