// Spaces: the list, creating one from a template, deleting one after its name was typed.

import { h } from "preact";
import { isAdmin, requireAdmin } from "../../identity/caller.ts";
import { allOf } from "../../spaces/open-space.ts";
import { templateNames, templateSummary } from "../../spaces/templates.ts";
import type { Spaces } from "../../spaces/spaces.ts";
import { page, to, type Area, type PageRoute } from "../area.ts";
import { failureOf, type Failure } from "../failure.ts";
import { counted, sizeInWords } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { DeleteSpaceBody, NewSpaceBody, SpacesBody } from "../pages/spaces.tsx";
import { SETTINGS_TAB, spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";
import type { Visit } from "../visit.ts";

const ALL = "/console/spaces";

/** `spaces` undefined: a space on this machine, which pages neither create nor delete. */
export function spacesArea(source: SpaceSource, spaces?: Pick<Spaces, "create" | "remove">): Area {
  const list: PageRoute = {
    method: "GET",
    path: ALL,
    query: ["after"],
    answer: async ({ visit, query }) => {
      const all = allOf(await source.list(visit.caller));
      const after = query.get("after");
      const rest = after === null ? all : all.filter(({ name }) => name > after);
      const rows = rest.slice(0, PAGE_ROWS);
      const next = rest.length > PAGE_ROWS ? withQuery(ALL, { after: rows.at(-1)!.name }) : undefined;
      const first = after === null ? undefined : ALL;
      const mayCreate = spaces !== undefined && isAdmin(visit.caller);
      return page("Spaces", h(SpacesBody, { rows, mayCreate, next, first }));
    },
  };
  return {
    places: [{ label: "Spaces", path: ALL, group: "Work" }],
    routes: spaces ? [list, ...createRoutes(spaces), ...deleteRoutes(source, spaces)] : [list],
  };
}

function createRoutes(spaces: Pick<Spaces, "create">): PageRoute[] {
  const path = "/console/new-space";
  const templates = templateNames.map((value) => ({ value, label: value, note: templateSummary(value) }));
  const shown = (visit: Visit, name: string, template: string, failure?: Failure) =>
    page("Create a space", h(NewSpaceBody, { visit, name, template, templates, failure }), {
      crumbs: [{ label: "Spaces", path: ALL }],
      ...(failure ? { status: failure.status } : {}),
    });
  return [
    {
      method: "GET",
      path,
      answer: ({ visit }) => {
        requireAdmin(visit.caller);
        return shown(visit, "", "team");
      },
    },
    {
      method: "POST",
      path,
      answer: async ({ visit, form }) => {
        const [name, template] = [form.text("name").trim(), form.text("template")];
        try {
          const made = await spaces.create(visit.caller, { name, template });
          return to(
            spacePath(made.name),
            `Created the space ${made.name} with ${counted(made.files, "document")}.`,
          );
        } catch (error) {
          return shown(visit, name, template, failureOf(error, "name"));
        }
      },
    },
  ];
}

function deleteRoutes(source: SpaceSource, spaces: Pick<Spaces, "remove">): PageRoute[] {
  const path = "/console/spaces/:space/delete";
  const shown = async (visit: Visit, name: string, failure?: Failure) => {
    const space = await source.use(visit.caller, name, (one) => one.record());
    requireAdmin(visit.caller);
    return spacePage(
      visit,
      name,
      { title: `Delete ${name}`, tab: SETTINGS_TAB, status: failure?.status },
      h(DeleteSpaceBody, { visit, space, failure }),
    );
  };
  return [
    { method: "GET", path, answer: ({ visit, params }) => shown(visit, params["space"]!) },
    {
      method: "POST",
      path,
      answer: async ({ visit, params, form }) => {
        const name = params["space"]!;
        try {
          const gone = await spaces.remove(visit.caller, name, form.text("confirm").trim());
          return to(
            ALL,
            `Deleted the space ${name}: ${counted(gone.files, "document")}, ${sizeInWords(gone.bytes)}.`,
          );
        } catch (error) {
          const failure = failureOf(error, "confirm");
          const isTyped = failure.code === "refused";
          return shown(visit, name, isTyped ? { ...failure, text: `type ${name} to confirm` } : failure);
        }
      },
    },
  ];
}
