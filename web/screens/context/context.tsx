// The context space, for admins: every document that people wrote and agents remember, with its versions. Without a space, the page says what is
// missing and how to set it up.

import { useSearchParams } from "@solidjs/router";
import CloudOff from "lucide-solid/icons/cloud-off";
import NotebookText from "lucide-solid/icons/notebook-text";
import { createEffect, createMemo, type JSX, on, Show } from "solid-js";
import type { ContextFile, ContextStatus } from "../../../src/service/memory/schema.ts";
import type { Query } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { Empty, Loaded, ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { SpaceAbsent, SpaceHelp } from "../../parts/memory/space-absent.tsx";
import { spaceWords } from "../../parts/memory/space-words.ts";
import { documentsQuery, spaceQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { Documents } from "./space.tsx";
import { nameOf } from "./folders.ts";
import "./context.css";

export function Context(): JSX.Element {
  const [params] = useSearchParams<{ path: string }>();
  useCrumbs(() =>
    isAdmin() && params.path
      ? [{ name: "Context", path: "/context" }, { name: nameOf(params.path) }]
      : [{ name: "Context" }],
  );
  return (
    <Show
      when={isAdmin()}
      fallback={
        <Empty alone title="Only admins see the context space" icon={<NotebookText aria-hidden="true" />}>
          It holds the documents of all workspaces. Ask an admin about one.
        </Empty>
      }
    >
      <Space />
    </Show>
  );
}

function Space(): JSX.Element {
  const space = spaceQuery();
  const documents = documentsQuery(space);
  // Kept while the space is away, so that the open document and its edits stay.
  const files = createMemo<readonly ContextFile[] | undefined>((before) => documents.data() ?? before);
  createEffect(
    on(
      () => space.data()?.available,
      (now, before) => now === true && before === false && void documents.refresh(),
    ),
  );
  return (
    <>
      <h1 class="visually-hidden">Context</h1>
      <Loaded query={space}>
        {(status) => (
          <Show
            when={files()}
            fallback={<NothingYet status={status()} space={space} documents={documents} />}
          >
            {(known) => (
              <div class="context">
                <Show when={!status().available}>
                  <Away status={status()} onRetry={space.refresh} />
                </Show>
                <Documents files={known()} status={status()} onRefresh={documents.refresh} />
              </div>
            )}
          </Show>
        )}
      </Loaded>
    </>
  );
}

function NothingYet(props: {
  readonly status: ContextStatus;
  readonly space: Query<ContextStatus>;
  readonly documents: Query<unknown>;
}): JSX.Element {
  return (
    <Show
      when={props.status.available}
      fallback={<SpaceAbsent status={props.status} onRetry={props.space.refresh} />}
    >
      <Show when={props.documents.problem()} fallback={<Skeleton label="Loading documents" />}>
        {(problem) => (
          <div class="section">
            <ProblemNotice problem={problem()} onRetry={() => void props.documents.refresh()} />
          </div>
        )}
      </Show>
    </Show>
  );
}

/** Over the documents that were read before. */
function Away(props: { readonly status: ContextStatus; readonly onRetry: () => Promise<void> }): JSX.Element {
  return (
    <div class="context-away" role="status">
      <div class="notice wait">
        <CloudOff aria-hidden="true" />
        <div>
          <p class="strong">{spaceWords(props.status).title}</p>
          <SpaceHelp status={props.status} />
        </div>
        <Button small onClick={() => void props.onRetry()}>
          Check again
        </Button>
      </div>
    </div>
  );
}
