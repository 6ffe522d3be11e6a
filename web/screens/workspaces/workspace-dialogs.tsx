// The dialogs that clone, share, archive and delete a workspace. Each states the consequences first.

import { createSignal, For, type JSX, Show } from "solid-js";
import type { Team } from "../../../src/service/people/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { confirm, Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { NameList } from "../../kit/pieces.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { SearchBox } from "../../kit/search-box.tsx";
import { found } from "../../kit/table.tsx";
import { attempt, tell } from "../../kit/toast.tsx";
import { me } from "../../state/session.ts";
import { mayShare } from "./rights.ts";

const TEAMS_SEARCHED_FROM = 10;

export function CloneDialog(props: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
  readonly onMade: (copy: Workspace) => void;
}): JSX.Element {
  const [name, setName] = createSignal("");
  const open = unlessMovedOn((copy: Workspace) => props.onMade(copy));
  const form = createSubmission(["name"], async () => {
    const given = name().trim();
    const copy = await take(
      api.workspaces({ id: props.workspace.id }).clone.post(given === "" ? {} : { name: given }),
    );
    void refresh("workspaces");
    open(copy);
  });
  return (
    <Dialog open onClose={props.onClose} title={`Clone ${props.workspace.display_name}`}>
      <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
        <p class="muted">
          You own the copy. It has the same blueprint: agents, wires, bindings and budgets. The conversation,
          files and sharing are not copied.
        </p>
        <TextInput
          label="Name of the copy"
          value={name()}
          onInput={setName}
          placeholder={`${props.workspace.name} copy`}
          hint="You cannot change it later; the display name can change."
          problem={form.of("name")}
        />
        <FormActions form={form} action="Clone" onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}

/** Every change applies at once; people who lose access are disconnected from the workspace. */
export function ShareDialog(props: {
  readonly workspace: Workspace;
  readonly teams: readonly Team[];
  readonly onClose: () => void;
}): JSX.Element {
  const [search, setSearch] = createSignal("");
  const mayAny = () => props.teams.some(({ id }) => may(id));
  const may = (teamId: number) => mayShare(me()!, props.workspace, teamId);
  return (
    <Dialog open onClose={props.onClose} title={`Share ${props.workspace.display_name}`}>
      <p class="muted">
        Members of these teams see everything in the workspace, chat in it and edit its blueprint. Only its
        owner and admins can delete it.
      </p>
      <Show when={!mayAny() && props.teams.length > 0}>
        <p class="small">Only admins, and owners who lead a team, can change this.</p>
      </Show>
      <Show
        when={props.teams.length > 0}
        fallback={<p class="muted">No teams yet. An admin creates them under People.</p>}
      >
        <Show when={props.teams.length >= TEAMS_SEARCHED_FROM}>
          <SearchBox label="Search teams" value={search()} onInput={setSearch} />
        </Show>
        <fieldset class="workspaces-teams scroll">
          <legend class="visually-hidden">Teams</legend>
          <For
            each={found(props.teams, search(), ({ name }) => name)}
            fallback={<p class="muted">No matching teams.</p>}
          >
            {(team) => <TeamRow workspace={props.workspace} team={team} mayChange={may(team.id)} />}
          </For>
        </fieldset>
      </Show>
      <div class="actions">
        <Button kind="primary" onClick={props.onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function TeamRow(props: {
  readonly workspace: Workspace;
  readonly team: Team;
  readonly mayChange: boolean;
}): JSX.Element {
  const shared = () => props.workspace.team_ids.includes(props.team.id);
  let box: HTMLInputElement | undefined;
  const form = createSubmission([], async () => {
    const team = api.workspaces({ id: props.workspace.id }).teams({ team_id: props.team.id });
    try {
      if (shared()) await take(team.delete());
      else await take(team.put());
    } finally {
      await refresh("workspaces");
      // The box shows the state on the server, even if the request failed.
      if (box) box.checked = shared();
    }
  });
  const people = () => props.team.members.map(({ name }) => name);
  return (
    <div>
      <label class="check">
        <input
          ref={(element) => (box = element)}
          type="checkbox"
          checked={shared()}
          disabled={!props.mayChange}
          // Disabled, it would lose the focus.
          aria-disabled={form.busy() ? "true" : undefined}
          onClick={(event) => form.busy() && event.preventDefault()}
          onChange={() => void form.submit()}
        />
        <span class="workspaces-team">
          <span dir="auto">{props.team.name}</span>
          <span class="small muted ellipsis" title={people().join(", ")}>
            <Show when={people().length > 0} fallback="no members">
              <NameList names={people()} />
            </Show>
          </span>
        </span>
      </label>
      <Show when={form.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
    </div>
  );
}

/** Deletes a workspace after its name was typed to confirm; resolves also when cancelled. */
export async function deleteWorkspace(workspace: Workspace): Promise<void> {
  const yes = await confirm({
    title: `Delete ${workspace.display_name}?`,
    text: (
      <div class="stack">
        <p>
          This permanently deletes its conversation, the record of its turns, its agents, wires and files. A
          running turn is stopped.
        </p>
        <p class="muted">Gears, instructions and models stay; all workspaces share them.</p>
      </div>
    ),
    action: "Delete workspace",
    typed: workspace.display_name,
  });
  if (!yes) return;
  const done = await attempt(() => take(api.workspaces({ id: workspace.id }).delete()));
  await refresh("workspaces");
  if (done) tell(`${workspace.display_name} deleted.`);
}

/** Archives a workspace after a confirmation, or unarchives it at once; resolves also when cancelled. */
export async function setArchived(workspace: Workspace, act: "archive" | "unarchive"): Promise<void> {
  const { id, display_name: name } = workspace;
  const yes =
    act === "unarchive" ||
    (await confirm({
      title: `Archive ${name}?`,
      text: (
        <div class="stack">
          <p>
            It leaves the list. Everyone who sees it can still read it; nobody can chat in it or change it.
          </p>
          <p class="muted">You can unarchive it at any time.</p>
        </div>
      ),
      action: "Archive",
      danger: false,
    }));
  if (!yes) return;
  const route = api.workspaces({ id });
  const done = await attempt(() => take(act === "archive" ? route.archive.post() : route.unarchive.post()));
  await refresh("workspaces");
  if (done) tell(`${name} ${act}d.`);
}
