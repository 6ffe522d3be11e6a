// The record of a save cannot be in one transaction with the file. So a save is stored as begun before the file is replaced, and one write replaces
// that by the event and the audit record. If the service is killed in between, the content of the file says whether the save happened.

import { notFound } from "../../kit/error.ts";
import type { Audit } from "../audit/audit.ts";
import { rememberedCaller, requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Access } from "../workspaces/access.ts";
import type { FileEvents } from "./events.ts";
import type { BegunSaveRow, BegunSaveStore } from "./store.ts";

interface BegunSavesDeps {
  readonly store: BegunSaveStore;
  readonly journal: Journal<FileEvents>;
  readonly audit: Audit;
  readonly access: Pick<Access, "exists">;
}

interface Save {
  readonly path: string;
  readonly version: string;
  readonly size: number;
  readonly created: boolean;
}

export interface BegunSave extends Save {
  readonly workspaceId: number;
  /** With the role and address at the beginning: their credential may be revoked before the record is written. */
  readonly saver: Caller;
}

export class BegunSaves {
  readonly #deps: BegunSavesDeps;

  constructor(deps: BegunSavesDeps) {
    this.#deps = deps;
  }

  all(): BegunSave[] {
    return this.#deps.store.all.all().map(fromRow);
  }

  /**
   * Called inside a write, before the file is replaced. `current`: its version now, which settles an earlier save that could not be recorded.
   * Raises `unauthenticated`.
   */
  begin(caller: Caller, workspaceId: number, save: Save, current: string | undefined): BegunSave {
    const { store } = this.#deps;
    requireSignedIn(caller);
    const saver = rememberedCaller(caller)!;
    const { path, version, size, created } = save;
    const earlier = store.at.get(workspaceId, path);
    if (earlier) this.settle(fromRow(earlier), current);
    const begun = { workspaceId, path, version, size, created, saver };
    store.insert.run(toRow(begun));
    return begun;
  }

  /** Called inside a write, after the file was replaced. Raises `not_found`. */
  record(begun: BegunSave): void {
    this.#record(begun, {});
  }

  /** Called inside a write. Returns whether the save happened and is recorded now. */
  settle(begun: BegunSave, current: string | undefined): boolean {
    const { store, access } = this.#deps;
    const { workspaceId, path, version } = begun;
    if (version === current && access.exists(workspaceId)) {
      this.#record(begun, { recovered: true });
      return true;
    }
    store.remove.run(workspaceId, path);
    return false;
  }

  #record({ workspaceId, saver, ...save }: BegunSave, found: { recovered?: true }): void {
    const { store, journal, audit, access } = this.#deps;
    if (!access.exists(workspaceId)) throw notFound("workspace", workspaceId);
    const { path, version, size, created } = save;
    const by = { user: saver.name, agent: saver.agent ?? null };
    journal.append(workspaceId, saver.turnId ?? null, "file.saved", { path, version, size, created, ...by });
    store.remove.run(workspaceId, path);
    if (saver.agent !== undefined) return;
    const detail = { path, version, created, ...found };
    audit.record(saver, { action: "file.save", target: `workspace:${workspaceId}`, detail });
  }
}

function toRow({ workspaceId, saver, created, ...save }: BegunSave): BegunSaveRow {
  const { path, version, size } = save;
  return {
    workspace_id: workspaceId,
    path,
    version,
    size,
    created: created ? 1 : 0,
    saver: JSON.stringify({ ...saver, address: saver.address() }),
  };
}

function fromRow({ workspace_id, created, saver, ...save }: BegunSaveRow): BegunSave {
  const { path, version, size } = save;
  const { address, ...rest } = JSON.parse(saver) as Omit<Caller, "address"> & { readonly address: string };
  return {
    workspaceId: workspace_id,
    path,
    version,
    size,
    created: created === 1,
    saver: { ...rest, address: () => address },
  };
}
