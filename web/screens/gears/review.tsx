// The review of a gear: its content or the diff from the approved version, tests, a dry run, and the decision. The page keeps showing the
// version that it was opened with: a newer one is announced and never slips under the Approve button.

import { children, createEffect, createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/form.tsx";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { isAdmin } from "../../state/session.ts";
import { createArgsForm } from "./args-form.tsx";
import { ContentDiff } from "./content-diff.tsx";
import { DecideGear } from "./decide-gear.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { EarlierDecisions } from "./earlier-decisions.tsx";
import { GearHead } from "./gear-head.tsx";
import { decisionsQuery, versionQuery } from "./gear-queries.ts";
import { createSeen } from "./seen.ts";
import { StoredTests } from "./stored-tests.tsx";
import { TryGear } from "./try-gear.tsx";

export function Review(props: { readonly gear: GearDetail }): JSX.Element {
  const [looked, setLooked] = createSignal(props.gear);
  const outdated = () => props.gear.content_hash !== looked().content_hash;
  // Status, tests and approval may change while the page is open; the content may not.
  createEffect(() => {
    if (!outdated()) setLooked(props.gear);
  });
  const seen = createSeen(() => looked().content_hash);
  const form = createArgsForm(() => looked().args_schema);
  const side = children(() => (
    <>
      <TryGear gear={looked()} form={form} />
      <DecideGear gear={looked()} />
      <EarlierDecisions gear={looked()} />
    </>
  ));
  // Sticks to the end of the scroll container, so it must be its direct child.
  const decision = children(() => (
    <Show when={isAdmin()}>
      <DecisionBar
        gear={looked()}
        seen={seen.all()}
        onShowRest={seen.show}
        outdated={outdated()}
        onOutdated={() => setLooked(props.gear)}
      />
    </Show>
  ));
  const main = children(() => (
    <div class="gear-review">
      <GearHead gear={looked()} />
      <Show when={outdated()}>
        <Outdated looked={looked()} latest={props.gear} onLook={() => setLooked(props.gear)} />
      </Show>
      <Compared gear={looked()} end={<div class="gear-end" ref={seen.end} />} />
      <StoredTests gear={looked()} onUse={form.fill} />
    </div>
  ));
  return (
    <Show
      when={!narrow()}
      fallback={
        <div class="scroll gear-narrow">
          {main()}
          <div class="gear-narrow-side">{side()}</div>
          {decision()}
        </div>
      }
    >
      <Split
        name="gear-review"
        size={380}
        min={300}
        max={640}
        sideLabel="Run and decide"
        open
        main={main()}
        side={
          <>
            {side()}
            {decision()}
          </>
        }
      />
    </Show>
  );
}

function Outdated(props: {
  readonly looked: GearDetail;
  readonly latest: GearDetail;
  readonly onLook: () => void;
}): JSX.Element {
  return (
    <div class="notice wait gear-outdated" role="alert">
      <div>
        Version {props.latest.version} was saved meanwhile. You see version {props.looked.version}, but only
        the current version can be approved.
      </div>
      <Button small onClick={() => props.onLook()}>
        Show version {props.latest.version}
      </Button>
    </div>
  );
}

const NOTHING = "nothing";

/** The diff base defaults to the last approved version if this person may know it, else to the previous version. */
function Compared(props: {
  readonly gear: GearDetail;
  /** Rendered after the content, once that has loaded. */
  readonly end: JSX.Element;
}): JSX.Element {
  const id = () => props.gear.id;
  const current = () => props.gear.version;
  const decisions = decisionsQuery(id);
  const approved = createMemo(() => decisions.data()?.find(({ action }) => action === "approved"));
  const [picked, setPicked] = createSignal<string>();
  /** Undefined: no diff. */
  const usual = createMemo<number | undefined>(() => {
    if (props.gear.status === "approved") return undefined;
    const last = approved();
    if (last) return last.record.content_hash === props.gear.content_hash ? undefined : last.version;
    // An admin can tell that nothing was approved before, so all of it is new.
    if (decisions.data()) return undefined;
    return current() > 1 ? current() - 1 : undefined;
  });
  const base = createMemo(() => {
    const choice = picked();
    if (choice === undefined) return usual();
    return choice === NOTHING || Number(choice) >= current() ? undefined : Number(choice);
  });
  const before = versionQuery(id, base);
  const name = (version: number) =>
    `version ${version}${approved()?.version === version ? " (approved)" : ""}`;
  const choices = () => [
    { value: NOTHING, label: "nothing (show all)" },
    ...Array.from({ length: current() - 1 }, (_, index) => current() - 1 - index).map((version) => ({
      value: String(version),
      label: name(version),
    })),
  ];
  const note = () => {
    const from = base();
    return from === undefined ? `version ${current()}` : `${name(from)} → version ${current()}`;
  };
  return (
    <>
      <Show when={current() > 1}>
        <div class="gear-compare">
          <Select
            label="Compare with"
            value={String(base() ?? NOTHING)}
            choices={choices()}
            onChange={setPicked}
          />
        </div>
      </Show>
      <Switch fallback={<Skeleton />}>
        <Match when={base() === undefined}>
          <ContentDiff before={undefined} after={props.gear} note={note()} />
          {props.end}
        </Match>
        <Match when={before.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void before.refresh()} />}
        </Match>
        <Match when={before.data()?.version === base() && before.data()}>
          {(version) => (
            <>
              <ContentDiff before={version()} after={props.gear} note={note()} />
              {props.end}
            </>
          )}
        </Match>
      </Switch>
    </>
  );
}
