// The layer of the canvas that pans and zooms: lines, pills and cards. The dots behind it and the box that selects are beside it.

import { createMemo, For, type JSX, Show } from "solid-js";
import { fingers } from "../../kit/screen.ts";
import { Card } from "./card.tsx";
import type { Rect } from "./geometry.ts";
import { Links } from "./links.tsx";
import { Gate, Pill } from "./pill.tsx";
import { useStage } from "./stage.ts";

/** Below this zoom, cards show only their names, enlarged. */
const FAR_ZOOM = 0.5;
/** How much larger dots and lines may become for fingers. Further out, a finger has to zoom in first. */
const FINGER_MAX = 3;
const GRID = 22;
/** Below this zoom the dots would blur into grey. */
const GRID_ZOOM_MIN = 0.3;

export function Layer(props: {
  /** The text after the gate's name; undefined: no gate. */
  readonly gateNote: string | undefined;
  readonly dragging: boolean;
  readonly onDrop: (agentId: number) => void;
}): JSX.Element {
  const { scene, view } = useStage();
  const far = createMemo(() => view.viewport().zoom < FAR_ZOOM);
  // In steps, and for fingers only: each change looks at the style of every card.
  const finger = createMemo(() => Math.min(Math.max(Math.ceil(2 / view.viewport().zoom) / 2, 1), FINGER_MAX));
  return (
    <div
      class="blueprint-layer"
      classList={{ far: far(), moving: view.moving(), dragging: props.dragging }}
      role="group"
      aria-label="Agents"
      style={{
        transform: `translate(${view.viewport().x}px, ${view.viewport().y}px) scale(${view.viewport().zoom})`,
        "--finger": fingers() ? finger() : undefined,
      }}
    >
      <Links />
      <For each={scene.attachmentKeys()}>{(key) => <Pill key_={key} />}</For>
      <Show when={props.gateNote !== undefined}>
        <Gate note={props.gateNote ?? ""} />
      </Show>
      <For each={scene.agentIds()}>
        {(id) => (
          <Card
            id={id}
            onDropAttachment={(event, agentId) => (event.preventDefault(), props.onDrop(agentId))}
          />
        )}
      </For>
    </div>
  );
}

/** The dots behind; outside the layer, so that only they are repainted. */
export function Grid(): JSX.Element {
  const { view } = useStage();
  const size = () => `${GRID * view.viewport().zoom}px`;
  return (
    <div
      class="blueprint-grid"
      classList={{ hidden: view.viewport().zoom < GRID_ZOOM_MIN }}
      style={{
        "background-size": `${size()} ${size()}`,
        "background-position": `${view.viewport().x}px ${view.viewport().y}px`,
      }}
    />
  );
}

/** The box that selects agents while it is drawn, in pixels of the pane. */
export function SelectionBox(props: { readonly rect: Rect | undefined }): JSX.Element {
  return (
    <Show when={props.rect}>
      {(rect) => (
        <div
          class="blueprint-box"
          style={{
            transform: `translate(${rect().x}px, ${rect().y}px)`,
            width: `${rect().width}px`,
            height: `${rect().height}px`,
          }}
        />
      )}
    </Show>
  );
}
