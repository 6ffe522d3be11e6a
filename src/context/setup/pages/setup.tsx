// The pages of the setup.

import type { ComponentChildren, VNode } from "preact";
import type { Failure } from "../../console/failure.ts";
import { Field, FormTo, Name, Options, Problem, type OptionsProps } from "../../console/pieces.tsx";
import type { Stranger } from "../../console/visit.ts";
import type { Listen } from "../setup.ts";

interface Shared {
  readonly visit: Stranger;
  readonly failure: Failure | undefined;
}

const STEPS = ["Address", "First admin", "First space", "Review"] as const;

function Step(
  props: Shared & {
    at: number;
    action: string;
    fields: readonly string[];
    button: string;
    children: ComponentChildren;
  },
) {
  const { at, visit, action, fields, failure, button, children } = props;
  return (
    <>
      <ol class="console-steps" aria-label="Steps">
        {STEPS.map((step, index) => (
          <li aria-current={index === at ? "step" : undefined}>
            {index + 1}. {step}
          </li>
        ))}
      </ol>
      <FormTo visit={visit} action={action} class="form">
        <Problem failure={failure} fields={fields} />
        {children}
        <div class="actions">
          {at > 0 && (
            <a class="btn" href={["/setup/address", "/setup/admin", "/setup/space"][at - 1]!}>
              Back
            </a>
          )}
          <button class="btn primary">{button}</button>
        </div>
      </FormTo>
    </>
  );
}

export function CodeBody({ visit, code, failure }: Shared & { code: string }): VNode {
  return (
    <FormTo visit={visit} action="/setup/code" class="form">
      <p>The terminal that started this server shows a code. It proves that you are the operator.</p>
      <Problem failure={failure} fields={["code"]} />
      <Field label="Code" name="code" value={code} required autoFocus failure={failure} />
      <div class="actions">
        <button class="btn primary">Continue</button>
      </div>
    </FormTo>
  );
}

export function AddressBody({ visit, host, port, failure }: Shared & { host: string; port: string }): VNode {
  const isHere = host === "127.0.0.1";
  return (
    <Step
      visit={visit}
      failure={failure}
      at={0}
      action="/setup/address"
      fields={["address", "port"]}
      button="Continue"
    >
      <fieldset class="console-options">
        <legend class="label">Who can reach the server</legend>
        <label class="check">
          <input type="radio" name="reach" value="here" checked={isHere} />
          <span>
            Programs on this machine only
            <br />
            <span class="muted small">A reverse proxy on this machine can publish it later.</span>
          </span>
        </label>
        <label class="check">
          <input type="radio" name="reach" value="network" checked={!isHere} />
          <span>
            Other machines too, at an address of this machine
            <br />
            <span class="muted small">Without TLS, others on the network can read passwords.</span>
          </span>
        </label>
      </fieldset>
      <Field
        label="Address for other machines"
        name="address"
        value={isHere ? "" : host}
        hint="For example, 192.168.1.20, or :: for all addresses"
        failure={failure}
      />
      <Field label="Port" name="port" value={port} required failure={failure} />
    </Step>
  );
}

export function AdminBody({ visit, name, failure }: Shared & { name: string }): VNode {
  return (
    <Step
      visit={visit}
      failure={failure}
      at={1}
      action="/setup/admin"
      fields={["name", "password", "repeated"]}
      button="Continue"
    >
      <Field
        label="Your name"
        name="name"
        value={name}
        required
        autoFocus
        autoComplete="username"
        failure={failure}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        required
        autoComplete="new-password"
        hint="At least 8 characters"
        failure={failure}
      />
      <Field
        label="The password again"
        name="repeated"
        type="password"
        required
        autoComplete="new-password"
        failure={failure}
      />
    </Step>
  );
}

interface SpaceProps extends Shared {
  readonly name: string;
  readonly template: string;
  readonly templates: OptionsProps["options"];
}

export function SpaceBody({ visit, name, template, templates, failure }: SpaceProps): VNode {
  return (
    <Step
      visit={visit}
      failure={failure}
      at={2}
      action="/setup/space"
      fields={["space", "template"]}
      button="Continue"
    >
      <p class="muted">A space holds documents with all their versions. You can add more later.</p>
      <Field
        label="Name"
        name="space"
        value={name}
        required
        hint="Lower-case letters, digits and hyphens"
        failure={failure}
      />
      <Options label="Template" name="template" value={template} options={templates} failure={failure} />
    </Step>
  );
}

interface ReviewProps extends Shared {
  readonly admin: string;
  readonly space: { readonly name: string; readonly template: string };
  readonly listen: Listen;
  /** The number of changes when the page was made: newer answers are not used. */
  readonly changes: number;
}

export function ReviewBody({ visit, admin, space, listen, changes, failure }: ReviewProps): VNode {
  return (
    <Step
      visit={visit}
      failure={failure}
      at={3}
      action="/setup/review"
      fields={[]}
      button="Create the server"
    >
      <input type="hidden" name="changes" value={String(changes)} />
      <dl class="console-review">
        <dt>Address</dt>
        <dd>
          {listen.host}, port {listen.port}
        </dd>
        <dt>Admin</dt>
        <dd>
          <Name>{admin}</Name>
        </dd>
        <dt>Space</dt>
        <dd>
          {space.name}, template {space.template}
        </dd>
      </dl>
    </Step>
  );
}

/** `urls`: the one for this browser first. */
export function DoneBody({ urls: [here = "", ...others] }: { urls: readonly string[] }): VNode {
  return (
    <div class="console-stack">
      <p>
        The server moves to its new address now. Sign in there, with the name and password that you chose.
      </p>
      <p>
        <a class="btn primary" href={here}>
          {here}
        </a>
      </p>
      {others.length > 0 && (
        <>
          <p>Other machines reach it at:</p>
          <ul>
            {others.map((url) => (
              <li>
                <a href={url}>{url}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** For a tab that is left over: somebody finished the setup, maybe in another tab. */
export function OverBody({ server }: { server: string }): VNode {
  return (
    <div class="console-stack">
      <p>Its first admin exists, so the setup is over. This page changed nothing.</p>
      <p>
        <a class="btn primary" href={`${server}/console/login`}>
          Sign in
        </a>
      </p>
    </div>
  );
}
