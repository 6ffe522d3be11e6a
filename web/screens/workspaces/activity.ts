// The activity in the workspaces of the list, while it is open: the server names those that changed, and only they are read again.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { ActivityChanged, WorkspaceActivity } from "../../../src/service/overview/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { streamEvents } from "../../api/stream.ts";

const RECONNECT_MS = 3_000;

export type Activities = ReadonlyMap<number, WorkspaceActivity>;

/** Undefined until the first answer. Follows the server until its owner is disposed of. */
export function createActivities(): Accessor<Activities | undefined> {
  const [activities, setActivities] = createSignal<Activities>();
  const abort = new AbortController();
  onCleanup(() => abort.abort());
  /** An answer may overtake another: of each workspace, the one that was asked for later counts. */
  let asked = 0;
  const heard = new Map<number, number>();
  const createReading = () => {
    const own = ++asked;
    const isOlder = (id: number) => (heard.get(id) ?? 0) > own;
    return (workspaces: readonly WorkspaceActivity[], isKept: (id: number) => boolean) => {
      const told = workspaces.filter(({ workspace_id: id }) => !isOlder(id));
      for (const { workspace_id: id } of told) heard.set(id, own);
      setActivities((before) => {
        const kept = [...(before ?? [])].filter(([id]) => isOlder(id) || isKept(id));
        return new Map([...kept, ...told.map((one) => [one.workspace_id, one] as const)]);
      });
    };
  };
  const readAll = async () => {
    const show = createReading();
    const { workspaces } = await take(api.workspaces.activity.get({ query: {} }));
    const before = activities();
    show(workspaces, () => false);
    // Created, shared, deleted or no longer shared: too many at once to name, or while the stream was not open.
    if (before && hasOthers(before, workspaces)) await refresh("workspaces");
  };
  const readSome = async (ids: readonly number[]) => {
    const show = createReading();
    const { workspaces } = await take(api.workspaces.activity.get({ query: { ids: ids.join(",") } }));
    const isNew = workspaces.some(({ workspace_id: id }) => !activities()?.has(id));
    const isLost = workspaces.length < ids.length;
    show(workspaces, (id) => !ids.includes(id));
    // Created or shared meanwhile, deleted or no longer shared, renamed or archived.
    if (isNew || isLost || workspaces.some(({ turn, queued }) => turn === null && queued === 0))
      await refresh("workspaces");
  };
  const follow = async () => {
    while (!abort.signal.aborted) {
      try {
        const opened = { onOpen: () => void readAll().catch(() => undefined) };
        for await (const events of streamEvents("/api/v1/workspaces/events", abort.signal, opened))
          for (const { data } of events) {
            const { workspace_ids: ids } = data as ActivityChanged;
            await (ids === null ? readAll() : readSome(ids));
          }
      } catch {
        // The top line says that the server cannot be reached.
      }
      if (!abort.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  };
  void readAll().catch(() => undefined);
  void follow();
  return activities;
}

function hasOthers(before: Activities, workspaces: readonly WorkspaceActivity[]): boolean {
  return before.size !== workspaces.length || workspaces.some(({ workspace_id: id }) => !before.has(id));
}
