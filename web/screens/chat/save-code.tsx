// Offers to save a code block as a file of the workspace.

import FilePlus from "lucide-solid/icons/file-plus";
import { createSignal, type JSX, Show } from "solid-js";
import { IconButton } from "../../kit/button.tsx";
import { later } from "../../kit/later.tsx";

const SaveCodeDialog = later(async () => (await import("./save-code-dialog.tsx")).SaveCodeDialog);

export function SaveCode(props: { readonly code: string; readonly language: string }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <IconButton label="Save to file" small onClick={() => setOpen(true)}>
        <FilePlus aria-hidden="true" />
      </IconButton>
      <Show when={open()}>
        <SaveCodeDialog code={props.code} language={props.language} onClose={() => setOpen(false)} />
      </Show>
    </>
  );
}
