// The start page: the list of workspaces, or the setup of an empty server.

import { A, useNavigate, useSearchParams } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import TextAlignStart from "lucide-solid/icons/text-align-start";
import { createSignal, type JSX, Match, onCleanup, Show, Switch } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { SearchBox } from "../../kit/search-box.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { modelsQuery, providersQuery, workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { FirstRun } from "./first-run.tsx";
import { createNames } from "./people-names.ts";
import { CloneDialog, deleteWorkspace, ShareDialog } from "./workspace-dialogs.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";
import { WorkspaceList } from "./workspace-list.tsx";
import "./workspaces.css";

/** Polls for newly shared workspaces while the list is small. */
const LOOK_EVERY_MS = 15_000;
const LOOKED_AT_MAX = 500;

export function Workspaces(): JSX.Element {
  useCrumbs(() => [{ name: "Workspaces" }]);
  const workspaces = workspacesQuery();
  const providers = providersQuery();
  const models = modelsQuery();
  const look = setInterval(() => {
    const few = (workspaces.data()?.length ?? 0) <= LOOKED_AT_MAX;
    if (few && document.visibilityState === "visible") void workspaces.refresh();
  }, LOOK_EVERY_MS);
  onCleanup(() => clearInterval(look));
  return (
    <Loaded query={workspaces}>
      {(list) => (
        <Loaded query={providers}>
          {(knownProviders) => (
            <Loaded query={models}>
              {(knownModels) => (
                <Place workspaces={list()} providers={knownProviders()} models={knownModels()} />
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Place(props: {
  readonly workspaces: readonly Workspace[];
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}): JSX.Element {
  const navigate = useNavigate();
  const names = createNames();
  const [params, setParams] = useSearchParams<{ new: string }>();
  const [search, setSearch] = createSignal("");
  const [cloned, setCloned] = createSignal<Workspace>();
  const [sharedId, setSharedId] = createSignal<number>();
  const shared = () => props.workspaces.find(({ id }) => id === sharedId());
  const hasModels = () => props.models.length > 0;
  const creating = (on: boolean) => setParams({ new: on ? "1" : undefined }, { scroll: false });
  const first = () => isAdmin() && props.workspaces.length === 0;
  useActions(() =>
    hasModels() ? [] : [{ group: "Actions", label: "Add models", run: () => void navigate("/models") }],
  );
  return (
    <div class="body">
      <Show when={!first()} fallback={<FirstRun providers={props.providers} models={props.models} />}>
        <div class="title">
          <h1>Workspaces</h1>
          <div class="end">
            <Show when={props.workspaces.length > 0}>
              <SearchBox label="Search workspaces" value={search()} onInput={setSearch} />
            </Show>
            <Create disabled={!hasModels()} onCreate={() => creating(true)} />
          </div>
        </div>
        <Switch>
          <Match when={props.workspaces.length > 0}>
            <WorkspaceList
              workspaces={props.workspaces}
              names={names}
              search={search()}
              onSearch={setSearch}
              onClone={setCloned}
              onShare={({ id }) => setSharedId(id)}
              onDelete={(workspace) => void deleteWorkspace(workspace)}
            />
          </Match>
          <Match when={true}>
            <NoWorkspaces canCreate={hasModels()} onCreate={() => creating(true)} />
          </Match>
        </Switch>
        <CreateDialog
          open={params.new !== undefined && hasModels()}
          models={props.models}
          onClose={() => creating(false)}
        />
      </Show>
      <Show when={cloned()} keyed>
        {(workspace) => (
          <CloneDialog
            workspace={workspace}
            onClose={() => setCloned(undefined)}
            onMade={({ id }) => navigate(`/workspaces/${id}`)}
          />
        )}
      </Show>
      <Show when={shared()}>
        {(workspace) => (
          <ShareDialog workspace={workspace()} teams={names.teams()} onClose={() => setSharedId(undefined)} />
        )}
      </Show>
    </div>
  );
}

function Create(props: { readonly disabled: boolean; readonly onCreate: () => void }): JSX.Element {
  return (
    <>
      <Show when={props.disabled}>
        <NoModel />
      </Show>
      <Button kind="primary" disabled={props.disabled} onClick={() => props.onCreate()}>
        <Plus aria-hidden="true" />
        Create workspace
      </Button>
    </>
  );
}

function CreateDialog(props: {
  readonly open: boolean;
  readonly models: readonly Model[];
  readonly onClose: () => void;
}): JSX.Element {
  const navigate = useNavigate();
  return (
    <Dialog open={props.open} onClose={props.onClose} title="Create workspace">
      <WorkspaceForm
        models={props.models}
        action="Create workspace"
        onMade={({ id }) => navigate(`/workspaces/${id}`)}
        onCancel={props.onClose}
      />
    </Dialog>
  );
}

function NoWorkspaces(props: { readonly canCreate: boolean; readonly onCreate: () => void }): JSX.Element {
  return (
    <Empty
      title="No workspaces yet"
      icon={<TextAlignStart aria-hidden="true" />}
      actions={
        <Show when={props.canCreate}>
          <Button kind="primary" onClick={() => props.onCreate()}>
            Create workspace
          </Button>
        </Show>
      }
    >
      A workspace holds agents, their conversation and their files. You see your own workspaces and those
      shared with your teams.
    </Empty>
  );
}

/** Says why the button is disabled: an orchestrator needs a model. */
function NoModel(): JSX.Element {
  return (
    <p class="small muted workspaces-no-model">
      <Show when={isAdmin()} fallback="No models yet; ask an admin to add one. ">
        Add a model first.{" "}
      </Show>
      <A href="/models">Models</A>
    </p>
  );
}
