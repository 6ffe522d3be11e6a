// Verifies the audit on the server and shows the result: intact, or the first broken record.

import CircleCheck from "lucide-solid/icons/circle-check";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, type JSX, Show } from "solid-js";
import type { Static } from "@sinclair/typebox";
import type { AuditVerification } from "../../../src/service/audit/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { plural, shortHash } from "../../kit/format.ts";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { CopyButton, Time } from "../../kit/pieces.tsx";

type Result = Static<typeof AuditVerification> & { readonly at: string };

export function Verification(props: { readonly onShow: (seq: number) => void }): JSX.Element {
  const [result, setResult] = createSignal<Result>();
  const sent = createSubmission([], async () => {
    setResult({ ...(await take(api.audit.verify.get())), at: new Date().toISOString() });
  });
  return (
    <div class="audit-verification">
      <Button busy={sent.busy()} onClick={() => void sent.submit()}>
        Verify
      </Button>
      <div class="audit-result" role="status">
        <Show
          when={!sent.problem() && result()}
          fallback={<Unverified hidden={sent.problem() !== undefined} />}
        >
          {(found) => (
            <Show when={found().ok} fallback={<Broken result={found()} onShow={props.onShow} />}>
              <div class="row audit-holds">
                <CircleCheck size={16} aria-hidden="true" />
                <span>
                  <strong>The chain is intact.</strong> {plural(found().entries, "record")}, verified{" "}
                  <Time time={found().at} relative />.
                </span>
                <span class="row small muted">
                  Last hash <code title={`sha256 ${found().head}`}>{shortHash(found().head)}</code>
                  <CopyButton text={found().head} label="Copy last hash" />
                </span>
              </div>
            </Show>
          )}
        </Show>
      </div>
      <FormProblem form={sent} />
    </div>
  );
}

function Unverified(props: { readonly hidden: boolean }): JSX.Element {
  return (
    <Show when={!props.hidden}>
      <span class="muted">Recomputes every hash and compares the last one with the stored anchor.</span>
    </Show>
  );
}

function Broken(props: { readonly result: Result; readonly onShow: (seq: number) => void }): JSX.Element {
  return (
    <div class="notice bad">
      <TriangleAlert aria-hidden="true" />
      <div>
        <strong>The chain is broken at record {props.result.broken_at}:</strong> {props.result.problem}.
        Before it, {plural(props.result.entries, "record is", "records are")} intact. Someone changed the
        database directly, or restored a copy of it.
      </div>
      <Show when={props.result.broken_at}>
        {(seq) => (
          <Button small onClick={() => props.onShow(seq())}>
            Show record {seq()}
          </Button>
        )}
      </Show>
    </div>
  );
}
