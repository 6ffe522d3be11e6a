// Asks for the path of a new file or document. Nothing is created before the first save.

import { createSignal, type JSX } from "solid-js";
import { asProblem, fieldProblem, withField } from "../../api/problem.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";

interface NewDocumentProps {
  readonly noun: "file" | "document";
  /** Reads the path, so that the server's rules apply. Raises `Problem` with `not_found` if it is free. */
  readonly read: (path: string) => Promise<unknown>;
  /** The current directory, which prefills the field. */
  readonly directory: string;
  readonly onClose: () => void;
  readonly onNamed: (path: string) => void;
}

export function NewDocument(props: NewDocumentProps & { readonly open: boolean }): JSX.Element {
  return (
    <Dialog open={props.open} onClose={props.onClose} title={`Create ${props.noun}`}>
      <PathForm {...props} />
    </Dialog>
  );
}

/** Lasts as long as the dialog is open. */
function PathForm(props: NewDocumentProps): JSX.Element {
  const [path, setPath] = createSignal(props.directory === "" ? "" : `${props.directory}/`);
  const open = unlessMovedOn((named: string) => props.onNamed(named));
  const submission = createSubmission(["path"], async () => {
    const wanted = path().normalize("NFC");
    await requireFree(props.read(wanted), props.noun);
    open(wanted);
  });
  return (
    <form class="form" onSubmit={(event) => void submission.submit(event)}>
      <TextInput
        label="Path"
        value={path()}
        onInput={setPath}
        problem={submission.of("path")}
        placeholder="notes/plan.md"
        hint={`Missing ${props.noun === "file" ? "directories" : "folders"} are created when you save.`}
        mono
        autofocus
        required
      />
      <FormActions form={submission} action={`Create ${props.noun}`} onCancel={props.onClose} />
    </form>
  );
}

/** Raises `Problem` for the field `path`. */
async function requireFree(reading: Promise<unknown>, noun: string): Promise<void> {
  const taken = fieldProblem("path", `A ${noun} with this path already exists.`);
  try {
    await reading;
  } catch (error) {
    const why = asProblem(error);
    if (why.code === "not_found") return;
    if (why.code === "not_text" || why.code === "too_large") throw taken;
    // The path is all that this request says.
    throw why.code === "invalid" ? withField(why, "path") : why;
  }
  throw taken;
}
