// Adding a person: a name and a role; the answer is their token, shown once.

import { createSignal, type JSX, Show } from "solid-js";
import type { Role } from "../../../src/service/people/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { focusOn } from "../../kit/focus.ts";
import { createSubmission, Select, TextInput } from "../../kit/form.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
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
      <Show when={sent.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <p class="small muted">You get a token for them next. It is shown once.</p>
      <div class="actions">
        <Button onClick={() => props.onCancel()}>Cancel</Button>
        <Button type="submit" kind="primary" busy={sent.busy()}>
          Add person
        </Button>
      </div>
    </form>
  );
}
