// A heading that renames a person or a team in place.

import Pencil from "lucide-solid/icons/pencil";
import { createSignal, type JSX, Show } from "solid-js";
import { IconButton } from "../../kit/button.tsx";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";

export function RenamableHeading(props: {
  readonly name: string;
  readonly mayRename: boolean;
  /** By someone, while it was open. */
  readonly deleted: boolean;
  /** Throws the server's refusal. */
  readonly onRename: (name: string) => Promise<unknown>;
  readonly end: JSX.Element;
}): JSX.Element {
  const [renaming, setRenaming] = createSignal(false);
  return (
    <Show
      when={renaming()}
      fallback={
        <div class="row people-head">
          <h2 class="pane-title ellipsis" dir="auto" title={props.name}>
            {props.name}
          </h2>
          <Show when={props.mayRename && !props.deleted}>
            <IconButton small label="Rename" onClick={() => setRenaming(true)}>
              <Pencil aria-hidden="true" />
            </IconButton>
          </Show>
          <span class="end row">{props.end}</span>
        </div>
      }
    >
      <RenameForm {...props} onDone={() => setRenaming(false)} />
    </Show>
  );
}

function RenameForm(props: {
  readonly name: string;
  readonly deleted: boolean;
  readonly onRename: (name: string) => Promise<unknown>;
  readonly onDone: () => void;
}): JSX.Element {
  const [name, setName] = createSignal(props.name);
  guardLeaving(() => name() !== props.name);
  const close = unlessMovedOn(() => props.onDone());
  const sent = createSubmission(["name"], async () => {
    await props.onRename(name());
    close();
  });
  return (
    <form
      ref={focusOn("input")}
      class="form"
      onSubmit={(event) => void sent.submit(event)}
      onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), props.onDone())}
    >
      <TextInput label="Name" value={name()} onInput={setName} problem={sent.of("name")} required />
      <FormActions form={sent} action="Rename" small disabled={props.deleted} onCancel={props.onDone} />
    </form>
  );
}
