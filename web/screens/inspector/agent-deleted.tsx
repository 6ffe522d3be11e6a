// A form of an agent that someone else has deleted: it stays with its text, and says why it cannot be saved.

import { type JSX, Show } from "solid-js";
import { CopyButton } from "../../kit/pieces.tsx";

/** A part of the agent with a form of its own. */
export interface EditedPart {
  /** By someone, while a part of the agent was edited. */
  readonly deleted: boolean;
  readonly editing: boolean;
  readonly onEdit: (editing: boolean) => void;
}

export function AgentDeleted(props: {
  readonly name: string;
  /** The consequence. */
  readonly children: JSX.Element;
  /** A text that is worth copying. */
  readonly text?: string;
}): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <div>
        <bdi>{props.name}</bdi> was deleted while you were editing. {props.children}
      </div>
      <Show when={props.text !== undefined}>
        <CopyButton text={props.text!} label="Copy your text" />
      </Show>
    </div>
  );
}
