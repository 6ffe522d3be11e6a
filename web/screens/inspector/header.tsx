// The top of every inspector: what it is about, and how it is closed.

import X from "lucide-solid/icons/x";
import { createContext, type JSX, useContext } from "solid-js";
import { IconButton } from "../../kit/button.tsx";

/** Provided by the inspector: closes it, and puts the focus back where it came from. */
export const CloseContext = createContext<() => void>(() => {});

export function InspectorHeader(props: {
  /** Shown as it is; give `children` for more than a name. */
  readonly title: string;
  readonly before?: JSX.Element;
  readonly end?: JSX.Element;
  /** A second line. */
  readonly children?: JSX.Element;
}): JSX.Element {
  const close = useContext(CloseContext);
  return (
    <header class="inspector-head">
      <div class="row">
        {props.before}
        <h2 class="ellipsis" dir="auto" title={props.title}>
          {props.title}
        </h2>
        {props.end}
        <IconButton label="Close" small onClick={close}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
      {props.children}
    </header>
  );
}

/** What was selected does not exist, or not any more. */
export function Gone(props: { readonly what: string; readonly children?: JSX.Element }): JSX.Element {
  return (
    <>
      <InspectorHeader title={props.what.charAt(0).toUpperCase() + props.what.slice(1)} />
      <p class="section muted">{props.children ?? `This ${props.what} does not exist any more.`}</p>
    </>
  );
}
