// The tests stored with a gear: arguments, expected output, and the last result.

import Check from "lucide-solid/icons/check";
import CircleDashed from "lucide-solid/icons/circle-dashed";
import X from "lucide-solid/icons/x";
import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { GearDetail, GearTest, TestOutcome, TestReport } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { isAdmin } from "../../state/session.ts";
import { resultWords } from "../../parts/gear/gear-words.tsx";

export function StoredTests(props: {
  readonly gear: GearDetail;
  /** Fills the form with the arguments of a test. */
  readonly onUse: (args: Readonly<Record<string, unknown>>) => void;
}): JSX.Element {
  const [report, setReport] = createSignal<TestReport>();
  /** Results of other content do not apply. */
  createEffect(
    on(
      () => props.gear.content_hash,
      () => setReport(undefined),
      { defer: true },
    ),
  );
  const running = createSubmission([], async () => {
    setReport(await take(api.gears({ id: props.gear.id }).tests.run.post()));
    void refresh("gears", "runs");
  });
  const outcomeOf = (name: string) => report()?.tests.find((outcome) => outcome.name === name);
  const mayRun = () => props.gear.isolated || isAdmin();
  return (
    <section class="gear-tests" aria-labelledby="gear-tests">
      <div class="row">
        <h2 class="heading" id="gear-tests">
          Tests
        </h2>
        <Show when={props.gear.tests.length > 0 && mayRun()}>
          <span class="end row">
            <span class="small muted" role="status">
              <Show when={report()}>{(done) => summaryOf(done())}</Show>
            </span>
            <Button small busy={running.busy()} onClick={() => void running.submit()}>
              Run tests
            </Button>
          </span>
        </Show>
      </div>
      <FormProblem form={running} />
      <Show when={report()?.notice}>{(notice) => <p class="small gear-bad">{notice()}</p>}</Show>
      <Show
        when={props.gear.tests.length > 0}
        fallback={
          <p class="muted small">
            No tests yet. A test is a set of arguments with the expected output. Add tests on the Code page.
          </p>
        }
      >
        <ul>
          <For each={props.gear.tests}>
            {(test) => (
              <li>
                <OneTest test={test} outcome={outcomeOf(test.name)} onUse={() => props.onUse(test.args)} />
              </li>
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}

function summaryOf(report: TestReport): string {
  const passed = report.tests.filter((outcome) => outcome.passed).length;
  return report.passed ? "all passed" : `${passed} of ${report.tests.length} passed`;
}

function OneTest(props: {
  readonly test: GearTest;
  readonly outcome: TestOutcome | undefined;
  readonly onUse: () => void;
}): JSX.Element {
  const summary = () => {
    const outcome = props.outcome;
    if (!outcome) return JSON.stringify(props.test.args);
    return outcome.problem ?? "printed the expected output";
  };
  return (
    <details class="gear-test">
      <summary>
        <Mark outcome={props.outcome} />
        <b class="mono ellipsis">{props.test.name}</b>
        <span class="muted ellipsis gear-test-sum">{summary()}</span>
        <span class="faint num gear-test-time">
          {props.outcome?.result ? resultWords(props.outcome.result) : ""}
        </span>
      </summary>
      <div class="gear-test-body">
        <Part title="Arguments" text={JSON.stringify(props.test.args, null, 2)} />
        <Part title="Expected" text={props.test.expected} />
        <Show when={props.outcome?.result}>
          {(result) => (
            <>
              <Part title="Printed" text={result().stdout} />
              <Show when={result().stderr !== ""}>
                <Part title="Errors" text={result().stderr} />
              </Show>
            </>
          )}
        </Show>
        <div>
          <Button small onClick={() => props.onUse()}>
            Use these arguments
          </Button>
        </div>
      </div>
    </details>
  );
}

function Mark(props: { readonly outcome: TestOutcome | undefined }): JSX.Element {
  return (
    <Show
      when={props.outcome}
      fallback={<CircleDashed class="gear-mark faint" role="img" aria-label="not run" />}
    >
      {(outcome) => (
        <Show
          when={outcome().passed}
          fallback={<X class="gear-mark gear-bad" role="img" aria-label="failed" />}
        >
          <Check class="gear-mark gear-ok" role="img" aria-label="passed" />
        </Show>
      )}
    </Show>
  );
}

function Part(props: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <div>
      <div class="label">{props.title}</div>
      <pre class="block">{props.text === "" ? "(empty)" : props.text}</pre>
    </div>
  );
}
