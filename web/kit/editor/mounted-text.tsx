// Hosts a text view that loads on demand: mounts it, passes outside changes to it, unmounts it, and shows its loading state. `mount` decides
// which kind of view it is.

import { createEffect, createSignal, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { asProblem, type Problem } from "../../api/problem.ts";
import { ProblemNotice, Skeleton } from "../states.tsx";
import "./editor.css";
import type * as mount from "./mount.ts";

type Mounted = mount.Mounted;

/** The module of views, loaded with the first. */
type Views = typeof mount;

interface Place {
  readonly host: HTMLElement;
  readonly text: string;
  /** Called for every change that a person makes. */
  readonly onChange: (text: string) => void;
  /** Whether the host was unmounted meanwhile. */
  readonly gone: () => boolean;
}

interface MountedTextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A new identity makes a new view with its own history and language. Undefined: do not mount yet. */
  readonly identity: unknown;
  readonly mount: (views: Views, place: Place) => Promise<Mounted | undefined>;
  /** The label of the loading state. */
  readonly pending: string;
  readonly onHost?: (host: HTMLElement) => void;
  readonly onMounted?: (view: Mounted) => void;
}

export function MountedText(props: MountedTextProps): JSX.Element {
  let host!: HTMLDivElement;
  const { view, problem, retry } = createMounted(props, () => host);
  return (
    <div class="editor">
      <div class="editor-host" ref={(element) => (host = element)} />
      <Show when={!view()}>
        <div class="editor-pending">
          <Show when={problem()} fallback={<Skeleton label={props.pending} />}>
            {(why) => <ProblemNotice problem={why()} onRetry={retry} />}
          </Show>
        </div>
      </Show>
    </div>
  );
}

function createMounted(props: MountedTextProps, host: () => HTMLElement) {
  let shown: string | undefined;
  const [view, setView] = createSignal<Mounted>();
  const [problem, setProblem] = createSignal<Problem>();

  const open = async (gone: () => boolean) => {
    setProblem(undefined);
    try {
      const views = await import("./mount.ts");
      if (gone()) return;
      const text = props.value;
      const onChange = (changed: string) => {
        shown = changed;
        props.onChange(changed);
      };
      const mounted = await props.mount(views, { host: host(), text, onChange, gone });
      if (!mounted) return;
      // The value may have changed while the language loaded.
      shown = props.value;
      if (shown !== text) mounted.show(shown);
      setView(mounted);
      props.onMounted?.(mounted);
    } catch (error) {
      if (!gone()) setProblem(asProblem(error));
    }
  };

  onMount(() => {
    props.onHost?.(host());
    createEffect(
      on(
        () => props.identity,
        (identity) => {
          if (identity === undefined) return;
          let over = false;
          onCleanup(() => {
            over = true;
            setView((before) => void before?.destroy());
          });
          void open(() => over);
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
  return { view, problem, retry: () => void open(() => false) };
}
