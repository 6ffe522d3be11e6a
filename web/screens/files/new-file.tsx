// Asks for the path of a new file. Nothing is made before the first save: there is no way to delete what was made by mistake.

import { createEffect, createSignal, type JSX, on } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldProblem, type Problem, withField } from "../../api/problem.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";

export function NewFile(props: {
  readonly open: boolean;
  readonly workspaceId: number;
  /** The directory that is looked at: what the field begins with. */
  readonly directory: string;
  readonly onClose: () => void;
  readonly onNamed: (path: string) => void;
}): JSX.Element {
  const [path, setPath] = createSignal("");
  const submission = createSubmission(["path"], async () => {
    const wanted = path().normalize("NFC");
    await requireFree(props.workspaceId, wanted);
    props.onNamed(wanted);
  });
  createEffect(
    on(
      () => props.open,
      (open) => {
        if (!open) return;
        setPath(props.directory === "" ? "" : `${props.directory}/`);
        submission.clear();
      },
    ),
  );
  return (
    <Dialog open={props.open} onClose={props.onClose} title="New file">
      <form class="form" onSubmit={(event) => void submission.submit(event)}>
        <TextInput
          label="Path"
          value={path()}
          onInput={setPath}
          problem={submission.of("path")}
          placeholder="notes/plan.md"
          hint="Directories on the way are made when it is saved."
          mono
          autofocus
          required
        />
        <FormActions form={submission} action="Open it" onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}

/** The server's rules for paths, asked by reading it. Raises `Problem` about the field `path`. */
async function requireFree(id: number, path: string): Promise<void> {
  try {
    await take(api.workspaces({ id }).file.get({ query: { path } }));
  } catch (error) {
    const why = asProblem(error);
    if (why.code === "not_found") return;
    if (why.code === "not_text") throw taken();
    // The path is all that this request says.
    throw why.code === "invalid" ? withField(why, "path") : why;
  }
  throw taken();
}

function taken(): Problem {
  return fieldProblem("path", "A file with this path already exists.");
}
