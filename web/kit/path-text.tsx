// A path on one line. Without room for all of it, its beginning is cut, because its end tells files apart.

import type { JSX } from "solid-js";

/** `children`: the path with marks in it. */
export function PathText(props: { readonly path: string; readonly children?: JSX.Element }): JSX.Element {
  return (
    <span class="path-text ellipsis" title={props.path}>
      <bdi>{props.children ?? props.path}</bdi>
    </span>
  );
}
