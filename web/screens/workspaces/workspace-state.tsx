// The state of a workspace, as tags beside its name: running, waiting, queued, pending approvals.

import { type JSX, Show } from "solid-js";
import type { WorkspaceActivity } from "../../../src/service/overview/schema.ts";
import { count } from "../../kit/format.ts";

export function WorkspaceTags(props: { readonly activity: WorkspaceActivity | undefined }): JSX.Element {
  const turn = () => props.activity?.turn;
  const approvals = () => props.activity?.approvals ?? 0;
  const queued = () => props.activity?.queued ?? 0;
  return (
    <>
      <Show when={turn()?.status === "running"}>
        <span class="tag ok">
          <i class="dot busy" aria-hidden="true" />
          running
        </span>
      </Show>
      <Show when={turn()?.status === "waiting" && approvals() === 0}>
        <span class="tag wait" title="A turn waits for another person">
          waiting
        </span>
      </Show>
      <Show when={approvals() > 0}>
        <span class="tag wait" title="Approvals that you may decide">
          {count(approvals())} pending
        </span>
      </Show>
      <Show when={queued() > 0}>
        <span class="tag">{count(queued())} queued</span>
      </Show>
    </>
  );
}
