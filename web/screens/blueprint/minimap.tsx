// The minimap: the whole blueprint with a frame around the visible part. Dragging pans and the wheel zooms; for pointers only.

import { XYMinimap } from "@xyflow/system";
import { createEffect, createMemo, For, type JSX, onCleanup, onMount } from "solid-js";
import { boundsOf, type Rect } from "./geometry.ts";
import { transformOf } from "./dragging.ts";
import { isSelected, useStage } from "./stage.ts";
import { ENDLESS } from "./viewport.ts";
import "./minimap.css";

const WIDTH = 150;
const HEIGHT = 92;
const MARGIN = 8;

export function Minimap(): JSX.Element {
  const stage = useStage();
  const { scene, view } = stage;
  const seen = createMemo((): Rect => {
    const { x, y, zoom } = view.viewport();
    const { width, height } = view.size();
    return { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  });
  const frame = createMemo(() => {
    const all = boundsOf([seen(), ...(scene.bounds() ? [scene.bounds()!] : [])])!;
    const scale = Math.max(all.width / (WIDTH - 2 * MARGIN), all.height / (HEIGHT - 2 * MARGIN), 0.001);
    const [width, height] = [WIDTH * scale, HEIGHT * scale];
    const x = all.x - (width - all.width) / 2;
    const y = all.y - (height - all.height) / 2;
    return { scale, box: `${x} ${y} ${width} ${height}` };
  });
  const attach = (svg: SVGSVGElement) =>
    onMount(() => {
      const map = XYMinimap({
        domNode: svg,
        panZoom: view.panZoom()!,
        getTransform: () => transformOf(view),
        getViewScale: () => frame().scale,
      });
      createEffect(() =>
        map.update({ ...view.size(), translateExtent: ENDLESS, pannable: true, zoomable: true }),
      );
      onCleanup(() => map.destroy());
    });
  return (
    <div class="blueprint-map" aria-hidden="true">
      <svg ref={attach} viewBox={frame().box} width={WIDTH} height={HEIGHT}>
        <For each={scene.agentIds()}>{(id) => <Spot id={id} />}</For>
        <rect
          class="blueprint-map-seen"
          x={seen().x}
          y={seen().y}
          width={seen().width}
          height={seen().height}
          vector-effect="non-scaling-stroke"
        />
      </svg>
    </div>
  );
}

function Spot(props: { readonly id: number }): JSX.Element {
  const stage = useStage();
  const rect = createMemo(() => stage.scene.cards().get(props.id));
  const active = () => stage.live().activity.has(props.id) || isSelected(stage, props.id);
  return (
    <rect
      class="blueprint-map-spot"
      classList={{ active: active() }}
      x={rect()?.x}
      y={rect()?.y}
      width={rect()?.width}
      height={rect()?.height}
      rx="12"
    />
  );
}
