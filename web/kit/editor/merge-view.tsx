// Two texts and what differs: beside each other where there is room, as one with the differences in it where there is not. The second one
// can be edited if somebody listens; then every difference has a button that takes the first text's piece.

import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { asProblem, type Problem } from "../../api/problem.ts";
import { ProblemNotice, Skeleton } from "../states.tsx";
import "./editor.css";
import type { Mounted } from "./mount.ts";

/** Narrower, two columns of code can't be read. */
const SIDES_FROM_PX = 640;

export interface MergeViewProps {
  readonly before: string;
  readonly beforeLabel: string;
  readonly value: string;
  readonly label: string;
  readonly fileName: string;
  readonly onChange?: (value: string) => void;
  /** On the buttons between the texts. */
  readonly takeLabel?: string;
  readonly onSave?: () => void;
}

export function MergeView(props: MergeViewProps): JSX.Element {
  let host!: HTMLDivElement;
  let shown: string | undefined;
  const [view, setView] = createSignal<Mounted>();
  const [problem, setProblem] = createSignal<Problem>();
  const [unified, setUnified] = createSignal<boolean>();

  const open = async (together: boolean, gone: () => boolean) => {
    try {
      const { mountMerge } = await import("./mount.ts");
      if (gone()) return;
      const text = props.value;
      const mounted = await mountMerge(
        host,
        {
          before: props.before,
          beforeLabel: props.beforeLabel,
          text,
          label: props.label,
          fileName: props.fileName,
          readOnly: props.onChange === undefined,
          unified: together,
          takeLabel: props.onChange && props.takeLabel,
          onSave: props.onSave && (() => props.onSave?.()),
          onChange: (changed) => {
            shown = changed;
            props.onChange?.(changed);
          },
        },
        gone,
      );
      if (!mounted) return;
      // It may have changed while the language was on its way.
      shown = props.value;
      if (shown !== text) mounted.show(shown);
      setView(mounted);
    } catch (error) {
      if (!gone()) setProblem(asProblem(error));
    }
  };

  const before = createMemo(() => props.before);
  onMount(() => {
    const room = new ResizeObserver(() => {
      if (host.clientWidth > 0) setUnified(host.clientWidth < SIDES_FROM_PX);
    });
    room.observe(host);
    onCleanup(() => room.disconnect());
    createEffect(
      on(
        () => [unified(), before(), props.fileName] as const,
        ([together]) => {
          if (together === undefined) return;
          let over = false;
          onCleanup(() => {
            over = true;
            setView((last) => void last?.destroy());
          });
          void open(together, () => over);
        },
      ),
    );
    createEffect(() => {
      const { value } = props;
      if (value === shown) return;
      shown = value;
      view()?.show(value);
    });
  });
  return (
    <div class="merge">
      <div class="merge-names" classList={{ unified: unified() === true }} aria-hidden="true">
        <span class="merge-name">
          <i class="merge-mark before" />
          <span class="ellipsis">{props.beforeLabel}</span>
        </span>
        <span class="merge-name">
          <i class="merge-mark after" />
          <span class="ellipsis">{props.label}</span>
        </span>
      </div>
      <div class="editor">
        <div class="editor-host" ref={(element) => (host = element)} />
        <Show when={!view()}>
          <div class="editor-pending">
            <Show when={problem()} fallback={<Skeleton label="Comparing" />}>
              {(why) => <ProblemNotice problem={why()} />}
            </Show>
          </div>
        </Show>
      </div>
    </div>
  );
}
