// Leads from a version to the turn that wrote it.

import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { useHere } from "../../state/here.ts";

/** Nothing for a version that no agent of this workspace wrote. */
export function TurnLink(props: { readonly turnId: number | null; readonly before?: string }): JSX.Element {
  const here = useHere();
  return (
    <Show when={props.turnId}>
      {(turn) => (
        <>
          {props.before}
          <A href={`/workspaces/${here.id}/activity?turn=${turn()}`}>turn {turn()}</A>
        </>
      )}
    </Show>
  );
}
