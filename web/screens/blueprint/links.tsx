// The lines, in one layer below the cards: wires with their direction, lines to pills, grants, and the line being drawn.

import { createMemo, For, type JSX, Show } from "solid-js";
import { curve, OPPOSITE, portOf, type Rect, sideTowards } from "./geometry.ts";
import { attachmentPath } from "./graph.ts";
import { routePath, wirePath } from "./routes.ts";
import { useStage } from "./stage.ts";
import "./links.css";
import { sameList } from "../../kit/same-list.ts";

const ARROWS = ["plain", "live", "selected"] as const;

export function Links(): JSX.Element {
  const { scene } = useStage();
  const wireIds = createMemo(() => [...scene.wires().keys()], undefined, {
    equals: sameList,
  });
  return (
    <svg class="blueprint-links" aria-hidden="true" width="1" height="1">
      <defs>
        <For each={ARROWS}>
          {(kind) => (
            <marker
              id={`blueprint-arrow-${kind}`}
              class={`blueprint-arrow ${kind}`}
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="14"
              markerHeight="14"
              markerUnits="userSpaceOnUse"
              orient="auto-start-reverse"
            >
              <path d="M0 0L10 5L0 10z" />
            </marker>
          )}
        </For>
      </defs>
      <For each={scene.attachmentKeys()}>{(key) => <AttachmentLine key_={key} />}</For>
      <GrantLines />
      <For each={wireIds()}>{(id) => <WireLine id={id} />}</For>
      <DrawnLine />
    </svg>
  );
}

function WireLine(props: { readonly id: number }): JSX.Element {
  const stage = useStage();
  const { scene } = stage;
  const id = props.id;
  const wire = createMemo(() => scene.wires().get(id));
  const from = createMemo(() => scene.cards().get(wire()?.from ?? 0), undefined, { equals: samePlace });
  const to = createMemo(() => scene.cards().get(wire()?.to ?? 0), undefined, { equals: samePlace });
  const path = createMemo(() => {
    const [a, b] = [from(), to()];
    const routed = scene.routes().get(id);
    if (!a || !b || !routed) return "";
    return routePath(a, b, routed.route, { reversed: wire()?.reversed ?? false, lane: routed.lane });
  });
  const live = createMemo(() => stage.live().wires.has(id));
  const selected = createMemo(() => stage.selection()?.kind === "wire" && stage.selection()!.id === id);
  const arrow = () => (selected() ? "selected" : live() ? "live" : "plain");
  return (
    <g class="blueprint-wire" classList={{ live: live(), selected: selected() }} data-wire={id}>
      <path
        class="blueprint-wire-hit"
        d={path()}
        onClick={() => {
          stage.choose(new Set());
          stage.select({ kind: "wire", id });
        }}
      />
      <path class="blueprint-wire-line" d={path()} marker-end={`url(#blueprint-arrow-${arrow()})`} />
    </g>
  );
}

function samePlace(a: Rect | undefined, b: Rect | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y;
}

function AttachmentLine(props: { readonly key_: string }): JSX.Element {
  const stage = useStage();
  const path = createMemo(() => {
    const placed = stage.scene.attachments().get(props.key_);
    const card = placed && stage.scene.cards().get(placed.attachment.owner);
    return card ? attachmentPath(card, placed) : "";
  });
  const kind = createMemo(() => stage.scene.attachments().get(props.key_)?.attachment.kind ?? "");
  const live = createMemo(() => {
    const one = stage.scene.attachments().get(props.key_)?.attachment;
    return one?.kind === "gear-binding" && stage.live().gearBindings.has(one.id);
  });
  return <path class={`blueprint-link ${kind()}`} classList={{ live: live() }} d={path()} />;
}

function GrantLines(): JSX.Element {
  const stage = useStage();
  const ids = createMemo(() => stage.scene.shown().grants.map(({ id }) => id), undefined, {
    equals: sameList,
  });
  return (
    <Show when={stage.scene.gate()}>
      <For each={ids()}>{(id) => <GrantLine id={id} />}</For>
    </Show>
  );
}

function GrantLine(props: { readonly id: number }): JSX.Element {
  const stage = useStage();
  const id = props.id;
  const path = createMemo(() => {
    const grant = stage.scene.shown().grants.find((one) => one.id === id);
    const card = grant && stage.scene.cards().get(grant.agent_id);
    const gate = stage.scene.gate();
    if (!card || !gate) return "";
    const pills = [...stage.scene.attachments().values()].map(({ rect }) => rect);
    return wirePath(card, gate, { others: [...stage.scene.cards().values(), ...pills] });
  });
  const selected = createMemo(() => stage.selection()?.kind === "grant" && stage.selection()!.id === id);
  return (
    <g
      class="blueprint-wire grant"
      classList={{ selected: selected(), live: stage.live().grants.has(id) }}
      data-grant={id}
    >
      <path
        class="blueprint-wire-hit"
        d={path()}
        onClick={() => {
          stage.choose(new Set());
          stage.select({ kind: "grant", id });
        }}
      />
      <path class="blueprint-wire-line" d={path()} />
    </g>
  );
}

/** From the card to the pointer, or to the drop target. */
function DrawnLine(): JSX.Element {
  const stage = useStage();
  const path = createMemo(() => {
    const line = stage.connecting.line();
    const card = line && stage.scene.cards().get(line.from);
    if (!card) return undefined;
    const onto = line.onto === "gate" ? stage.scene.gate() : stage.scene.cards().get(line.onto ?? 0);
    if (onto && line.onto !== line.from) return wirePath(card, onto);
    const point = { x: line.pointer.x, y: line.pointer.y, width: 0, height: 0 };
    const side = sideTowards(card, point);
    return curve(portOf(card, side), side, line.pointer, OPPOSITE[side]);
  });
  return (
    <Show when={path()}>
      {(d) => <path class="blueprint-drawn" d={d()} marker-end="url(#blueprint-arrow-selected)" />}
    </Show>
  );
}
