// The header of every inspector: title and close button.

import X from "lucide-solid/icons/x";
import { createContext, type JSX, useContext } from "solid-js";
import { IconButton } from "../../kit/button.tsx";
import { capitalized } from "../../kit/format.ts";

/** Closes the inspector and restores the focus. The inspector provides it. */
export const CloseContext = createContext<() => void>(() => {});

export function InspectorHeader(props: {
  /** Plain text; use `children` for more. */
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

/** Shown when the selected thing does not exist. */
export function Gone(props: { readonly what: string; readonly children?: JSX.Element }): JSX.Element {
  return (
    <>
      <InspectorHeader title={capitalized(props.what)} />
      <p class="section muted">{props.children ?? `This ${props.what} no longer exists.`}</p>
    </>
  );
}
