// Queries of gears. All keys start with "gears", so that `refresh("gears")` after a change refetches all of them.

import type {
  DecideGear,
  GearDecision,
  GearDetail,
  GearRunDetail,
  GearVersion,
} from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, put, type Query, refresh } from "../../api/query.ts";

/** Someone else may save or decide meanwhile. */
const GEAR_EVERY_MS = 8_000;

const keyOfGear = (id: number) => ["gears", "one", id] as const;

export const readGear = (id: number): Promise<GearDetail> => take(api.gears({ id }).get());

export function gearQuery(id: () => number): Query<GearDetail> {
  return createQuery(() => ({ key: keyOfGear(id()), read: () => readGear(id()) }), { every: GEAR_EVERY_MS });
}

/** Stores the record that a response returned. */
export function putGear(gear: GearDetail): void {
  put(keyOfGear(gear.id), gear);
}

/** One version with its code; null if there is none of that number. */
export function versionQuery(id: () => number, version: () => number | undefined): Query<GearVersion | null> {
  return createQuery(() => {
    const wanted = version();
    return wanted === undefined
      ? undefined
      : { key: ["gears", "version", id(), wanted], read: () => readVersion(id(), wanted) };
  });
}

async function readVersion(id: number, version: number): Promise<GearVersion | null> {
  const [found] = await take(api.gears({ id }).versions.get({ query: { before: version + 1, limit: 1 } }));
  return found?.version === version ? found : null;
}

/** The last version that was approved; undefined if none was, as far as is known. */
export function lastApproved(gear: GearDetail): GearDecision | undefined {
  return gear.decisions.findLast(({ decision }) => decision === "approved");
}

/** Decides on exactly the shown content in the shown status; the server refuses any other. */
export async function decide(gear: GearDetail, input: DecideGear): Promise<void> {
  const shown = { content_hash: gear.content_hash, seen_status: gear.status };
  const decided = await take(api.gears({ id: gear.id }).patch({ ...input, ...shown }));
  putGear(decided);
  await Promise.all([refresh("gears"), refresh("approvals")]);
}

export function runQuery(id: () => number | undefined): Query<GearRunDetail> {
  return createQuery(() => {
    const wanted = id();
    return wanted === undefined
      ? undefined
      : {
          key: ["gears", "run", wanted],
          read: () => take(api["gear-runs"]({ id: wanted }).get()),
        };
  });
}

export interface Place {
  readonly workspace: string;
  /** Null: all agents. */
  readonly agent: string | null;
}

/** The gear's bindings in one workspace. */
export async function readPlaces(
  gearId: number,
  workspace: { readonly id: number; readonly display_name: string },
): Promise<Place[]> {
  const id = workspace.id;
  const bindings = (await take(api.workspaces({ id }).gears.get())).filter(
    (binding) => binding.gear_id === gearId,
  );
  if (bindings.length === 0) return [];
  const agents = await take(api.workspaces({ id }).agents.get());
  return bindings.map((binding) => ({
    workspace: workspace.display_name,
    agent:
      binding.agent_id === null ? null : (agents.find((agent) => agent.id === binding.agent_id)?.name ?? "?"),
  }));
}
