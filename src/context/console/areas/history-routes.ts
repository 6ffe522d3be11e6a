// The past of one document: its versions, the difference between two of them, restoring one, undeleting, destroying a version for good.

import { h } from "preact";
import { AppError, fieldError, notFound } from "../../../kit/error.ts";
import { requireShown } from "../../files/comparing.ts";
import type { Caller } from "../../identity/caller.ts";
import { diskSentence } from "../../space/disk-note.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import { placeOf, versionIn } from "./document-routes.ts";
import { failureOf, type Failure } from "../failure.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { DestroyBody, DiffBody, HistoryBody } from "../pages/history.tsx";
import { folderCrumbs, spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const ROOT = "/console/spaces/:space";

export function historyArea(source: SpaceSource): Area {
  return {
    routes: [
      {
        method: "GET",
        path: `${ROOT}/history/*`,
        answer: (asked) => history(source, asked),
        query: ["before"],
      },
      {
        method: "GET",
        path: `${ROOT}/diff/*`,
        answer: (asked) => diff(source, asked),
        query: ["from", "to"],
      },
      { method: "POST", path: `${ROOT}/restore/*`, answer: (asked) => restore(source, asked) },
      { method: "POST", path: `${ROOT}/undelete/*`, answer: (asked) => undelete(source, asked) },
      {
        method: "GET",
        path: `${ROOT}/destroy/*`,
        answer: (asked) => askDestroy(source, asked),
        query: ["version"],
      },
      {
        method: "POST",
        path: `${ROOT}/destroy/*`,
        answer: (asked) => destroy(source, asked),
        query: ["version"],
      },
    ],
  };
}

function mayOf({ rights }: Caller, space: string, path: string) {
  return { update: rights.may("update", space, path), destroy: rights.has("lead", space) };
}

function titled(asked: Asked, title: string, failure?: Failure) {
  const { space, path } = placeOf(asked);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const own = { label: name, path: spacePath(space, "/history", path) };
  const crumbs = title === "History" ? folderCrumbs(space, path) : [...folderCrumbs(space, path), own];
  return { title: `${title} of ${name}`, tab: "", crumbs, status: failure?.status };
}

async function history(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, query } = asked;
  const { space, path } = placeOf(asked);
  const found = await source.use(visit.caller, space, (one) => one.history(path));
  const before = versionIn(query, "before");
  const rest =
    before === undefined ? found.versions : found.versions.filter(({ version }) => version < before);
  const rows = rest.slice(0, PAGE_ROWS);
  const here = spacePath(space, "/history", path);
  const body = h(HistoryBody, {
    visit,
    space,
    history: found,
    rows,
    may: mayOf(visit.caller, space, path),
    next: rest.length > PAGE_ROWS ? withQuery(here, { before: rows.at(-1)!.version }) : undefined,
    first: before === undefined ? undefined : here,
  });
  return spacePage(visit, space, titled(asked, "History"), body);
}

async function diff(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, query } = asked;
  const { space, path } = placeOf(asked);
  const versions = { from: versionIn(query, "from"), to: versionIn(query, "to") };
  const found = await source.use(visit.caller, space, (one) => one.diff(path, versions));
  requireShown(found);
  return spacePage(visit, space, titled(asked, "Difference"), h(DiffBody, { space, diff: found }));
}

/** Writes the content of an earlier version as a new one, over the version that the page showed as current. */
async function restore(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, form } = asked;
  const { space, path } = placeOf(asked);
  const version = requiredVersion(form.number("version"));
  const current = form.number("current") ?? null;
  const notice = await source.use(visit.caller, space, async (one) => {
    const { bytes } = await one.read(path, version);
    const written = await one.write(path, bytes, current, { message: `restored v${version}` });
    return `Restored v${version} as v${written.version}.${await diskSentence(one, path)}`;
  });
  return to(spacePath(space, "/history", path), notice);
}

async function undelete(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit } = asked;
  const { space, path } = placeOf(asked);
  const notice = await source.use(visit.caller, space, async (one) => {
    const { version } = await one.undelete(path);
    return `Restored ${path} with v${version}.${await diskSentence(one, path)}`;
  });
  return to(spacePath(space, "/files", path), notice);
}

async function askDestroy(source: SpaceSource, asked: Asked, failure?: Failure): Promise<Answer> {
  const { visit, query, form } = asked;
  const { space, path } = placeOf(asked);
  const version = requiredVersion(versionIn(query) ?? form.number("version"));
  const { versions } = await source.use(visit.caller, space, (one) => one.history(path));
  if (!mayOf(visit.caller, space, path).destroy)
    throw new AppError("forbidden", `destroying a version requires the role space-lead or admin in ${space}`);
  if (!versions.some((one) => one.version === version)) throw notFound("version", `v${version} of ${path}`);
  const body = h(DestroyBody, { visit, space, path, version, failure });
  return spacePage(visit, space, titled(asked, "Destroy a version", failure), body);
}

async function destroy(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, form } = asked;
  const { space, path } = placeOf(asked);
  const version = requiredVersion(form.number("version"));
  try {
    if (form.text("confirm").trim() !== `v${version}`)
      throw fieldError("refused", "confirm", `type v${version} to confirm`);
    await source.use(visit.caller, space, (one) => one.destroy(path, version));
    return to(spacePath(space, "/history", path), `Destroyed the content of v${version}.`);
  } catch (error) {
    return askDestroy(source, asked, failureOf(error));
  }
}

function requiredVersion(version: number | undefined): number {
  if (version === undefined || version < 1)
    throw fieldError("invalid", "version", "expected the number of a version");
  return version;
}
