// An agent's current prompt: role, instructions, tools and conversation with their tokens, and controls to unbind them.

import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type { Prompt } from "../../../src/service/conversation/schema.ts";
import type { ContextBinding } from "../../../src/service/memory/schema.ts";
import type { Query } from "../../api/query.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { plural, tokens } from "../../kit/format.ts";
import { CopyButton, ShareBar } from "../../kit/pieces.tsx";
import { promptText } from "../../kit/prompt-part.ts";
import { PromptParts } from "../../kit/prompt-parts.tsx";
import { Loaded } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { instructionsQuery, modelsQuery } from "../../state/lists.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import { removeSelected } from "../../parts/editing/removal.tsx";
import { BindDocument } from "../../parts/memory/bind-document.tsx";
import { unbindDocument } from "../../parts/memory/binding.tsx";
import { pathInBranch } from "../../parts/memory/paths.ts";
import { groupsOf, type PromptGroup } from "./agent-parts.ts";
import { BindBox } from "./bind-box.tsx";
import { useSourceOf } from "./sources.ts";

const DOCUMENTS_SHOWN = 8;

/** Leaves out documents after the first few; those that cannot be read stay. */
function withoutLong(groups: readonly PromptGroup[]): readonly PromptGroup[] {
  let documents = 0;
  return groups.filter(
    ({ kind, note }) => kind !== "context" || note !== undefined || (documents += 1) <= DOCUMENTS_SHOWN,
  );
}

