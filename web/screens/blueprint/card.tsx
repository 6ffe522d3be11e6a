// An agent on the canvas: state, name, model, usage and share. The body drags it; the dot at its edge draws wires.

import { createMemo, type JSX, onCleanup, onMount, Show } from "solid-js";
import { tokens } from "../../kit/format.ts";
import { type AgentFigures, shareText } from "./figures.ts";
import { sameRect } from "./geometry.ts";
import type { Activity } from "../../state/live.ts";
import { AgentAvatar } from "../../parts/agent/agent-avatar.tsx";
import { isSelected, useStage } from "./stage.ts";
import { FLOW_ID, LIBRARY, NO_DRAG, NO_PAN } from "./viewport.ts";
import "./card.css";

export const DOTS: Readonly<Record<Activity, string>> = {
  idle: "",
  thinking: "busy",
  working: "busy",
  waiting: "wait",
};

/** The element of an agent's card, to focus it. */
export const cardId = (agentId: number) => `blueprint-agent-${agentId}`;
export const HELP_ID = "blueprint-help";

export function Card(props: {
  readonly id: number;
  readonly onDropAttachment: (event: DragEvent, agentId: number) => void;
}): JSX.Element {
  const stage = useStage();
  const { scene, figures, connecting } = stage;
  const id = props.id;
  const agent = createMemo(() => scene.agents().get(id));
  const rect = createMemo(() => scene.cards().get(id), undefined, { equals: sameRect });
  const now = createMemo(() => stage.live().activity.get(id) ?? "idle");
  const figure = createMemo(() => figures.of(id));
  const selected = createMemo(() => isSelected(stage, id));
  const aimed = createMemo(() => connecting.line()?.onto === id);
  const kind = () => (agent()?.orchestrator ? "orchestrator" : "worker");
  const click = (event: MouseEvent) => {
    if (event.shiftKey) {
      const next = new Set(stage.chosen());
      const one = stage.selection();
      if (next.size === 0 && one?.kind === "agent") next.add(one.id);
      if (!next.delete(id)) next.add(id);
      stage.choose(next);
    } else {
      stage.choose(new Set());
      stage.select({ kind: "agent", id });
    }
  };
  const attach = (element: HTMLElement) => onMount(() => stage.draggable(element, id));
  onCleanup(() => stage.editing.drop([id]));
  return (
    <div
      ref={attach}
      id={cardId(id)}
      class={`blueprint-card ${NO_PAN}`}
      classList={{ selected: selected(), aimed: aimed(), fixed: stage.readOnly() }}
      style={{ transform: `translate(${rect()?.x ?? 0}px, ${rect()?.y ?? 0}px)` }}
      role="button"
      tabIndex={0}
      data-agent={id}
      aria-pressed={selected()}
      aria-describedby={HELP_ID}
      onClick={click}
      onDragOver={(event) => !stage.readOnly() && event.preventDefault()}
      onDrop={(event) => props.onDropAttachment(event, id)}
    >
      <Head id={id} name={agent()?.name} kind={kind()} activity={stage.readOnly() ? undefined : now()} />
      <Sub
        model={agent() ? figures.model(agent()!) : ""}
        budget={stage.readOnly() ? undefined : figure().budget}
      />
      <Show
        when={!stage.readOnly()}
        fallback={
          <div class="blueprint-card-foot" aria-hidden="true">
            {kind()}
          </div>
        }
      >
        <Foot figure={figure()} />
        <Handles id={id} />
      </Show>
    </div>
  );
}

/** `activity`: undefined for an agent of the past. */
function Head(props: {
  readonly id: number;
  readonly name: string | undefined;
  readonly kind: string;
  readonly activity: Activity | undefined;
}): JSX.Element {
  return (
    <div class="blueprint-card-head">
      <span class={`dot ${props.activity ? DOTS[props.activity] : ""}`} />
      <AgentAvatar id={props.id} size="small" />
      <span class="blueprint-card-name" dir="auto" title={props.name}>
        {props.name}
      </span>
      <span class="visually-hidden">, {props.kind}, </span>
      <Show when={props.activity}>
        {(activity) => (
          <span class={activity() === "idle" ? "visually-hidden" : "blueprint-card-state"}>{activity()}</span>
        )}
      </Show>
      <span class="visually-hidden">, </span>
    </div>
  );
}

function Sub(props: { readonly model: string; readonly budget: AgentFigures["budget"] }): JSX.Element {
  return (
    <div class="blueprint-card-sub">
      <span class="ellipsis" dir="auto" title={props.model}>
        {props.model || "\u00a0"}
      </span>
      <Show when={props.budget}>
        {(budget) => (
          <span
            class="blueprint-card-budget num"
            classList={{ spent: budget().spent }}
            title={budget().title}
          >
            {budget().text}
          </span>
        )}
      </Show>
    </div>
  );
}

function Foot(props: { readonly figure: AgentFigures }): JSX.Element {
  return (
    <div class="blueprint-card-foot num">
      <span class="visually-hidden">, </span>
      <span>{tokens(props.figure.tokens)} tokens</span>
      <span class="bar">
        <i style={{ width: `${(props.figure.share ?? 0) * 100}%`, background: props.figure.colour }} />
      </span>
      <span class="visually-hidden">, </span>
      <span>{shareText(props.figure.share)}</span>
      <span class="visually-hidden"> of the workspace</span>
    </div>
  );
}

/** Wires end anywhere on the card, and start at its right edge. */
function Handles(props: { readonly id: number }): JSX.Element {
  const { connecting } = useStage();
  return (
    <>
      <span
        class={`blueprint-card-target ${LIBRARY}-flow__handle target connectable connectableend`}
        data-nodeid={props.id}
        data-id={`${FLOW_ID}-${props.id}-null-target`}
      />
      <span
        class={`blueprint-card-dot ${LIBRARY}-flow__handle source ${NO_DRAG} ${NO_PAN}`}
        data-nodeid={props.id}
        title="Drag to another agent to add a wire"
        onMouseDown={(event) => event.button === 0 && connecting.begin(event, props.id)}
        onTouchStart={(event) => connecting.begin(event, props.id)}
      />
    </>
  );
}
