// The change by a call of memory_write, or the change that was refused: the difference from the version that it replaced, with a link to the document.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Match, Show, Switch } from "solid-js";
import type { Outcome } from "../../../src/service/conversation/schema.ts";
import type { MemoryWrite } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { DiffView } from "../../kit/diff-view.tsx";
import { objectOf } from "../../kit/json.ts";
import { Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { memoryHref } from "./paths.ts";
import { createMemoryWrite } from "./writes.ts";
import "./memory-change.css";

interface MemoryChangeProps {
  readonly turnId: number;
  readonly callId: string;
  /** As the model wrote them. */
  readonly arguments: string;
  readonly outcome: Outcome | undefined;
}

/** Nothing for arguments that are not those of a write; show them as they are. */
export function MemoryChange(props: MemoryChangeProps): JSX.Element {
  const here = useHere();
  const asked = createMemo(() => {
    const { name, content } = objectOf(props.arguments) ?? {};
    return typeof name === "string" && typeof content === "string" ? { name, content } : undefined;
  });
  const write = createMemoryWrite(() =>
    props.outcome === "ok" ? { turnId: props.turnId, callId: props.callId } : undefined,
  );
  const wasRefused = () => props.outcome !== undefined && props.outcome !== "ok";
  return (
    <Show when={asked()}>
      {(wanted) => (
        <div class="memory-change" role="group" aria-label="Change">
          <Show
            when={write()}
            fallback={<Whole {...wanted()} note={wasRefused() ? "not written" : undefined} />}
          >
            {(made) => (
              <>
                <Difference {...wanted()} write={made()} />
                <p class="small">
                  <A href={memoryHref(here.id, here.state().workspace.branch, made().path, made().version)}>
                    Open in Memory
                  </A>
                </p>
              </>
            )}
          </Show>
        </div>
      )}
    </Show>
  );
}

interface Wanted {
  readonly name: string;
  readonly content: string;
}

/** The difference from the version that was replaced. */
function Difference(props: Wanted & { readonly write: MemoryWrite }): JSX.Element {
  const here = useHere();
  const before = createQuery(() => {
    const { path, replaced } = props.write;
    if (replaced === null) return undefined;
    return {
      key: ["memory-version", here.id, path, replaced],
      read: () =>
        take(api.workspaces({ id: here.id }).memory.file.get({ query: { path, version: replaced } })),
    };
  });
  const isNew = () => props.write.replaced === null;
  const note = () =>
    isNew()
      ? `new, version ${props.write.version}`
      : `version ${props.write.replaced} → version ${props.write.version}`;
  return (
    <Switch fallback={<Skeleton label="Loading the previous version" />}>
      <Match when={before.problem()}>
        {(problem) => (
          <>
            <p class="small muted">Cannot show the previous version: {problem().message}</p>
            <Whole {...props} note={note()} />
          </>
        )}
      </Match>
      <Match when={isNew() || before.data()}>
        <DiffView
          fileName={props.name}
          before={before.data()?.text ?? ""}
          after={props.content}
          note={note()}
          language="markdown"
          wrap
        />
      </Match>
    </Switch>
  );
}

function Whole(props: Wanted & { readonly note: string | undefined }): JSX.Element {
  return (
    <DiffView
      fileName={props.name}
      before={undefined}
      after={props.content}
      note={props.note}
      language="markdown"
      wrap
    />
  );
}
