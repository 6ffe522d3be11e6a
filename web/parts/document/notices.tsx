// Notices above a document: what is special about it, and changes by others while it is edited.

import Info from "lucide-solid/icons/info";
import UsersRound from "lucide-solid/icons/users-round";
import { type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import type { TextDocument } from "./document.ts";
import "./document.css";

/** `children`: an icon, the text in a `span`, and a button. */
export function Note(props: {
  readonly kind: "wait" | "info";
  readonly role?: "note";
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <div class={`document-note ${props.kind}`} role={props.role}>
      {props.children}
    </div>
  );
}

/** Says that someone else saved another version, and why the last save failed. */
export function EditNotices(props: {
  readonly document: TextDocument;
  readonly noun: "file" | "document";
  /** The author of the other version, if known. */
  readonly by: string | undefined;
}): JSX.Element {
  const { document: edited } = props;
  const who = () => props.by ?? "Someone else";
  return (
    <>
      <div role="status">
        <Show when={edited.outrun()}>
          <Note kind="wait">
            <UsersRound aria-hidden="true" />
            <span>
              <Show
                when={edited.saved()}
                fallback={`This ${props.noun} was deleted. Saving recreates it with your text.`}
              >
                <bdi>{who()}</bdi> saved another version while you were editing. Your version is kept.
              </Show>
            </span>
            <Button small onClick={() => edited.compare(true)}>
              Compare
            </Button>
          </Note>
        </Show>
        <Show when={!edited.outrun() && edited.takenOver()}>
          <Note kind="info">
            <Info aria-hidden="true" />
            <span>
              <bdi>{who()}</bdi> saved a new version, which is now shown.
            </span>
          </Note>
        </Show>
      </div>
      <Show when={!edited.comparing() && edited.problem()}>
        {(problem) => (
          <div class="document-problem">
            <ProblemNotice problem={problem()} />
          </div>
        )}
      </Show>
    </>
  );
}
