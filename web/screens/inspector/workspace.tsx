// The workspace: the documents that are bound to its prompts, for all agents and for single ones, and where its agents remember.

import { A } from "@solidjs/router";
import X from "lucide-solid/icons/x";
import { createMemo, type JSX, Show } from "solid-js";
import type { ContextBinding } from "../../../src/service/memory/schema.ts";
import { IconButton } from "../../kit/button.tsx";
import { Keyed } from "../../kit/keyed.tsx";
import { PathText } from "../../kit/path-text.tsx";
import { CopyButton } from "../../kit/pieces.tsx";
import { BindDocument } from "../../parts/memory/bind-document.tsx";
import { unbindDocument } from "../../parts/memory/binding.tsx";
import { useHere } from "../../state/here.ts";
import { spaceQuery } from "../../state/lists.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { agentPromptQuery, groupsOf } from "./agent-parts.ts";
import { InspectorHeader } from "./header.tsx";
import { useInspectHref } from "./sources.ts";

export function WorkspaceInspector(): JSX.Element {
  const here = useHere();
  const workspace = () => here.state().workspace;
  const shared = createMemo(() => here.state().contextBindings.filter(({ agent_id: of }) => of === null));
  const single = createMemo(() => here.state().contextBindings.filter(({ agent_id: of }) => of !== null));
  return (
    <>
      <InspectorHeader title={workspace().display_name}>
        <p class="small muted">Workspace</p>
      </InspectorHeader>
      <section class="section">
        <h3>Documents for all agents</h3>
        <Show
          when={shared().length > 0}
          fallback={<p class="small muted">None. A bound document is part of every prompt.</p>}
        >
          <Shared bindings={shared()} />
        </Show>
        <BindDocument agentId={null} />
      </section>
      <Show when={single().length > 0}>
        <section class="section">
          <h3>Documents for single agents</h3>
          <ul class="inspector-rows">
            <Keyed each={single()} key={({ id }) => id}>
              {(binding) => <Bound binding={binding()} />}
            </Keyed>
          </ul>
        </section>
      </Show>
      <Branch branch={workspace().branch} />
    </>
  );
}

/** The orchestrator's prompt tells which of them can be read. */
function Shared(props: { readonly bindings: readonly ContextBinding[] }): JSX.Element {
  const here = useHere();
  const orchestrator = () => here.state().agents.find((agent) => agent.orchestrator)?.id ?? 0;
  const prompt = agentPromptQuery(orchestrator);
  const documents = createMemo(() => {
    const groups = groupsOf(prompt.data()?.parts ?? []).filter(({ kind }) => kind === "context");
    return new Map(groups.map((group) => [group.name, group]));
  });
  return (
    <ul class="inspector-rows">
      <Keyed each={props.bindings} key={({ id }) => id}>
        {(binding) => (
          <Bound
            binding={binding()}
            version={documents().get(binding().path)?.version}
            unread={documents().get(binding().path)?.note}
          />
        )}
      </Keyed>
    </ul>
  );
}

function Bound(props: {
  readonly binding: ContextBinding;
  readonly version?: string | undefined;
  /** Why it cannot be read; undefined: it can, or that is unknown. */
  readonly unread?: string | undefined;
}): JSX.Element {
  const here = useHere();
  const inspect = useInspectHref();
  return (
    <li>
      <div class="inspector-row">
        <PathText path={props.binding.path} />
        <Show when={props.version}>
          <span class="tag">{props.version}</span>
        </Show>
        <Show when={props.unread}>
          <span class="tag wait">cannot be read</span>
        </Show>
        <Show when={props.binding.agent_id}>
          {(id) => (
            <A href={inspect({ kind: "agent", id: id() })} noScroll class="small end">
              <bdi>{nameOf(here.state(), id())}</bdi>
            </A>
          )}
        </Show>
        <span class="inspector-drop">
          <IconButton
            small
            label={`Unbind ${props.binding.path}${props.binding.agent_id === null ? " from all agents" : ""}`}
            onClick={() => void unbindDocument(props.binding)}
          >
            <X aria-hidden="true" />
          </IconButton>
        </span>
      </div>
      <Show when={props.unread}>{(why) => <p class="inspector-note small muted">{why()}</p>}</Show>
    </li>
  );
}

function Branch(props: { readonly branch: string }): JSX.Element {
  const here = useHere();
  const status = spaceQuery();
  return (
    <section class="section">
      <h3>Memory</h3>
      <Show
        when={status.data()?.available !== false}
        fallback={<p class="small muted">There is none: {status.data()?.error}</p>}
      >
        <p class="small muted">
          Agents remember below this path of the space.{" "}
          <A href={`/workspaces/${here.id}/memory`}>Open Memory</A>
        </p>
      </Show>
      <div class="row">
        <bdi class="mono ellipsis" title={props.branch}>
          {props.branch}
        </bdi>
        <CopyButton text={props.branch} label="Copy branch" />
      </div>
    </section>
  );
}
