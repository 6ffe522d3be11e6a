// The start page: the list of workspaces, or the setup of an empty server.

import { A, useNavigate, useSearchParams } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import TextAlignStart from "lucide-solid/icons/text-align-start";
import Upload from "lucide-solid/icons/upload";
import { createMemo, createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { SearchBox } from "../../kit/search-box.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { archivedQuery, modelsQuery, providersQuery, workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { createActivities } from "./activity.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { FirstRun } from "./first-run.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { createNames, type Names } from "./people-names.ts";
import { RenameDialog } from "./rename-dialog.tsx";
import { CloneDialog, deleteWorkspace, setArchived, ShareDialog } from "./workspace-dialogs.tsx";
import { OnlyExample } from "./try-example.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";
import { type WorkspaceAct, WorkspaceList } from "./workspace-list.tsx";
import "./workspaces.css";

/** Polls for newly shared workspaces while the list is small. */
const LOOK_EVERY_MS = 15_000;
const LOOKED_AT_MAX = 500;

export function Workspaces(): JSX.Element {
  useCrumbs(() => [{ name: "Workspaces" }]);
  const workspaces = workspacesQuery();
  const archived = archivedQuery();
  const providers = providersQuery();
  const models = modelsQuery();
  const look = setInterval(() => {
    const few = (workspaces.data()?.length ?? 0) <= LOOKED_AT_MAX;
    if (few && document.visibilityState === "visible") void workspaces.refresh();
  }, LOOK_EVERY_MS);
  onCleanup(() => clearInterval(look));
  return (
    <Loaded query={workspaces} page="Workspaces">
      {(list) => (
        <Loaded query={providers} page="Workspaces">
          {(knownProviders) => (
            <Loaded query={models} page="Workspaces">
              {(knownModels) => (
                <Loaded query={archived} page="Workspaces">
                  {(old) => (
                    <Place
                      workspaces={list()}
                      archived={old()}
                      providers={knownProviders()}
                      models={knownModels()}
                    />
                  )}
                </Loaded>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

/** The part between the title and the list. */
function Notices(props: PlaceProps & { readonly isArchived: boolean }): JSX.Element {
  return (
    <>
      <Show when={props.archived.length > 0 || props.isArchived}>
        <Lists archived={props.isArchived} />
      </Show>
      <OnlyExample models={props.models} />
    </>
  );
}

interface PlaceProps {
  readonly workspaces: readonly Workspace[];
  readonly archived: readonly Workspace[];
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}

function Place(props: PlaceProps): JSX.Element {
  const navigate = useNavigate();
  const names = createNames();
  const activities = createActivities();
  const [params, setParams] = useSearchParams<{ new: string; import: string; archived: string }>();
  const [search, setSearch] = createSignal("");
  const { asked, act, close } = createActs();
  const isArchived = () => params.archived !== undefined;
  const shown = () => (isArchived() ? props.archived : props.workspaces);
  const hasModels = () => props.models.length > 0;
  const dialog = (name: "new" | "import", state: "open" | "closed") =>
    setParams({ [name]: state === "open" ? "1" : undefined }, { scroll: false });
  const setup = createSetup(props);
  const { first } = setup;
  const open = (id: number) => navigate(`/workspaces/${id}`);
  offerActions(hasModels, () => dialog("import", "open"));
  return (
    <div class="body">
      <Show
        when={!first()}
        fallback={<FirstRun {...props} over={setup.isOver()} onLeave={() => setup.leave()} />}
      >
        <Title
          search={shown().length > 0 ? search() : undefined}
          onSearch={setSearch}
          hasModels={hasModels()}
          onImport={() => dialog("import", "open")}
          onCreate={() => dialog("new", "open")}
        />
        <Notices {...props} isArchived={isArchived()} />
        <Show
          when={shown().length > 0}
          fallback={
            <NoWorkspaces
              archived={isArchived()}
              canCreate={hasModels()}
              onCreate={() => dialog("new", "open")}
            />
          }
        >
          <WorkspaceList
            workspaces={shown()}
            activities={activities()}
            names={names}
            search={search()}
            onSearch={setSearch}
            onAct={act}
          />
        </Show>
      </Show>
      <AddDialogs
        creating={params.new !== undefined && hasModels() && !first()}
        importing={params.import !== undefined && hasModels()}
        models={props.models}
        onClose={dialog}
        onOpen={open}
      />
      <AskedDialog
        asked={asked()}
        workspaces={[...props.workspaces, ...props.archived]}
        names={names}
        onClose={close}
        onMade={open}
      />
    </div>
  );
}

/** `first`: whether the setup is shown. It stays when another tab ends it, which must not take away what is typed here. */
function createSetup(props: PlaceProps) {
  const isOver = () => props.workspaces.length + props.archived.length > 0;
  const [left, setLeft] = createSignal(false);
  const first = createMemo<boolean>((shown) => isAdmin() && (!isOver() || (shown && !left())), false);
  return { first, isOver, leave: () => setLeft(true) };
}

/** The request of a menu: a dialog that the screen shows, or an act of its own. */
function createActs() {
  const [asked, setAsked] = createSignal<{ act: WorkspaceAct; id: number }>();
  const act = (name: WorkspaceAct, workspace: Workspace) => {
    if (name === "delete") void deleteWorkspace(workspace);
    else if (name === "archive" || name === "unarchive") void setArchived(workspace, name);
    else setAsked({ act: name, id: workspace.id });
  };
  return { asked, act, close: () => setAsked(undefined) };
}

function offerActions(hasModels: () => boolean, onImport: () => void): void {
  const navigate = useNavigate();
  useActions(() =>
    hasModels()
      ? [{ group: "Actions", label: "Import workspace", run: onImport }]
      : [{ group: "Actions", label: "Add models", run: () => void navigate("/models") }],
  );
}

function Title(props: {
  /** Undefined while there is nothing to search. */
  readonly search: string | undefined;
  readonly onSearch: (search: string) => void;
  readonly hasModels: boolean;
  readonly onImport: () => void;
  readonly onCreate: () => void;
}): JSX.Element {
  return (
    <div class="title">
      <h1>Workspaces</h1>
      <div class="end">
        <Show when={props.search !== undefined}>
          <SearchBox label="Search workspaces" value={props.search ?? ""} onInput={props.onSearch} />
        </Show>
        <Show when={props.hasModels}>
          <Button onClick={() => props.onImport()}>
            <Upload aria-hidden="true" />
            Import
          </Button>
        </Show>
        <Create disabled={!props.hasModels} onCreate={() => props.onCreate()} />
      </div>
    </div>
  );
}

/** The dialog that a menu asked for. */
function AskedDialog(props: {
  readonly asked: { readonly act: WorkspaceAct; readonly id: number } | undefined;
  readonly workspaces: readonly Workspace[];
  readonly names: Names;
  readonly onClose: () => void;
  readonly onMade: (id: number) => void;
}): JSX.Element {
  const of = (act: WorkspaceAct) =>
    props.asked?.act === act ? props.workspaces.find(({ id }) => id === props.asked?.id) : undefined;
  return (
    <>
      <Show when={of("clone")}>
        {(one) => (
          <CloneDialog workspace={one()} onClose={props.onClose} onMade={({ id }) => props.onMade(id)} />
        )}
      </Show>
      <Show when={of("share")}>
        {(one) => <ShareDialog workspace={one()} teams={props.names.teams()} onClose={props.onClose} />}
      </Show>
      <Show when={of("rename")}>{(one) => <RenameDialog workspace={one()} onClose={props.onClose} />}</Show>
      <Show when={of("export")}>{(one) => <ExportDialog workspace={one()} onClose={props.onClose} />}</Show>
    </>
  );
}

/** The two lists, each with its address. The router would mark both links as current: they differ in the query only. */
function Lists(props: { readonly archived: boolean }): JSX.Element {
  return (
    <nav class="views workspaces-lists" aria-label="Lists of workspaces">
      <a href="/workspaces" aria-current={props.archived ? undefined : "page"}>
        Active
      </a>
      <a href="/workspaces?archived=1" aria-current={props.archived ? "page" : undefined}>
        Archived
      </a>
    </nav>
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

function AddDialogs(props: {
  readonly creating: boolean;
  readonly importing: boolean;
  readonly models: readonly Model[];
  readonly onClose: (dialog: "new" | "import", state: "closed") => void;
  readonly onOpen: (workspaceId: number) => void;
}): JSX.Element {
  return (
    <>
      <CreateDialog
        open={props.creating}
        models={props.models}
        onClose={() => props.onClose("new", "closed")}
      />
      <Show when={props.importing}>
        <ImportDialog
          models={props.models}
          onClose={() => props.onClose("import", "closed")}
          onOpen={props.onOpen}
        />
      </Show>
    </>
  );
}

function CreateDialog(props: {
  readonly open: boolean;
  readonly models: readonly Model[];
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <Dialog open={props.open} onClose={props.onClose} title="Create workspace">
      <WorkspaceForm models={props.models} onCancel={props.onClose} />
    </Dialog>
  );
}

function NoWorkspaces(props: {
  readonly archived: boolean;
  readonly canCreate: boolean;
  readonly onCreate: () => void;
}): JSX.Element {
  return (
    <Show
      when={!props.archived}
      fallback={
        <Empty title="No archived workspaces">
          Archive a workspace from its menu: it leaves the list, and stays readable.
        </Empty>
      }
    >
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
    </Show>
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
