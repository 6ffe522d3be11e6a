// Conflicts that sync left behind: the list, both sides of one, and which of them is kept.

import { h } from "preact";
import { AppError, noneIfNotFound, notFound } from "../../../kit/error.ts";
import { resolveConflict, type Resolution } from "../../replica/conflicts.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import { failureOf, type Failure } from "../failure.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { diskSentence } from "../../space/disk-note.ts";
import type { BrowsedSpace } from "../../space/door.ts";
import { ConflictBody, ConflictsBody, type ShownConflict } from "../pages/conflicts.tsx";
import { spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const ROOT = "/console/spaces/:space";

export function conflictsArea(source: SpaceSource): Area {
  return {
    spaceTabs: [{ label: "Conflicts", path: "/conflicts" }],
    routes: [
      { method: "GET", path: `${ROOT}/conflicts`, answer: (asked) => list(source, asked), query: ["after"] },
      { method: "GET", path: `${ROOT}/conflicts/*`, answer: (asked) => show(source, asked) },
      { method: "POST", path: `${ROOT}/conflicts/*`, answer: (asked) => resolve(source, asked) },
    ],
  };
}

async function list(source: SpaceSource, { visit, params, query }: Asked): Promise<Answer> {
  const space = params["space"]!;
  const all = await source.use(visit.caller, space, (one) => one.conflicts());
  const after = query.get("after") ?? "";
  const rest = after === "" ? all : all.filter(({ copy }) => copy > after);
  const conflicts = rest.slice(0, PAGE_ROWS);
  const here = spacePath(space, "/conflicts");
  const pager = {
    next: rest.length > PAGE_ROWS ? withQuery(here, { after: conflicts.at(-1)!.copy }) : undefined,
    first: after === "" ? undefined : here,
  };
  const facts = { title: "Conflicts", tab: "/conflicts" };
  return spacePage(visit, space, facts, h(ConflictsBody, { space, conflicts, ...pager }));
}

async function show(source: SpaceSource, { visit, params }: Asked, failure?: Failure): Promise<Answer> {
  const [space, copy] = [params["space"]!, params["*"]!];
  const conflict = await source.use(visit.caller, space, (one) => shownConflict(one, copy));
  const { rights } = visit.caller;
  const mayResolve = rights.may("update", space, conflict.path) && rights.may("delete", space, copy);
  const crumbs = [{ label: "Conflicts", path: spacePath(space, "/conflicts") }];
  const facts = { title: `Conflict in ${conflict.path}`, tab: "/conflicts", crumbs, status: failure?.status };
  return spacePage(visit, space, facts, h(ConflictBody, { visit, space, conflict, mayResolve, failure }));
}

async function shownConflict(space: BrowsedSpace, copy: string): Promise<ShownConflict> {
  const found = (await space.conflicts()).find((one) => one.copy === copy);
  if (!found) throw notFound("conflict", copy);
  const isAlone = !(await space.read(found.path).catch(noneIfNotFound));
  try {
    return { ...found, isAlone, diff: (await space.compare(found.path, copy)).text };
  } catch (error) {
    if (error instanceof AppError && (error.code === "not_text" || error.code === "too_large"))
      return { ...found, isAlone, diff: null };
    throw error;
  }
}

async function resolve(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, params, form } = asked;
  const [space, copy] = [params["space"]!, params["*"]!];
  const resolution: Resolution = form.text("keep") === "ours" ? "ours" : "theirs";
  try {
    const notice = await source.use(visit.caller, space, async (one) => {
      const { path } = await resolveConflict(one, copy, resolution);
      return `Resolved the conflict of ${path}.${await diskSentence(one, path, copy)}`;
    });
    return to(spacePath(space, "/conflicts"), notice);
  } catch (error) {
    return show(source, asked, failureOf(error));
  }
}
