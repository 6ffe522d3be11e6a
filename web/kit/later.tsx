// A component that loads when it is first shown. Nothing suspends: the screen around it stays as it is, and a failure to load stays inside it.
// Every use shares the one loaded component, whichever of them was removed meanwhile.

import { type Component, createSignal, type JSX, Match, splitProps, Switch } from "solid-js";
import { Dynamic } from "solid-js/web";
import { needsReload } from "../api/load-failure.ts";
import { asProblem } from "../api/problem.ts";
import { loading, whenQuiet } from "./quiet.ts";
import { ProblemNotice } from "./states.tsx";

interface Meanwhile {
  readonly fallback?: JSX.Element;
  /** Places the notice that it could not be loaded. */
  readonly failed?: (notice: JSX.Element) => JSX.Element;
}

type Later<P> = Component<P & Meanwhile>;

interface LaterOptions {
  /** Waits for what the page needs first. For extras that nobody waits for. */
  readonly whenQuiet?: boolean;
}

export function later<P extends object>(
  load: () => Promise<Component<P>>,
  options: LaterOptions = {},
): Later<P> {
  const [loaded, setLoaded] = createSignal<Component<P>>();
  const [failure, setFailure] = createSignal<unknown>();
  let busy = false;
  const start = async () => {
    if (busy || loaded() !== undefined) return;
    busy = true;
    setFailure(undefined);
    if (options.whenQuiet) await whenQuiet();
    try {
      const component = await loading(load());
      setLoaded(() => component);
    } catch (error) {
      setFailure(error);
    }
    busy = false;
  };
  const retry = () => (needsReload(failure()) ? location.reload() : void start());
  return (props) => {
    const [own, passed] = splitProps(props, ["fallback", "failed"]);
    void start();
    return (
      <Switch fallback={own.fallback}>
        <Match when={loaded()}>
          {(component) => <Dynamic component={component() as Component<object>} {...passed} />}
        </Match>
        <Match when={failure()}>
          {(error) => {
            const notice = () => <ProblemNotice problem={asProblem(error())} onRetry={retry} />;
            return own.failed ? own.failed(notice()) : notice();
          }}
        </Match>
      </Switch>
    );
  };
}
