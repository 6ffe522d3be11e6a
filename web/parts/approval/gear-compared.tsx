// The content of a gear: all of it, or its difference from the last approved version or from one that the reader chooses.

import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { Select } from "../../kit/form.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { ContentDiff } from "../gear/content-diff.tsx";
import { lastApproved, versionQuery } from "../gear/gear-queries.ts";

const NOTHING = "nothing";

/** The base defaults to the last approved version. If nothing was approved before, all of the content is new. */
export function Compared(props: {
  readonly gear: GearDetail;
  /** Rendered after the content, once that has loaded. */
  readonly end: JSX.Element;
}): JSX.Element {
  const current = () => props.gear.version;
  const approved = createMemo(() => lastApproved(props.gear)?.version);
  const [picked, setPicked] = createSignal<string>();
  /** Undefined: no diff. */
  const base = createMemo(() => {
    const choice = picked();
    const wanted = choice === undefined ? approved() : Number(choice);
    return choice === NOTHING || wanted === undefined || wanted >= current() ? undefined : wanted;
  });
  const before = versionQuery(() => props.gear.id, base);
  const name = (version: number) => `version ${version}${approved() === version ? " (approved)" : ""}`;
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
