// Pills: gears and instructions beside their agent, and the gate to the internet.

import BookOpen from "lucide-solid/icons/book-open";
import Cog from "lucide-solid/icons/cog";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Globe from "lucide-solid/icons/globe";
import { createMemo, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { sameRect } from "./geometry.ts";
import { type Attachment, GATE_LABEL } from "./graph.ts";
import { useStage } from "./stage.ts";
import { GATE_ID } from "./dragging.ts";
import { FLOW_ID, LIBRARY, NO_PAN } from "./viewport.ts";
import "./pill.css";

export const ICONS: Readonly<Record<Attachment["kind"], typeof Cog>> = {
  "gear-binding": Cog,
  "instruction-binding": BookOpen,
  more: Ellipsis,
};
const WORDS: Readonly<Record<Attachment["kind"], string>> = {
  "gear-binding": "gear",
  "instruction-binding": "instruction",
  more: "",
};

export function Pill(props: { readonly key_: string }): JSX.Element {
  const stage = useStage();
  const placed = createMemo(() => stage.scene.attachments().get(props.key_));
  const rect = createMemo(() => placed()?.rect, undefined, { equals: sameRect });
  const attachment = createMemo(() => placed()?.attachment);
  const owner = () => stage.scene.agents().get(attachment()?.owner ?? 0)?.name ?? "";
  const selected = () => {
    const one = stage.selection();
    const own = attachment();
    return own !== undefined && one?.kind === own.kind && one.id === own.id;
  };
  const choose = () => {
    const { kind, id } = attachment()!;
    stage.choose(new Set());
    stage.select(kind === "more" ? { kind: "agent", id } : { kind, id });
  };
  return (
    <Show when={attachment()}>
      {(one) => (
        <button
          type="button"
          class={`blueprint-pill ${one().kind} ${NO_PAN}`}
          classList={{ selected: selected() }}
          style={{
            transform: `translate(${rect()?.x ?? 0}px, ${rect()?.y ?? 0}px)`,
            width: `${rect()?.width ?? 0}px`,
          }}
          aria-pressed={selected()}
          title={one().label}
          onClick={choose}
        >
          <Dynamic component={ICONS[one().kind]} size={14} aria-hidden="true" />
          <span class="visually-hidden">{WORDS[one().kind]} </span>
          <span class="ellipsis" dir="auto">
            {one().label}
          </span>
          <Show when={one().note}>
            <span class="blueprint-pill-note"> {one().note}</span>
          </Show>
          <Show when={!one().forAll}>
            <span class="visually-hidden"> of {owner()}</span>
          </Show>
        </button>
      )}
    </Show>
  );
}

export function Gate(props: { readonly note: string }): JSX.Element {
  const stage = useStage();
  const rect = createMemo(() => stage.scene.gate(), undefined, { equals: sameRect });
  return (
    <Show when={rect()}>
      {(at) => (
        <div
          class={`blueprint-pill gate ${NO_PAN}`}
          classList={{ aimed: stage.connecting.line()?.onto === "gate" }}
          style={{ transform: `translate(${at().x}px, ${at().y}px)`, width: `${at().width}px` }}
          role="img"
          aria-label={`The internet: ${stage.gateClosed() ?? "connected agents ask a person before each search"}`}
          title={stage.gateClosed() ?? "A person approves each search"}
        >
          <Globe size={14} aria-hidden="true" />
          <span class="ellipsis">{GATE_LABEL}</span>
          <span class="blueprint-pill-note">{props.note}</span>
          <span
            class={`blueprint-card-target ${LIBRARY}-flow__handle target connectable connectableend`}
            data-nodeid={GATE_ID}
            data-id={`${FLOW_ID}-${GATE_ID}-null-target`}
          />
        </div>
      )}
    </Show>
  );
}
