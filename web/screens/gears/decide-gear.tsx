// The decision on exactly the content that is looked at: what it means here, in plain words, the hash that is approved, and its time limit.

import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import type { DecideGear as Decision, GearDetail } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { shortHash } from "../../kit/format.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { approvalsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { putGear } from "./gear-queries.ts";
import { ApprovalMeaning, AUTH_NAMES, spacedHash } from "./gear-words.tsx";

interface DecideProps {
  readonly gear: GearDetail;
  /** Another version is the current one by now. */
  readonly outdated: boolean;
  readonly onOutdated: () => void;
}

async function decide(gear: GearDetail, input: Decision): Promise<void> {
  const decided = await take(api.gears({ id: gear.id }).patch({ ...input, content_hash: gear.content_hash }));
  putGear(decided);
  await Promise.all([refresh("gears"), refresh("approvals")]);
}

export function DecideGear(props: DecideProps): JSX.Element {
  return (
    <section class="section" aria-labelledby="gear-decide">
      <h2 id="gear-decide">What approval means</h2>
      <div class="stack gear-decide">
        <ApprovalMeaning gear={props.gear} />
        <Callers gear={props.gear} />
        <div class="row muted">
          <span class="mono" title={props.gear.content_hash}>
            sha256 {spacedHash(props.gear.content_hash)}
          </span>
          <CopyButton text={props.gear.content_hash} label="Copy the hash" />
        </div>
        <Approved gear={props.gear} />
        <Show
          when={isAdmin()}
          fallback={
            <p class="muted small">Admins decide on gears: they approve, disable and set time limits.</p>
          }
        >
          <Buttons {...props} />
          <TimeLimit gear={props.gear} />
        </Show>
      </div>
    </section>
  );
}

/** Only a list of what waits says it, to those who decide. */
function Callers(props: { readonly gear: GearDetail }): JSX.Element {
  const approvals = approvalsQuery();
  const fact = () =>
    approvals
      .data()
      ?.find(({ kind, id }) => kind === "gear" && id === props.gear.id)
      ?.facts.at(-1);
  const words = () => {
    const found = fact();
    if (props.gear.status !== "pending" || found === undefined) return undefined;
    if (found.startsWith("once approved")) return `${found.replace(/^o/, "O")}.`;
    return found.startsWith("no agent") ? "No agent is bound to it so far." : undefined;
  };
  return <Show when={words()}>{(said) => <p class="muted">{said()}</p>}</Show>;
}

function Approved(props: { readonly gear: GearDetail }): JSX.Element {
  return (
    <Show when={props.gear.status === "approved" && props.gear.approval}>
      {(approval) => (
        <p>
          Approved by <bdi>{approval().user}</bdi> ({AUTH_NAMES[approval().auth]}),{" "}
          <Time time={approval().time} relative />.
        </p>
      )}
    </Show>
  );
}

function Buttons(props: DecideProps): JSX.Element {
  const [busy, setBusy] = createSignal<string>();
  const [problem, setProblem] = createSignal<Problem>();
  const [said, setSaid] = createSignal("");
  createEffect(
    on(
      () => props.gear.content_hash,
      () => {
        setProblem(undefined);
        setSaid("");
      },
      { defer: true },
    ),
  );
  const short = () => shortHash(props.gear.content_hash);
  const run = async (verb: string, words: string, input: Decision) => {
    // The second half of a double click, or a key that is still down.
    if (busy() !== undefined) return;
    const gear = props.gear;
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
  return (
    <>
      <Show when={problem()}>{(found) => <ProblemNotice problem={found()} />}</Show>
      <div class="row gear-buttons">
        <Show when={props.gear.status !== "disabled"}>
          <Button
            busy={busy() === "disable"}
            disabled={busy() !== undefined}
            onClick={() => void run("disable", "Disabled: it does not run.", { status: "disabled" })}
          >
            Disable
          </Button>
        </Show>
        <Show when={props.gear.status !== "approved"}>
          <Button
            kind="primary"
            busy={busy() === "approve"}
            disabled={busy() !== undefined || props.outdated}
            onClick={(event) =>
              event.detail <= 1 && void run("approve", `Approved ${short()}.`, { status: "approved" })
            }
          >
            Approve {short()}
          </Button>
        </Show>
      </div>
      <Show when={props.outdated}>
        <p class="small gear-warn">
          This is not the current version any more.{" "}
          <button type="button" class="btn small" onClick={() => props.onOutdated()}>
            Look at the current one
          </button>
        </p>
      </Show>
      <p class="small muted gear-said" role="status">
        {said()}
      </p>
    </>
  );
}

function confirmed(gear: GearDetail): Promise<boolean> {
  return confirm({
    title: `Approve ${gear.name} without isolation?`,
    text: (
      <div class="stack">
        <p>
          Gears are not isolated on this server. This program will run with the server's own access: it can
          read and change all files and the database, read the stored provider keys, use the network and call
          this API as the server does.
        </p>
        <p>Nothing but this approval keeps it from that.</p>
        <p class="mono muted">sha256 {spacedHash(gear.content_hash)}</p>
      </div>
    ),
    action: "Approve without isolation",
  });
}

function TimeLimit(props: { readonly gear: GearDetail }): JSX.Element {
  const [seconds, setSeconds] = createSignal(String(props.gear.timeout_seconds));
  createEffect(
    on(
      () => props.gear.timeout_seconds,
      (value) => setSeconds(String(value)),
      { defer: true },
    ),
  );
  const saving = createSubmission(["timeout_seconds"], () => {
    const timeout_seconds = Number(seconds());
    return decide(props.gear, { timeout_seconds });
  });
  const changed = () => seconds().trim() !== String(props.gear.timeout_seconds);
  return (
    <form class="gear-limit" onSubmit={(event) => void saving.submit(event)}>
      <TextInput
        label="Time limit in seconds"
        type="number"
        value={seconds()}
        onInput={setSeconds}
        problem={saving.of("timeout_seconds") ?? saving.problem()?.message}
        hint="1 to 600; then it is killed"
      />
      <Show when={changed()}>
        <Button type="submit" busy={saving.busy()}>
          Save limit
        </Button>
      </Show>
    </form>
  );
}
