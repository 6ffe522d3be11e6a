// The heading of an open document: its path, whose directory gives way to the name.

import type { JSX } from "solid-js";
import "./document.css";

/** `name`: the part of the path that is shown; all of it by default. */
export function DocumentPath(props: { readonly path: string; readonly name?: string }): JSX.Element {
  const shown = () => props.name ?? props.path;
  const cut = () => shown().lastIndexOf("/") + 1;
  return (
    <h2 class="document-path mono" title={props.path}>
      <bdi class="document-directory ellipsis">{shown().slice(0, cut())}</bdi>
      <bdi class="document-name ellipsis">{shown().slice(cut())}</bdi>
    </h2>
  );
}
