// Explains the approval of a gear on this server, with the hash that it covers and the time limit. The card in the review makes the decision.

import { AUTH_NAMES } from "../../parts/gear/auth-names.ts";
import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { callersText } from "../../parts/approval/callers.ts";
import { approvalsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { decide } from "../../parts/gear/gear-queries.ts";
import { ApprovalMeaning, spacedHash } from "../../parts/gear/gear-words.tsx";

export function DecideGear(props: { readonly gear: GearDetail }): JSX.Element {
  return (
    <section class="section" aria-labelledby="gear-decide">
      <h2 id="gear-decide">What approval means</h2>
      <div class="stack gear-decide">
        <ApprovalMeaning gear={props.gear} />
        <Callers gear={props.gear} />
        <div class="row muted">
          <span class="mono" title={props.gear.content_hash}>
            sha256 {spacedHash(props.gear.content_hash)}
          </span>
          <CopyButton text={props.gear.content_hash} label="Copy hash" />
        </div>
        <Approved gear={props.gear} />
        <Show
          when={isAdmin()}
          fallback={<p class="muted small">Only admins can approve and disable gears and set time limits.</p>}
        >
          <TimeLimit gear={props.gear} />
        </Show>
      </div>
    </section>
  );
}

/** Read from the pending approval, which only people who decide on gears receive. */
function Callers(props: { readonly gear: GearDetail }): JSX.Element {
  const approvals = approvalsQuery();
  const callers = () =>
    props.gear.status === "pending"
      ? approvals.data()?.find(({ kind, id }) => kind === "gear" && id === props.gear.id)?.callers
      : undefined;
  return <Show when={callers()}>{(known) => <p class="muted">{callersText(known())}</p>}</Show>;
}

function Approved(props: { readonly gear: GearDetail }): JSX.Element {
  return (
    <Show when={props.gear.status === "approved" && props.gear.approval}>
      {(approval) => (
        <p>
          Approved by <bdi>{approval().user}</bdi> ({AUTH_NAMES[approval().auth]}),{" "}
          <Time time={approval().time} relative />.
        </p>
      )}
    </Show>
  );
}

function TimeLimit(props: { readonly gear: GearDetail }): JSX.Element {
  const [seconds, setSeconds] = createSignal(String(props.gear.timeout_seconds));
  const saved = () => String(props.gear.timeout_seconds);
  // Follows another admin, unless it was edited here.
  createEffect(on(saved, (now, before) => before !== undefined && seconds() === before && setSeconds(now)));
  const saving = createSubmission(["timeout_seconds"], () => {
    const timeout_seconds = Number(seconds());
    return decide(props.gear, { timeout_seconds });
  });
  const changed = () => seconds().trim() !== saved();
  guardLeaving(changed);
  return (
    <form class="gear-limit" onSubmit={(event) => void saving.submit(event)}>
      <TextInput
        label="Time limit (seconds)"
        type="number"
        value={seconds()}
        onInput={setSeconds}
        problem={saving.of("timeout_seconds")}
        hint="1 to 600. A run that takes longer is killed."
      />
      <Show when={changed()}>
        <Button type="submit" busy={saving.busy()} disabled={saving.wait() > 0}>
          Save limit
        </Button>
      </Show>
      <FormProblem form={saving} />
    </form>
  );
}
