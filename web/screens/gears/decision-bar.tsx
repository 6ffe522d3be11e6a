// The decision on exactly the shown content, always in reach. Approve is not the primary button until all of the content was on the screen.

import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import type { DecideGear as Decision, GearDetail } from "../../../src/service/gears/schema.ts";
import { asProblem } from "../../api/problem.ts";
import { createProblem } from "../../api/reach.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { shortHash } from "../../kit/format.ts";
import { ProblemNotice } from "../../kit/states.tsx";
import { decide } from "./decide-gear.tsx";
import { isolationLost } from "../../state/gear-state.ts";
import { spacedHash } from "./gear-words.tsx";

export function DecisionBar(props: {
  readonly gear: GearDetail;
  /** Whether all of the content was on the screen. */
  readonly seen: boolean;
  readonly onShowRest: () => void;
  /** Another version is current now. */
  readonly outdated: boolean;
  readonly onOutdated: () => void;
}): JSX.Element {
  const { busy, problem, said, run } = createDecision(() => props.gear);
  const short = () => shortHash(props.gear.content_hash);
  const approves = () => props.gear.status !== "approved" || isolationLost(props.gear);
  return (
    <section class="gear-decision stack" aria-label="Decision">
      <Show when={problem()}>{(found) => <ProblemNotice problem={found()} />}</Show>
      <Show when={isolationLost(props.gear)}>
        <p class="small gear-warn">
          This gear was approved to run isolated, but gears are not isolated now. It does not run until the
          container runtime is back and the service has restarted, or until you approve it again.
        </p>
      </Show>
      <Show when={approves() && !props.seen && !props.outdated}>
        <p class="row small gear-unseen">
          <span>You have not seen all of the content yet.</span>
          <Button small onClick={() => props.onShowRest()}>
            Show rest
          </Button>
        </p>
      </Show>
      <div class="row gear-buttons">
        <Show when={props.gear.status !== "disabled"}>
          <Button
            busy={busy() === "disable"}
            disabled={busy() !== undefined}
            onClick={() => void run("disable", "Disabled. It does not run.", { status: "disabled" })}
          >
            Disable
          </Button>
        </Show>
        <Show when={approves()}>
          <Button
            {...(props.seen ? { kind: "primary" as const } : {})}
            busy={busy() === "approve"}
            disabled={busy() !== undefined || props.outdated}
            onClick={(event) =>
              event.detail <= 1 && void run("approve", `Approved ${short()}.`, { status: "approved" })
            }
          >
            Approve {short()}
          </Button>
        </Show>
        <span class="end small" classList={{ muted: props.gear.isolated, "gear-bad": !props.gear.isolated }}>
          {props.gear.isolated ? "runs isolated" : "not isolated"}
        </span>
      </div>
      <Show when={props.outdated}>
        <p class="small gear-warn">
          This is no longer the current version.{" "}
          <button type="button" class="btn small" onClick={() => props.onOutdated()}>
            Show current version
          </button>
        </p>
      </Show>
      <p class="small muted gear-said" role="status">
        {said()}
      </p>
    </section>
  );
}

/** Sends a decision on the shown content, once at a time, and keeps what came of it until the content changes. */
function createDecision(shown: () => GearDetail) {
  const [busy, setBusy] = createSignal<string>();
  const [problem, setProblem] = createProblem();
  const [said, setSaid] = createSignal("");
  createEffect(
    on(
      () => shown().content_hash,
      () => {
        setProblem(undefined);
        setSaid("");
      },
      { defer: true },
    ),
  );
  const run = async (verb: string, words: string, input: Decision) => {
    // Ignores the second half of a double click, and a key held down.
    if (busy() !== undefined) return;
    const gear = shown();
    setBusy(verb);
    setProblem(undefined);
    try {
      if (verb === "approve" && !gear.isolated && !(await confirmed(gear))) return;
      await decide(gear, input);
      setSaid(words);
    } catch (error) {
      setProblem(asProblem(error));
      void refresh("gears", "one");
    } finally {
      setBusy(undefined);
    }
  };
  return { busy, problem, said, run };
}

function confirmed(gear: GearDetail): Promise<boolean> {
  return confirm({
    title: `Approve ${gear.name} without isolation?`,
    text: (
      <div class="stack">
        <p>
          Gears are not isolated on this server. This program will run with the server's own access: it can
          read and change all files and the database, read the stored provider keys, use the network and call
          this API.
        </p>
        <p>This approval is the only control.</p>
        <p class="mono muted">sha256 {spacedHash(gear.content_hash)}</p>
      </div>
    ),
    action: "Approve without isolation",
  });
}
