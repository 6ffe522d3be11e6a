// The dialog that adds a person by name and role; their token is shown once afterwards.

import { createSignal, type JSX } from "solid-js";
import type { Role } from "../../../src/service/identity/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, Select, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { SideHead } from "../../kit/side-head.tsx";
import { showToken } from "./one-time-token.tsx";
import { ROLE_MEANS, roleChoices } from "./role-names.ts";

export function NewPerson(props: {
  readonly onMade: (id: number) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [name, setName] = createSignal("");
  const [role, setRole] = createSignal<Role>("member");
  const saved = guardLeaving(() => name() !== "");
  const show = unlessMovedOn((id: number) => props.onMade(id));
  const sent = createSubmission(["name", "role"], async () => {
    const { user, token } = await take(api.users.post({ name: name(), role: role() }));
    // Closed first: the token dialog blocks navigation.
    saved();
    show(user.id);
    showToken({ userId: user.id, name: user.name, hasPassword: user.has_password, token });
    await refresh("users");
  });
  return (
    <>
      <SideHead title="Add person" onClose={props.onCancel} />
      <form ref={focusOn("input")} class="section form" onSubmit={(event) => void sent.submit(event)}>
        <TextInput
          label="Name"
          value={name()}
          onInput={setName}
          problem={sent.of("name")}
          hint="People sign in with this name."
          required
        />
        <Select
          label="Role"
          value={role()}
          choices={roleChoices}
          onChange={(value) => setRole(value as Role)}
          problem={sent.of("role")}
          hint={ROLE_MEANS[role()]}
        />
        <FormActions form={sent} action="Add person" onCancel={props.onCancel}>
          <p class="small muted">Their token is shown next, once.</p>
        </FormActions>
      </form>
    </>
  );
}
