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
  const readAll = async () => {
    const { workspaces } = await take(api.workspaces.activity.get({ query: {} }));
    setActivities(new Map(workspaces.map((one) => [one.workspace_id, one])));
  };
  const readSome = async (ids: readonly number[]) => {
    const { workspaces } = await take(api.workspaces.activity.get({ query: { ids: ids.join(",") } }));
    const isNew = workspaces.some(({ workspace_id: id }) => !activities()?.has(id));
    setActivities(
      (before) => new Map([...(before ?? []), ...workspaces.map((one) => [one.workspace_id, one] as const)]),
    );
    // Created or shared meanwhile, renamed or archived.
    if (isNew || workspaces.some(({ turn, queued }) => turn === null && queued === 0))
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
