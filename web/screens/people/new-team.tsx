// The form that creates a team by name; members are added in the team's pane.

import { createSignal, type JSX } from "solid-js";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { SideHead } from "../../kit/side-head.tsx";

export function NewTeam(props: {
  readonly onMade: (id: number) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [name, setName] = createSignal("");
  const saved = guardLeaving(() => name() !== "");
  const show = unlessMovedOn((id: number) => props.onMade(id));
  const sent = createSubmission(["name"], async () => {
    const team = await take(api.teams.post({ name: name() }));
    await refresh("teams");
    saved();
    show(team.id);
  });
  return (
    <>
      <SideHead title="Create team" onClose={props.onCancel} />
      <form ref={focusOn("input")} class="section form" onSubmit={(event) => void sent.submit(event)}>
        <TextInput label="Name" value={name()} onInput={setName} problem={sent.of("name")} required />
        <FormActions form={sent} action="Create team" onCancel={props.onCancel} />
      </form>
    </>
  );
}
