// Runs a gear from its page, with a form for its arguments and live output: a dry run during review, or a real run once it is approved.

import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { fieldOf } from "../../api/problem.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/form.tsx";
import { plural } from "../../kit/format.ts";
import { ProblemNotice } from "../../kit/states.tsx";
import { workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { takesFiles } from "./args-fields.ts";
import { ArgsForm, type ArgsFormState } from "./args-form.tsx";
import { resultWords } from "../../parts/gear/gear-words.tsx";
import { createLiveRun, type LiveRun } from "./live-run.ts";
import { StopRun } from "./stop-run.tsx";

export function TryGear(props: { readonly gear: GearDetail; readonly form: ArgsFormState }): JSX.Element {
  const run = createLiveRun();
  const [workspace, setWorkspace] = createSignal("");
  /** Output of other content does not apply. */
  createEffect(on(() => props.gear.content_hash, run.clear, { defer: true }));
  const mayTry = () => props.gear.isolated || isAdmin();
  const start = (dry: boolean) => {
    const args = props.form.read();
    if (args === undefined) return;
    const id = Number(workspace());
    void run.start(props.gear.id, dry, id > 0 ? { args, workspace_id: id } : { args });
  };
  const { refused, elsewhere } = problemsOf(run);
  return (
    <section class="section" aria-labelledby="gear-try">
      <h2 id="gear-try">{props.gear.status === "approved" ? "Run" : "Dry run"}</h2>
      <Show
        when={mayTry()}
        fallback={
          <p class="muted small">
            Gears are not isolated on this server, so only admins can run this gear before it is approved.
          </p>
        }
      >
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            start(true);
          }}
        >
          <ArgsForm form={props.form} refused={refused} />
          <Show when={takesFiles(props.gear.args_schema)}>
            <WorkspaceOfFiles value={workspace()} onChange={setWorkspace} />
          </Show>
          <div class="gear-try-row">
            <Button type="submit" busy={run.running()}>
              Dry run
            </Button>
            <Show when={props.gear.status === "approved"}>
              <Button onClick={() => start(false)} disabled={run.running()}>
                Run
              </Button>
            </Show>
            <Show when={run.runId()}>{(id) => <StopRun id={id()} />}</Show>
            <Show when={run.queuedBehind() !== undefined}>
              <Button small onClick={run.leave}>
                Stop
              </Button>
            </Show>
            <span class="small gear-try-how" classList={{ "gear-bad": !props.gear.isolated }}>
              {props.gear.isolated ? "isolated, no network" : "NOT isolated"}
            </span>
          </div>
        </form>
      </Show>
      <Show when={elsewhere()}>
        {(problem) => (
          <div class="gear-try-problem">
            <ProblemNotice problem={problem()} />
          </div>
        )}
      </Show>
      <Output run={run} />
    </section>
  );
}

/** The problem of each argument, and a problem that belongs to none. */
function problemsOf(run: LiveRun) {
  const refused = (path: string) => {
    const problem = run.problem();
    const field = problem && fieldOf(problem);
    if (!field) return undefined;
    return field.field === (path === "" ? "args" : `args.${path}`) ? field.problem : undefined;
  };
  const elsewhere = () => {
    const problem = run.problem();
    const field = problem && fieldOf(problem);
    return field?.field === "args" || field?.field.startsWith("args.") ? undefined : problem;
  };
  return { refused, elsewhere };
}

function WorkspaceOfFiles(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const workspaces = workspacesQuery();
  return (
    <Select
      label="Files from workspace"
      value={props.value}
      onChange={props.onChange}
      choices={[
        { value: "", label: "None" },
        ...(workspaces.data() ?? []).map(({ id, display_name: name }) => ({
          value: String(id),
          label: name,
        })),
      ]}
      hint="The run receives read-only copies of the files that the arguments name."
    />
  );
}

/** Only the end is announced to screen readers, since a program may print a lot. */
function Output(props: { readonly run: LiveRun }): JSX.Element {
  let box: HTMLDivElement | undefined;
  createEffect(
    on(props.run.printed, () => {
      if (!box) return;
      const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
      if (atEnd || !props.run.running()) queueMicrotask(() => box && (box.scrollTop = box.scrollHeight));
    }),
  );
  const progress = () => {
    if (!props.run.running()) return "";
    const ahead = props.run.queuedBehind();
    return ahead === undefined ? "running" : `queued: ${plural(ahead, "gear is", "gears are")} running`;
  };
  const shown = () =>
    props.run.running() || props.run.result() !== undefined || props.run.printed().length > 0;
  return (
    <Show when={shown()}>
      <div class="gear-output">
        <div
          class="gear-output-text mono"
          ref={(element) => (box = element)}
          tabIndex={0}
          role="region"
          aria-label="Output"
        >
          <Show when={props.run.cut()}>
            <div class="faint">The start is not shown.</div>
          </Show>
          <For each={props.run.printed()}>
            {(piece) => <span class={`gear-${piece.stream}`}>{piece.text}</span>}
          </For>
          <Show when={props.run.printed().length === 0}>
            <span class="faint">{props.run.running() ? "No output yet." : "No output."}</span>
          </Show>
        </div>
        <div class="gear-output-end small" role="status">
          <Show when={props.run.result()} fallback={progress()}>
            {(result) => (
              <>
                <span class="mono" classList={{ "gear-bad": result().exit_code !== 0 || result().timed_out }}>
                  {resultWords(result())}
                </span>
                <Show when={result().truncated}>
                  <span>Some output was dropped: 1 MiB of each stream is kept.</span>
                </Show>
                <Show when={result().notice}>
                  <span class="gear-bad">{result().notice}</span>
                </Show>
              </>
            )}
          </Show>
        </div>
      </div>
    </Show>
  );
}