export function AgentPrompt(props: { readonly agent: Agent; readonly query: Query<Prompt> }): JSX.Element {
  const models = modelsQuery();
  const [open, setOpen] = createSignal(false);
  const groups = createMemo(() => groupsOf(props.query.data()?.parts ?? []));
  const [all, setAll] = createSignal(false);
  const rows = createMemo(() => (all() ? groups() : withoutLong(groups())));
  const size = () =>
    models.data()?.find(({ id }) => id === props.agent.model_id)?.context_tokens ?? undefined;
  const total = () => props.query.data()?.tokens ?? 0;
  const sum = () =>
    size() === undefined ? `≈ ${tokens(total())} tokens` : `≈ ${tokens(total())} of ${tokens(size()!)}`;
  return (
    <section class="section">
      <h3>Prompt</h3>
      <Loaded query={props.query} what="agent">
        {(shown) => (
          <>
            <ul class="inspector-rows">
              <For each={rows()}>{(group) => <Group group={group} agent={props.agent} />}</For>
            </ul>
            <Show when={groups().length > rows().length}>
              <Button small kind="quiet" onClick={() => setAll(true)}>
                Show {plural(groups().length - rows().length, "more document")}
              </Button>
            </Show>
            <ShareBar
              label="Share of each part"
              shares={groups().map(({ name, tokens: own, colour }) => ({
                label: name,
                share: own / Math.max(1, total()),
                colour,
              }))}
            />
            <Show when={size() !== undefined && total() > size()!}>
              <p class="small inspector-over">Larger than this model's context.</p>
            </Show>
            <div class="row inspector-after">
              <Button small onClick={() => setOpen(true)}>
                Show exact prompt
              </Button>
              <span class="end small muted num">{sum()}</span>
            </div>
            <BindInstruction agent={props.agent} />
            <BindDocument agentId={props.agent.id} />
            <WholePrompt agent={props.agent} prompt={shown()} open={open()} onClose={() => setOpen(false)} />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Over the whole window. */
function WholePrompt(props: {
  readonly agent: Agent;
  readonly prompt: Prompt;
  readonly open: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const sourceOf = useSourceOf();
  return (
    <Dialog open={props.open} onClose={props.onClose} title={`Prompt of ${props.agent.name}`} wide="full">
      <div class="inspector-line">
        <p class="small muted">
          {props.agent.orchestrator
            ? "Sent with the next message, which is added at the end."
            : "Sent with the next task, which is added at the end."}{" "}
          ≈ means estimated.
        </p>
        <CopyButton text={promptText(props.prompt.parts)} label="Copy all" />
      </div>
      <PromptParts parts={props.prompt.parts} sourceOf={sourceOf} />
      <div class="actions">
        <Button onClick={() => props.onClose()}>Close</Button>
      </div>
    </Dialog>
  );
}

function Group(props: { readonly group: PromptGroup; readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const binding = createMemo(() =>
    props.group.kind === "instruction"
      ? here
          .state()
          .instructionBindings.find(
            ({ name, agent_id: of }) => name === props.group.name && (of === null || of === props.agent.id),
          )
      : undefined,
  );
  const document = createMemo(() =>
    props.group.kind === "context"
      ? here
          .state()
          .contextBindings.find(
            ({ path, agent_id: of }) => path === props.group.name && (of === null || of === props.agent.id),
          )
      : undefined,
  );
  const isForAll = () => (binding() ?? document())?.agent_id === null;
  return (
    <li>
      <div class="inspector-row">
        <span class="dot" style={{ background: props.group.colour }} />
        <span class="ellipsis" dir="auto" title={props.group.name}>
          {pathInBranch(here.state().workspace.branch, props.group.name)}
        </span>
        <Show when={props.group.version}>
          <span class="tag">{props.group.version}</span>
        </Show>
        <Show when={document() && props.group.note !== undefined}>
          <span class="tag wait">cannot be read</span>
        </Show>
        <Show when={isForAll()}>
          <span class="tag">all agents</span>
        </Show>
        <Show when={document()}>{(bound) => <UnbindDocument binding={bound()} />}</Show>
        <Show when={binding()}>
          {(bound) => (
            <span class="inspector-drop">
              <IconButton
                small
                label={`Unbind ${bound().name}${bound().agent_id === null ? " from all agents" : ""}`}
                onClick={() =>
                  void removeSelected(here, editing, { kind: "instruction-binding", id: bound().id })
                }
              >
                <X aria-hidden="true" />
              </IconButton>
            </span>
          )}
        </Show>
        <Show when={props.group.note === undefined}>
          <span class="end small muted num">
            {props.group.tokens === 0 ? emptyWords(props.group, props.agent) : tokens(props.group.tokens)}
          </span>
        </Show>
      </div>
      <Show when={props.group.note}>{(why) => <p class="inspector-note small muted">{why()}</p>}</Show>
    </li>
  );
}

function UnbindDocument(props: { readonly binding: ContextBinding }): JSX.Element {
  return (
    <span class="inspector-drop">
      <IconButton
        small
        label={`Unbind ${props.binding.path}${props.binding.agent_id === null ? " from all agents" : ""}`}
        onClick={() => void unbindDocument(props.binding)}
      >
        <X aria-hidden="true" />
      </IconButton>
    </span>
  );
}

/** Words in place of a bare 0, which would look like a fault. */
function emptyWords({ kind }: PromptGroup, agent: Agent): string {
  if (kind !== "conversation") return kind === "role" ? "no role yet" : "empty";
  return agent.orchestrator ? "no messages yet" : "starts with its next task";
}

function BindInstruction(props: { readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const instructions = instructionsQuery();
  const choices = createMemo(() => {
    const bound = new Set(
      here
        .state()
        .instructionBindings.filter(({ agent_id: of }) => of === null || of === props.agent.id)
        .map(({ instruction_id: id }) => id),
    );
    return (instructions.data() ?? [])
      .filter(({ id }) => !bound.has(id))
      .map(({ id, name, version }) => ({ value: String(id), label: name, note: `v${version}` }));
  });
  return (
    <BindBox
      action="Bind instruction"
      icon={<Plus aria-hidden="true" />}
      label="Instruction"
      choices={choices()}
      empty="Every instruction in the library is bound already."
      onChoose={(choice) => editing.bind("instruction", Number(choice.value), props.agent.id, choice.label)}
    />
  );
}
