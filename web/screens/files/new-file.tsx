// Asks for the path of a new file. Nothing is created before the first save, because files cannot be deleted.

import { createEffect, createSignal, type JSX, on } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldProblem, type Problem, withField } from "../../api/problem.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";

export function NewFile(props: {
  readonly open: boolean;
  readonly workspaceId: number;
  /** The current directory, which prefills the field. */
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
    <Dialog open={props.open} onClose={props.onClose} title="Create file">
      <form class="form" onSubmit={(event) => void submission.submit(event)}>
        <TextInput
          label="Path"
          value={path()}
          onInput={setPath}
          problem={submission.of("path")}
          placeholder="notes/plan.md"
          hint="Missing directories are created when you save."
          mono
          autofocus
          required
        />
        <FormActions form={submission} action="Create file" onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}

/** Reads the path, so that the server's rules apply. Raises `Problem` for the field `path`. */
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
