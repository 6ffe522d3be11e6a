// The freshness of a space as a page: which documents are stale, will soon be, are fresh, or say nothing about it. A person who has checked a
// document records it here.

import { h } from "preact";
import type { Clock } from "../../../kit/clock.ts";
import { filteredInTurns } from "../../../kit/concurrency/filter-in-turns.ts";
import {
  freshnessGroups,
  freshnessOrders,
  overviewOf,
  type FreshnessWish,
} from "../../freshness/overview.ts";
import { Undeclared } from "../../freshness/undeclared.ts";
import type { Caller } from "../../identity/caller.ts";
import type { BrowsedSpace } from "../../space/door.ts";
import { diskSentence } from "../../space/disk-note.ts";
import { validate } from "../../space/validation.ts";
import { failureOf, type Failure } from "../failure.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import {
  FreshnessBody,
  freshnessAddress,
  type FreshnessView,
  type ShownFreshness,
} from "../pages/freshness.tsx";
import { PAGE_ROWS } from "../format.ts";
import { AGAIN, lastLookOf, lookedAgain } from "../last-look.tsx";
import { spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const AREA = "/freshness";
const TEXT_CHARACTERS_MAX = 200;

interface Desk {
  readonly source: SpaceSource;
  readonly clock: Clock;
  readonly undeclared: Undeclared;
}

export function freshnessArea(source: SpaceSource, clock: Clock): Area {
  const desk: Desk = { source, clock, undeclared: new Undeclared() };
  return {
    spaceTabs: [{ label: "Freshness", path: AREA }],
    routes: [
      {
        method: "GET",
        path: `/console/spaces/:space${AREA}`,
        answer: (asked) => shownPage(desk, asked),
        query: ["show", "q", "sort", "offset", AGAIN],
      },
      {
        method: "POST",
        path: `/console/spaces/:space${AREA}/validate`,
        answer: (asked) => validated(desk, asked),
      },
    ],
  };
}

async function validated(desk: Desk, asked: Asked): Promise<Answer> {
  const { visit, params, form } = asked;
  const space = params["space"]!;
  try {
    const text = await desk.source.use(visit.caller, space, async (one) => {
      const {
        path,
        last_validated: date,
        changed,
      } = await validate(one, form.text("path"), desk.clock.now());
      return changed
        ? `${path} is validated as of ${date}.${await diskSentence(one, path)}`
        : `${path} was already validated on ${date}.`;
    });
    return to(freshnessAddress(space, viewOf(form)), text);
  } catch (error) {
    return shownPage(desk, asked, failureOf(error));
  }
}

async function shownPage(desk: Desk, asked: Asked, failure?: Failure): Promise<Answer> {
  const { visit, params, query, form } = asked;
  const space = params["space"]!;
  const view = failure ? viewOf(form) : viewOf({ text: (name) => query.get(name) ?? "" });
  const found = await desk.source.use(visit.caller, space, async (one) => {
    const again = lookedAgain(one, asked);
    if (again) return { again };
    const shown = await shownOf(desk, visit.caller, one, view);
    return { shown, look: lastLookOf(one, "freshness", asked) };
  });
  if ("again" in found) return found.again;
  const isEditable = (path: string) => visit.caller.rights.may("update", space, path);
  const body = h(FreshnessBody, { visit, space, view, ...found, isEditable, failure });
  return spacePage(visit, space, { title: "Freshness", tab: AREA, status: failure?.status }, body);
}

/** Unknown values are as if they were not given. */
function viewOf(given: { text(name: string): string }): FreshnessView {
  const known = [...freshnessGroups, "none" as const];
  const offset = given.text("offset");
  return {
    group: known.find((group) => group === given.text("show")),
    text: given.text("q").trim().slice(0, TEXT_CHARACTERS_MAX),
    order: freshnessOrders.find((order) => order === given.text("sort")) ?? "due",
    offset: /^[0-9]{1,7}$/.test(offset) ? Number(offset) : 0,
  };
}

async function shownOf(
  { undeclared }: Desk,
  caller: Caller,
  space: BrowsedSpace,
  view: FreshnessView,
): Promise<ShownFreshness> {
  const answer = await space.freshness();
  const { group, text, order, offset } = view;
  const wish: FreshnessWish = {
    group: group === "none" ? undefined : group,
    text,
    order,
    offset,
    limit: PAGE_ROWS,
  };
  if (group !== "none") return { ...(await overviewOf(answer, wish)), undeclared: undefined };
  // Only the counts; the documents come in the order of paths, so nothing is sorted.
  const { counts } = await overviewOf(answer, { ...wish, order: "path", limit: 0 });
  const shown = await shownAmong(await undeclared.among(await space.documentPaths(), answer.documents), {
    text,
    reads: caller.rights.readsAll(space.name)
      ? undefined
      : (path) => caller.rights.may("read", space.name, path),
  });
  const part = shown.slice(offset, offset + PAGE_ROWS);
  return { counts, documents: [], matching: shown.length, undeclared: part };
}

interface Shown {
  readonly text: string;
  /** Undefined: all of them. */
  readonly reads: ((path: string) => boolean) | undefined;
}

/** Those with the text in the path that the caller may read. Pauses. */
async function shownAmong(paths: readonly string[], { text, reads }: Shown): Promise<readonly string[]> {
  if (text === "" && !reads) return paths;
  const wanted = text.toLowerCase();
  return filteredInTurns(
    paths,
    (path) => (wanted === "" || path.toLowerCase().includes(wanted)) && (!reads || reads(path)),
  );
}
