// One gear: review, code, runs and versions, each with its address.

import { A, useNavigate, useParams } from "@solidjs/router";
import Ellipsis from "lucide-solid/icons/ellipsis";
import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { plural } from "../../kit/format.ts";
import { type Action, Menu } from "../../kit/menu.tsx";
import { narrow } from "../../kit/screen.ts";
import { Empty, Loaded } from "../../kit/states.tsx";
import { attempt, tell } from "../../kit/toast.tsx";
import { isAdmin } from "../../state/session.ts";
import { Code } from "./code.tsx";
import { gearQuery, type Place, readPlaces } from "../../parts/gear/gear-queries.ts";
import { StatusTag } from "../../parts/gear/gear-words.tsx";
import { Review } from "./review.tsx";
import { Runs } from "./runs.tsx";
import { Versions } from "./versions.tsx";
import "./gears.css";

const TABS = [
  ["review", "Review"],
  ["code", "Code"],
  ["runs", "Runs"],
  ["versions", "Versions"],
] as const;

export function Gear(): JSX.Element {
  const params = useParams<{ id: string }>();
  const id = createMemo(() => Number(params.id));
  return (
    <Show when={id()} keyed>
      {(gearId) => <OneGear id={gearId} />}
    </Show>
  );
}

function OneGear(props: { readonly id: number }): JSX.Element {
  const params = useParams<{ tab?: string }>();
  const navigate = useNavigate();
  const query = gearQuery(() => props.id);
  const unnamed = () => (query.problem()?.code === "not_found" ? "Not found" : "…");
  const tab = () => params.tab ?? "review";
  useCrumbs(
    () => [{ name: "Gears", path: "/gears" }, { name: query.data()?.name ?? unnamed() }],
    () => TABS.find(([path]) => path === tab() && path !== "review")?.[1],
  );
  return (
    <Loaded query={query} what="gear" page="Gear" out={{ name: "All gears", go: () => navigate("/gears") }}>
      {(gear) => (
        <div class="gear">
          <Show when={!query.gone()}>
            <Views gear={gear()} tab={tab()} actions={[deletion(gear(), navigate)]} />
          </Show>
          <div class="gear-view scroll">
            <Switch>
              {/* Also of a deleted gear: it may have edits. */}
              <Match when={tab() === "code"}>
                <Show when={query.gone()}>
                  <div class="section">
                    <div class="notice bad" role="alert">
                      <div>{deletedWords(gear())} Copy what you need before you leave this page.</div>
                    </div>
                  </div>
                </Show>
                <Code gear={gear()} />
              </Match>
              <Match when={query.gone()}>
                <Empty
                  alone
                  title="Gear deleted"
                  actions={<Button onClick={() => navigate("/gears")}>All gears</Button>}
                >
                  {deletedWords(gear())}
                </Empty>
              </Match>
              <Match when={tab() === "review"}>
                <Review gear={gear()} />
              </Match>
              <Match when={tab() === "runs"}>
                <Runs gear={gear()} />
              </Match>
              <Match when={tab() === "versions"}>
                <Versions gear={gear()} />
              </Match>
            </Switch>
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Views(props: {
  readonly gear: GearDetail;
  readonly tab: string;
  readonly actions: readonly Action[];
}): JSX.Element {
  return (
    <nav class="views" aria-label="Views of the gear">
      <For each={TABS}>
        {([path, name]) => (
          <A
            href={`/gears/${props.gear.id}/${path}`}
            aria-current={props.tab === path ? "page" : undefined}
            activeClass=""
            inactiveClass=""
          >
            {name}
          </A>
        )}
      </For>
      <div class="end">
        <Show when={!narrow()}>
          <StatusTag gear={props.gear} version />
        </Show>
        <Show when={isAdmin()}>
          <Menu label="More about this gear" actions={props.actions}>
            <Ellipsis aria-hidden="true" />
          </Menu>
        </Show>
      </div>
    </nav>
  );
}

/** Everyone who signs in sees every gear, so one that is no longer found was deleted. */
const deletedWords = (gear: GearDetail) => `${gear.name} was deleted.`;

function deletion(gear: GearDetail, navigate: (path: string) => void) {
  return { label: "Delete gear", danger: true, run: () => void attempt(() => remove(gear, navigate)) };
}

async function remove(gear: GearDetail, navigate: (path: string) => void): Promise<void> {
  const [places, setPlaces] = createSignal<readonly Place[]>();
  const over = new AbortController();
  let failure: unknown;
  const fail = (error: unknown) => {
    failure = error;
    over.abort();
  };
  void placesOf(gear.id, over.signal).then(setPlaces, fail);
  const sure = await confirm({
    title: `Delete ${gear.name}?`,
    text: () => <Loss gear={gear} places={places()} />,
    action: "Delete gear",
    known: () => places() !== undefined,
    until: over.signal,
  });
  over.abort();
  if (failure !== undefined) throw failure;
  if (!sure) return;
  await take(api.gears({ id: gear.id }).delete());
  navigate("/gears");
  tell(`${gear.name} deleted.`);
  await Promise.all([refresh("gears"), refresh("approvals")]);
}

const WORKSPACES_AT_ONCE = 6;

/** Complete, since admins see all workspaces; unless the question ends first. */
async function placesOf(gearId: number, over: AbortSignal): Promise<readonly Place[]> {
  const workspaces = [...(await take(api.workspaces.get()))];
  const places: Place[] = [];
  while (workspaces.length > 0 && !over.aborted) {
    const next = workspaces.splice(0, WORKSPACES_AT_ONCE);
    places.push(...(await Promise.all(next.map((workspace) => readPlaces(gearId, workspace)))).flat());
  }
  return places;
}

const PLACES_SHOWN_MAX = 8;

/** `places`: undefined while they are read. */
function Loss(props: {
  readonly gear: GearDetail;
  readonly places: readonly Place[] | undefined;
}): JSX.Element {
  return (
    <div class="stack">
      <p>
        This deletes {plural(props.gear.version, "version")} and the tests. The record of its runs is kept.
      </p>
      <Show when={props.places} fallback={<p role="status">Finding the agents that can call it…</p>}>
        {(places) => <Places places={places()} />}
      </Show>
    </div>
  );
}

function Places(props: { readonly places: readonly Place[] }): JSX.Element {
  const more = () => props.places.length - PLACES_SHOWN_MAX;
  return (
    <Show when={props.places.length > 0} fallback={<p>No agent is bound to it.</p>}>
      <p>These can no longer call it:</p>
      <ul class="gear-places">
        <For each={props.places.slice(0, PLACES_SHOWN_MAX)}>
          {(place) => (
            <li>
              <bdi>{place.agent ?? "all agents"}</bdi> in <bdi>{place.workspace}</bdi>
            </li>
          )}
        </For>
        <Show when={more() > 0}>
          <li>and {more()} more</li>
        </Show>
      </ul>
    </Show>
  );
}
