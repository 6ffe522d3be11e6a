// Sums up, for the list of workspaces, what happens in each: read in pages, because there may be ten thousand.

import {
  LIGHT_STEPS,
  rfc3339,
  rfc3339OrNull,
  Stretch,
  turnOfOthers,
  utcDay,
  type Clock,
} from "../../kit/clock.ts";
import { badParameter } from "../../kit/error.ts";
import type { Listing } from "../../kit/http/list-answer.ts";
import { sortedInTurns } from "../../kit/concurrency/sort-in-turns.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../identity/caller.ts";
import type { Usages } from "../usage/usage.ts";
import type { Access } from "../workspaces/access.ts";
import { ACTIVITY_IDS_MAX, type WorkspaceActivity } from "./schema.ts";
import type { OpenTurnRow, OverviewStore } from "./store.ts";

/** A page takes a few milliseconds. */
const WORKSPACES_PER_PAGE = 250;
const ID = /^[1-9][0-9]{0,14}$/;

interface OverviewDeps {
  readonly store: OverviewStore;
  readonly access: Access;
  readonly approvals: Approvals;
  readonly usages: Usages;
  readonly clock: Clock;
}

/** The state of all workspaces at one moment, from which each row is made. */
interface Moment {
  readonly day: string;
  readonly turns: ReadonlyMap<number, readonly OpenTurnRow[]>;
  readonly approvals: ReadonlyMap<number, number>;
}

interface Place {
  readonly id: number;
  readonly at: number;
}

export class Overview {
  readonly #deps: OverviewDeps;

  constructor(deps: OverviewDeps) {
    this.#deps = deps;
  }

  /** The activity of all workspaces that the caller sees, archived ones too, or of those among `ids`. Raises `invalid`. */
  async list(caller: Caller, ids: string | undefined): Promise<Listing<WorkspaceActivity>> {
    const { store, approvals, clock } = this.#deps;
    const places = ids === undefined ? await this.#all(caller) : this.#some(caller, idsOf(ids));
    const waiting = new Map<number, number>();
    for (const { workspace_id: id } of approvals.list(caller))
      if (id !== null) waiting.set(id, (waiting.get(id) ?? 0) + 1);
    await turnOfOthers();
    const moment: Moment = {
      day: utcDay(clock.now()),
      turns: Map.groupBy(store.openTurns.all(), ({ workspace_id: id }) => id),
      approvals: waiting,
    };
    const sorted = await sortedInTurns(places, (one, other) => one.at > other.at);
    return { before: { day: moment.day }, field: "workspaces", pages: this.#pages(sorted, moment) };
  }

  async #all(caller: Caller): Promise<Place[]> {
    const { access } = this.#deps;
    const places: Place[] = [];
    const stretch = new Stretch(LIGHT_STEPS);
    for (let after = 0; ;) {
      const page = access.visibleAfter(caller, after, WORKSPACES_PER_PAGE);
      for (const row of page) {
        places.push(this.#place(row));
        if (stretch.isOver()) await turnOfOthers();
      }
      if (page.length < WORKSPACES_PER_PAGE) return places;
      after = page.at(-1)!.id;
    }
  }

  /** Leaves out the ones that the caller does not see. */
  #some(caller: Caller, ids: readonly number[]): Place[] {
    const { access } = this.#deps;
    return ids.flatMap((id) => {
      const [row] = access.visibleAfter(caller, id - 1, 1);
      return row?.id === id ? [this.#place(row)] : [];
    });
  }

  #place({ id, created_at: createdAt }: { id: number; created_at: number }): Place {
    return { id, at: this.#deps.store.activeAt.get(id)?.at ?? createdAt };
  }

  *#pages(places: readonly Place[], moment: Moment): Generator<WorkspaceActivity[]> {
    for (let from = 0; from < places.length; from += WORKSPACES_PER_PAGE)
      yield places.slice(from, from + WORKSPACES_PER_PAGE).map((place) => this.#row(place, moment));
  }

  #row({ id, at }: Place, { day, turns, approvals }: Moment): WorkspaceActivity {
    const open = turns.get(id) ?? [];
    const begun = open.find(({ status }) => status !== "queued");
    return {
      workspace_id: id,
      turn: begun
        ? {
            id: begun.id,
            number: begun.number,
            status: begun.status === "waiting" ? "waiting" : "running",
            started_at: rfc3339OrNull(begun.started_at),
          }
        : null,
      queued: open.filter(({ status }) => status === "queued").length,
      approvals: approvals.get(id) ?? 0,
      last_activity_at: rfc3339(at),
      today: this.#deps.usages.ofWorkspace(id, day),
    };
  }
}

function idsOf(text: string): number[] {
  const ids = [...new Set(text.split(","))];
  if (ids.length > ACTIVITY_IDS_MAX) throw badParameter("ids", `at most ${ACTIVITY_IDS_MAX} ids`);
  if (!ids.every((id) => ID.test(id))) throw badParameter("ids", "expected ids separated by commas");
  return ids.map(Number);
}
