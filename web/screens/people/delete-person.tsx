// The dialog that deletes a person and transfers their workspaces.

import { createSignal, For, type JSX, Show } from "solid-js";
import type { User } from "../../../src/service/people/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { plural } from "../../kit/format.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, Select } from "../../kit/form.tsx";
import { Loaded } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { usersQuery, workspacesQuery } from "../../state/lists.ts";

export function DeletePerson(props: {
  readonly user: User;
  readonly onClose: () => void;
  readonly onGone: () => void;
}): JSX.Element {
  const workspaces = workspacesQuery();
  const users = usersQuery();
  const [heir, setHeir] = createSignal("");
  const owned = () => workspaces.data()?.filter(({ owner_id: owner }) => owner === props.user.id) ?? [];
  const heirs = () => users.data()?.filter(({ id }) => id !== props.user.id) ?? [];
  const sent = createSubmission(["transfer_to"], async () => {
    const query = owned().length > 0 ? { transfer_to: Number(heir()) } : {};
    const gone = props.user;
    try {
      await take(api.users({ id: gone.id }).delete(undefined, { query }));
    } catch (error) {
      // A workspace may have been created since.
      if (asProblem(error).code === "conflict") await refresh("workspaces");
      throw error;
    }
    tell(`${gone.name} deleted.`);
    props.onGone();
    await Promise.all([refresh("users"), refresh("teams"), refresh("workspaces")]);
  });
  return (
    <Dialog open onClose={() => props.onClose()} title={`Delete ${props.user.name}?`}>
      <form class="form" onSubmit={(event) => void sent.submit(event)}>
        <p>
          {plural(props.user.tokens, "token or session", "tokens and sessions")} and all team memberships end.
          Messages and decisions stay on record under this name.
        </p>
        <Loaded query={workspaces}>
          {() => (
            <Show when={owned().length > 0}>
              <div>
                <p>
                  {props.user.name} owns {plural(owned().length, "workspace")}:
                </p>
                <ul class="people-owned">
                  <For each={owned()}>{(workspace) => <li dir="auto">{workspace.display_name}</li>}</For>
                </ul>
              </div>
              <Select
                label="New owner"
                value={heir()}
                choices={[
                  { value: "", label: "Choose a new owner", disabled: true },
                  ...heirs().map(({ id, name }) => ({ value: String(id), label: name })),
                ]}
                onChange={setHeir}
                problem={sent.of("transfer_to")}
              />
            </Show>
          )}
        </Loaded>
        <FormActions
          form={sent}
          action="Delete person"
          kind="danger-primary"
          disabled={workspaces.data() === undefined || (owned().length > 0 && heir() === "")}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
