// Adding a person: a name and a role; the answer is their token, shown once.

import { createSignal, type JSX } from "solid-js";
import type { Role } from "../../../src/service/identity/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, Select, TextInput } from "../../kit/form.tsx";
import { showToken } from "./one-time-token.tsx";
import { ROLE_MEANS, roleChoices } from "./role-names.ts";

export function NewPerson(props: {
  readonly onMade: (id: number) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [name, setName] = createSignal("");
  const [role, setRole] = createSignal<Role>("member");
  const sent = createSubmission(["name", "role"], async () => {
    const { user, token } = await take(api.users.post({ name: name(), role: role() }));
    // First: the dialog lets nobody go elsewhere.
    props.onMade(user.id);
    showToken({ userId: user.id, name: user.name, hasPassword: user.has_password, token });
    await refresh("users");
  });
  return (
    <form ref={focusOn("input")} class="section form" onSubmit={(event) => void sent.submit(event)}>
      <h2 class="people-heading">Add a person</h2>
      <TextInput
        label="Name"
        value={name()}
        onInput={setName}
        problem={sent.of("name")}
        hint="Also the name they sign in with."
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
        <p class="small muted">You get a token for them next. It is shown once.</p>
      </FormActions>
    </form>
  );
}
