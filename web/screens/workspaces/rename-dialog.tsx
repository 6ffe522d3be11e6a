// Changes the display name of a workspace. Its name and its branch stay.

import { createSignal, type JSX } from "solid-js";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";

export function RenameDialog(props: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}): JSX.Element {
  const [name, setName] = createSignal(props.workspace.display_name);
  const close = unlessMovedOn(() => props.onClose());
  const form = createSubmission(["display_name"], async () => {
    const given = name().trim();
    const display_name = given === "" ? null : given;
    await take(api.workspaces({ id: props.workspace.id }).patch({ display_name }));
    await refresh("workspaces");
    close();
  });
  return (
    <Dialog open onClose={props.onClose} title={`Rename ${props.workspace.display_name}`}>
      <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
        <TextInput
          label="Display name"
          value={name()}
          onInput={setName}
          autofocus
          placeholder={props.workspace.name}
          hint={`Shown wherever the workspace is named. Its memory stays under ${props.workspace.name}; leave this empty to restore that name.`}
          problem={form.of("display_name")}
        />
        <FormActions form={form} action="Save" onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
