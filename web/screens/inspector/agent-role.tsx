// The role of an agent, its system prompt, and the form that edits it. The form asks before it overwrites a change by someone else.

import { createSignal, type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextArea } from "../../kit/form.tsx";
import { count, plural } from "../../kit/format.ts";
import { guardLeaving, mayDiscard } from "../../kit/leaving.ts";
import { AgentDeleted, type EditedPart } from "./agent-deleted.tsx";
import { ROLE_CHARACTERS } from "./limits.ts";

const ROWS = 12;
const CHARACTERS_SHOWN = 600;

export function AgentRole(props: { readonly agent: Agent } & EditedPart): JSX.Element {
  return (
    <section class="section">
      <h3>Role</h3>
      <Show
        when={props.editing}
        fallback={
          <>
            <RoleText role={props.agent.role} />
            <Button small onClick={() => props.onEdit(true)}>
              {props.agent.role === "" ? "Add role" : "Edit role"}
            </Button>
          </>
        }
      >
        <RoleForm agent={props.agent} deleted={props.deleted} onDone={() => props.onEdit(false)} />
      </Show>
    </section>
  );
}

function RoleText(props: { readonly role: string }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const long = () => props.role.length > CHARACTERS_SHOWN * 1.2;
  return (
    <>
      <p class="inspector-role muted" dir="auto">
        {props.role === ""
          ? "No role yet. Without one, the prompt starts with the conversation."
          : long() && !all()
            ? `${props.role.slice(0, CHARACTERS_SHOWN)}…`
            : props.role}
      </p>
      <Show when={long()}>
        <p>
          <button
            type="button"
            class="prompt-more"
            aria-expanded={all()}
            onClick={() => setAll((shown) => !shown)}
          >
            {all() ? "Show less" : `Show all ${count(props.role.length)} characters`}
          </button>
        </p>
      </Show>
    </>
  );
}

function RoleForm(props: {
  readonly agent: Agent;
  readonly deleted: boolean;
  readonly onDone: () => void;
}): JSX.Element {
  const [base, setBase] = createSignal(props.agent.role);
  const [text, setText] = createSignal(props.agent.role);
  const changed = () => props.agent.role !== base();
  const tooLong = () => text().length - ROLE_CHARACTERS;
  const maySave = () => !props.deleted && !changed() && tooLong() <= 0;
  const form = createSubmission(["role"], async () => {
    await take(api.agents({ id: props.agent.id }).patch({ role: text() }));
    props.onDone();
  });
  const edited = () => text() !== base();
  guardLeaving(edited, () => ({ name: `Role of ${props.agent.name}`, text: text() }));
  const cancel = async () => {
    if (await mayDiscard(edited())) props.onDone();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (maySave()) void form.submit();
  };
  return (
    <form
      ref={focusOn("textarea")}
      class="form"
      onSubmit={submit}
      onKeyDown={(event) => {
        // Escape would close the inspector and lose the draft.
        if (event.key === "Escape") event.preventDefault();
      }}
    >
      <TextArea
        label="Role (system prompt)"
        value={text()}
        onInput={setText}
        rows={ROWS}
        problem={tooLong() > 0 ? `${plural(tooLong(), "character")} over the limit` : form.of("role")}
        hint={`${count(text().length)} of ${count(ROLE_CHARACTERS)} characters`}
      />
      <Show when={props.deleted}>
        <AgentDeleted name={props.agent.name} text={text()}>
          Its role cannot be saved; copy your text to keep it.
        </AgentDeleted>
      </Show>
      <Show when={changed() && !props.deleted}>
        <Changed
          onDiscard={() => {
            setText(props.agent.role);
            setBase(props.agent.role);
          }}
          onKeep={() => setBase(props.agent.role)}
        />
      </Show>
      <FormActions form={form} action="Save" small disabled={!maySave()} onCancel={() => void cancel()} />
    </form>
  );
}

function Changed(props: { readonly onDiscard: () => void; readonly onKeep: () => void }): JSX.Element {
  return (
    <div class="notice wait" role="alert">
      <div class="stack">
        <span>Someone else changed this role while you were editing.</span>
        <div class="row inspector-wrap">
          <Button small onClick={() => props.onDiscard()}>
            Discard mine
          </Button>
          <Button small onClick={() => props.onKeep()}>
            Keep mine
          </Button>
        </div>
      </div>
    </div>
  );
}
