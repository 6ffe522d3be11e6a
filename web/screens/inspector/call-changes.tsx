// The differences between the prompt of a model call and the previous one.

import { type JSX, Show } from "solid-js";
import type { Call } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { PromptChanges } from "../../kit/prompt-changes.tsx";
import { Loaded, Skeleton } from "../../kit/states.tsx";
import type { CallContext } from "./previous-call.ts";
import { useSourceOf } from "./sources.ts";

export function CallChanges(props: {
  readonly call: Call;
  readonly context: CallContext | undefined;
}): JSX.Element {
  const sourceOf = useSourceOf();
  const diff = createQuery(() => {
    const from = props.context?.previous?.id;
    const to = props.call.id;
    return from === undefined
      ? undefined
      : {
          key: ["call-diff", from, to],
          read: () => take(api.calls({ id: from }).diff.get({ query: { to } })),
        };
  });
  return (
    <Show when={props.context} fallback={<Skeleton />}>
      {(context) => (
        <Show
          when={context().previous}
          fallback={
            <p class="muted">This is the agent's first model call, so there is nothing to compare it with.</p>
          }
        >
          <Loaded query={diff} what="model call">
            {(found) => <PromptChanges diff={found()} sourceOf={sourceOf} />}
          </Loaded>
        </Show>
      )}
    </Show>
  );
}
