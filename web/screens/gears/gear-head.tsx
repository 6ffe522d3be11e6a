// A gear's name, origin and bindings.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Show } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { createQuery } from "../../api/query.ts";
import { NameList, Time } from "../../kit/pieces.tsx";
import { narrow } from "../../kit/screen.ts";
import { workspacesQuery } from "../../state/lists.ts";
import { readPlaces } from "../../parts/gear/gear-queries.ts";
import { RUNTIME_NAMES, StatusTag } from "../../parts/gear/gear-words.tsx";

const BOUND_SHOWN_MAX = 3;

/** The workspace where the gear was forged, and the agents there that it is bound to. */
function createOrigin(props: { readonly gear: GearDetail }) {
  const workspaces = workspacesQuery();
  /** Undefined if this person cannot see it. */
  const home = createMemo(
    () => workspaces.data()?.find(({ id }) => id === props.gear.workspace_id),
    undefined,
    {
      equals: (a, b) => a?.id === b?.id && a?.name === b?.name,
    },
  );
  const places = createQuery(() => {
    const workspace = home();
    return workspace
      ? {
          key: ["gears", "places", props.gear.id, workspace.id],
          read: () => readPlaces(props.gear.id, workspace),
        }
      : undefined;
  });
  const bound = () => (places.data() ?? []).map(({ agent }) => agent ?? "all agents");
  return { home, bound };
}

export function GearHead(props: { readonly gear: GearDetail }): JSX.Element {
  const { home, bound } = createOrigin(props);
  return (
    <header class="gear-head">
      <h1>{props.gear.name}</h1>
      <Show when={narrow()}>
        <StatusTag gear={props.gear} version />
      </Show>
      <p class="muted">
        {RUNTIME_NAMES[props.gear.runtime]}
        {" · "}
        <Show
          when={props.gear.forged_by}
          fallback={
            <>
              by <bdi>{props.gear.author}</bdi>
            </>
          }
        >
          {(agent) => (
            <>
              forged by <bdi>{agent()}</bdi>
              <Show when={home()}>
                {(workspace) => (
                  <>
                    {" in "}
                    <A href={`/workspaces/${workspace().id}`}>
                      <bdi>{workspace().display_name}</bdi>
                    </A>
                  </>
                )}
              </Show>
            </>
          )}
        </Show>
        , <Time time={props.gear.updated_at} relative />
        <Show when={bound().length > 0}>
          {" · bound to "}
          <NameList names={bound().slice(0, BOUND_SHOWN_MAX)} />
          {bound().length > BOUND_SHOWN_MAX ? ` and ${bound().length - BOUND_SHOWN_MAX} more` : ""}
        </Show>
      </p>
      <Show when={props.gear.description}>
        <p class="gear-description" dir="auto" title={props.gear.description}>
          {props.gear.description}
        </p>
      </Show>
    </header>
  );
}
