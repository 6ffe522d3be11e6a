// The documents of a space as lists: folders, search, deleted files, and files on disk that have no version.

import { h } from "preact";
import { to, type Answer, type Area, type Asked, type PageRoute } from "../area.ts";
import { failureOf } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { DeletedBody, FolderBody, SearchBody, UnrecordedBody, type SearchShown } from "../pages/folders.tsx";
import { AGAIN, lastLookOf, lookedAgain } from "../last-look.tsx";
import { folderCrumbs, spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const RESULTS_SHOWN = 50;

export function foldersArea(source: SpaceSource): Area {
  return {
    spaceTabs: [
      { label: "Documents", path: "" },
      { label: "Search", path: "/search" },
      { label: "Deleted", path: "/deleted" },
      { label: "On disk", path: "/disk" },
    ],
    routes: [
      {
        method: "GET",
        path: "/console/spaces/:space",
        answer: (asked) => folder(source, asked, ""),
        query: ["after"],
      },
      {
        method: "GET",
        path: "/console/spaces/:space/tree/*",
        answer: (asked) => folder(source, asked, asked.params["*"]!),
        query: ["after"],
      },
      {
        method: "GET",
        path: "/console/spaces/:space/search",
        answer: (asked) => search(source, asked),
        query: ["q", "regex", "path"],
      },
      {
        method: "GET",
        path: "/console/spaces/:space/link",
        answer: (asked) => link(source, asked),
        query: ["name"],
      },
      {
        method: "GET",
        path: "/console/spaces/:space/deleted",
        answer: (asked) => deleted(source, asked),
        query: ["before"],
      },
      ...diskRoutes(source),
    ],
  };
}

async function folder(source: SpaceSource, { visit, params, query }: Asked, path: string): Promise<Answer> {
  const space = params["space"]!;
  const after = query.get("after") ?? undefined;
  const found = await source.use(visit.caller, space, (one) =>
    one.folder({ folder: path, after, limit: PAGE_ROWS }),
  );
  const here = path === "" ? spacePath(space) : spacePath(space, "/tree", path);
  const next = found.next === undefined ? undefined : withQuery(here, { after: found.next });
  const first = after === undefined ? undefined : here;
  const mayCreate = visit.caller.rights.mayChange(space);
  const title = path === "" ? space : path.slice(path.lastIndexOf("/") + 1);
  const body = h(FolderBody, { space, folder: path, entries: found.entries, mayCreate, next, first });
  return spacePage(visit, space, { title, tab: "", crumbs: folderCrumbs(space, path) }, body);
}

async function search(source: SpaceSource, { visit, params, query }: Asked): Promise<Answer> {
  const space = params["space"]!;
  const text = query.get("q") ?? "";
  const regex = query.get("regex") === "1";
  const path = query.get("path")?.trim() ?? "";
  let shown: SearchShown = { text, regex, path, answer: undefined, failure: undefined };
  if (text.trim() !== "") {
    try {
      const asked = { text, regex, limit: RESULTS_SHOWN, ...(path === "" ? {} : { path }) };
      shown = { ...shown, answer: await source.use(visit.caller, space, (one) => one.search(asked)) };
    } catch (error) {
      shown = { ...shown, failure: failureOf(error, "q") };
    }
  } else await source.use(visit.caller, space, (one) => one.record());
  const status = shown.failure?.status;
  return spacePage(
    visit,
    space,
    { title: "Search", tab: "/search", status },
    h(SearchBody, { space, shown }),
  );
}

/** A link by name alone: the document itself if there is exactly one at that path, or else a search for the name. */
async function link(source: SpaceSource, { visit, params, query }: Asked): Promise<Answer> {
  const space = params["space"]!;
  const name = (query.get("name") ?? "").replace(/#.*$/s, "").trim();
  const found = await source.use(visit.caller, space, async (one) => {
    const paths = /\.[a-z0-9]+$/i.test(name) ? [name] : [`${name}.md`, name];
    const answer = await one.documents({ paths }).catch(() => undefined);
    return answer?.documents[0]?.path;
  });
  if (found !== undefined) return to(spacePath(space, "/files", found));
  return to(
    withQuery(spacePath(space, "/search"), { q: name === "" ? undefined : `"${name.replaceAll('"', " ")}"` }),
  );
}

async function deleted(source: SpaceSource, { visit, params, query }: Asked): Promise<Answer> {
  const space = params["space"]!;
  const here = spacePath(space, "/deleted");
  const text = query.get("before");
  const before = text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
  const { files, next } = await source.use(visit.caller, space, (one) =>
    one.deleted({ before, limit: PAGE_ROWS }),
  );
  const mayRestore = (path: string) => visit.caller.rights.may("update", space, path);
  const pager = {
    next: next === undefined ? undefined : withQuery(here, { before: next }),
    first: before === undefined ? undefined : here,
  };
  const body = h(DeletedBody, { visit, space, files, mayRestore, ...pager });
  return spacePage(visit, space, { title: "Deleted documents", tab: "/deleted" }, body);
}

async function unrecorded(source: SpaceSource, asked: Asked): Promise<Answer> {
  const { visit, params, query } = asked;
  const space = params["space"]!;
  const found = await source.use(visit.caller, space, async (one) => {
    const again = lookedAgain(one, asked);
    return again ? { again } : { all: await one.unrecorded(), look: lastLookOf(one, "unrecorded", asked) };
  });
  if ("again" in found) return found.again;
  const after = query.get("after") ?? "";
  const left = found.all.filter(({ path }) => path > after);
  const files = left.slice(0, PAGE_ROWS);
  const here = spacePath(space, "/disk");
  const pager = {
    next: left.length > PAGE_ROWS ? withQuery(here, { after: files.at(-1)!.path }) : undefined,
    first: after === "" ? undefined : here,
  };
  const mayAdopt = visit.caller.rights.has("lead", space);
  const body = h(UnrecordedBody, { visit, space, files, mayAdopt, look: found.look, ...pager });
  return spacePage(visit, space, { title: "Changes on disk", tab: "/disk" }, body);
}

function diskRoutes(source: SpaceSource): PageRoute[] {
  const path = "/console/spaces/:space/disk";
  return [
    {
      method: "GET",
      path,
      answer: (asked) => unrecorded(source, asked),
      query: ["after", AGAIN],
    },
    {
      method: "POST",
      path,
      answer: async ({ visit, params }) => {
        const space = params["space"]!;
        const { adopted, refused } = await source.use(visit.caller, space, (one) => one.adopt());
        const left =
          refused.length === 0
            ? ""
            : ` ${counted(refused.length, "entry", "entries")} could not be recorded.`;
        return to(spacePath(space, "/disk"), `Recorded ${counted(adopted.length, "file")}.${left}`);
      },
    },
  ];
}
