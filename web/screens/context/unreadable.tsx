// In place of the text of a document that is not there, is not text, or is too long to show.

import FileQuestion from "lucide-solid/icons/file-question-mark";
import FileX from "lucide-solid/icons/file-x";
import { type JSX, Match, Show, Switch } from "solid-js";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../kit/button.tsx";
import { Empty, ProblemNotice } from "../../kit/states.tsx";

export function Unreadable(props: {
  readonly path: string;
  readonly problem: Problem;
  readonly onRetry: () => void;
  readonly onCreate?: () => void;
}): JSX.Element {
  return (
    <Switch
      fallback={
        <div class="section">
          <ProblemNotice problem={props.problem} onRetry={props.onRetry} />
        </div>
      }
    >
      <Match when={props.problem.code === "not_found"}>
        <Empty
          title="Document not found"
          icon={<FileQuestion aria-hidden="true" />}
          actions={
            <Show when={props.onCreate}>
              <Button onClick={() => props.onCreate?.()}>Create document</Button>
            </Show>
          }
        >
          <bdi class="mono wrap">{props.path}</bdi>
        </Empty>
      </Match>
      <Match when={props.problem.code === "not_text" || props.problem.code === "too_large"}>
        <Empty
          title={props.problem.code === "not_text" ? "Not a text document" : "Too large to show"}
          icon={<FileX aria-hidden="true" />}
        >
          <p class="wrap">{props.problem.message}</p>
          <p>
            Read it with <code>cairn file read</code>. Its versions are listed under History.
          </p>
        </Empty>
      </Match>
    </Switch>
  );
}
