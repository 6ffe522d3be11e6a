// All versions of a gear with author and hash, and the diff between any two.

import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import type { GearDetail, GearVersion } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/form.tsx";
import { shortHash } from "../../kit/format.ts";
import { createPagedList } from "../../kit/paged-list.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { Split } from "../../kit/split.tsx";
import { Loaded } from "../../kit/states.tsx";
import { DecisionLine } from "../../parts/gear/decision-line.tsx";
import { ContentDiff } from "../../parts/gear/content-diff.tsx";

export function Versions(props: { readonly gear: GearDetail }): JSX.Element {
  const { query, all, more, readEarlier } = createPagedList({
    of: () => props.gear.id,
    key: (id) => ["gears", "versions", id, props.gear.version],
    read: async (id, before) => {
      const page = before === undefined ? {} : { before };
      return (await take(api.gears({ id }).versions.get({ query: page }))).toReversed();
    },
    numberOf: ({ version }) => version,
    isLast: (page) => (page.at(-1)?.version ?? 1) === 1,
  });
  return (
    <Loaded query={query} what="list">
      {() => <Compare gear={props.gear} versions={all()} more={more()} onMore={() => void readEarlier()} />}
    </Loaded>
  );
}

function Compare(props: {
  readonly gear: GearDetail;
  readonly versions: readonly GearVersion[];
  readonly more: boolean;
  readonly onMore: () => void;
}): JSX.Element {
  const [from, setFrom] = createSignal<string>();
  const [to, setTo] = createSignal<string>();
  const version = (number: string | undefined) =>
    props.versions.find((one) => String(one.version) === number);
  const after = () => version(to()) ?? props.versions[0];
  const before = () =>
    from() === ""
      ? undefined
      : (version(from()) ?? props.versions.find((one) => one.version < (after()?.version ?? 0)));
  const choices = () =>
    props.versions.map((one) => ({ value: String(one.version), label: `version ${one.version}` }));
  const look = (one: GearVersion) => {
    setTo(String(one.version));
    setFrom(undefined);
  };
  return (
    <Split
      name="gear-versions"
      at="start"
      size={320}
      min={240}
      sideLabel="Versions"
      open
      side={
        <VersionList
          gear={props.gear}
          versions={props.versions}
          shown={after()}
          onShow={look}
          more={props.more}
          onMore={props.onMore}
        />
      }
      main={
        <div class="gear-review">
          <h1 class="visually-hidden">Versions of {props.gear.name}</h1>
          <div class="gear-compare row">
            <Select
              label="From"
              value={String(before()?.version ?? "")}
              choices={[{ value: "", label: "nothing" }, ...choices()]}
              onChange={setFrom}
            />
            <Select label="To" value={String(after()?.version ?? "")} choices={choices()} onChange={setTo} />
          </div>
          <Show when={after()}>
            {(shown) => (
              <ContentDiff
                before={before()}
                after={shown()}
                note={
                  before()
                    ? `version ${before()!.version} → version ${shown().version}`
                    : `version ${shown().version}`
                }
              />
            )}
          </Show>
        </div>
      }
    />
  );
}

function VersionList(props: {
  readonly gear: GearDetail;
  readonly versions: readonly GearVersion[];
  readonly shown: GearVersion | undefined;
  readonly onShow: (version: GearVersion) => void;
  readonly more: boolean;
  readonly onMore: () => void;
}): JSX.Element {
  return (
    <>
      <ul>
        <For each={props.versions}>
          {(one) => (
            <li class="gear-version" classList={{ on: one.version === props.shown?.version }}>
              <button
                type="button"
                class="gear-version-open"
                aria-current={one.version === props.shown?.version ? "true" : undefined}
                onClick={() => props.onShow(one)}
              >
                <span class="row">
                  <b>version {one.version}</b>
                  <Marks gear={props.gear} version={one} />
                </span>
                <span class="small muted">
                  <bdi>{one.author}</bdi>, <Time time={one.created_at} relative />
                </span>
                <For each={one.decisions}>
                  {(decision) => <DecisionLine decision={decision} among={one.decisions} short />}
                </For>
              </button>
              <span class="mono muted row" title={`SHA-256 ${one.content_hash}`}>
                {shortHash(one.content_hash)}
                <CopyButton text={one.content_hash} label={`Copy hash of version ${one.version}`} />
              </span>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.more}>
        <div class="section">
          <Button small onClick={() => props.onMore()}>
            Load earlier versions
          </Button>
        </div>
      </Show>
    </>
  );
}

function Marks(props: { readonly gear: GearDetail; readonly version: GearVersion }): JSX.Element {
  const isCurrent = () => props.version.version === props.gear.version;
  return (
    <Switch>
      <Match when={isCurrent() && props.gear.status === "approved"}>
        <span class="tag ok">current, approved</span>
      </Match>
      <Match when={isCurrent()}>
        <span class="tag">current</span>
      </Match>
    </Switch>
  );
}
