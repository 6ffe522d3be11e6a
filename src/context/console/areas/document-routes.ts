// One document: reading it, as a page and as it is, editing it with compare-and-swap, creating and deleting it. When somebody else saved first, the
// editor shows both sides and saves over neither by itself.

import { h } from "preact";
import { AppError, fieldError, noneIfNotFound } from "../../../kit/error.ts";
import { SECURITY_HEADERS } from "../../../kit/http/answer.ts";
import { contentDisposition } from "../../../kit/http/content-disposition.ts";
import type { Capability } from "../../access/schema.ts";
import type { Caller } from "../../identity/caller.ts";
import { diskSentence } from "../../space/disk-note.ts";
import type { BrowsedSpace, ReadFile, SpaceDoor } from "../../space/door.ts";
import { conflictBeginning, parseConflictName } from "../../sync/conflict-names.ts";
import type { FileHistory } from "../../versioned-store/schema.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import { failureOf, type Failure } from "../failure.ts";
import { spacePath } from "../format.ts";
import type { Rendering } from "../rendering.ts";
import {
  baseOf,
  besideTheirs,
  bytesOf,
  editedIn,
  expectedOf,
  openedFor,
  signatureOf,
  type Edited,
} from "../editing.ts";
import { DeleteDocumentBody, DocumentBody } from "../pages/document.tsx";
import { EditorBody, NewDocumentBody } from "../pages/editor.tsx";
import { folderCrumbs, spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";
import type { Visit } from "../visit.ts";

/** The parts that the pages of one document need. */
interface Deps {
  readonly source: SpaceSource;
  readonly rendering: Rendering;
}

const ROOT = "/console/spaces/:space";
/** The page of all conflicts has the others. */
const CONFLICTS_SHOWN = 5;

export function documentsArea(source: SpaceSource, rendering: Rendering): Area {
  const deps = { source, rendering };
  return {
    routes: [
      { method: "GET", path: `${ROOT}/new`, answer: (asked) => newDocument(deps, asked), query: ["folder"] },
      { method: "POST", path: `${ROOT}/new`, answer: (asked) => create(deps, asked) },
      {
        method: "GET",
        path: `${ROOT}/files/*`,
        answer: (asked) => read(deps, asked),
        query: ["version", "view"],
      },
      { method: "GET", path: `${ROOT}/raw/*`, answer: (asked) => download(deps, asked), query: ["version"] },
      { method: "GET", path: `${ROOT}/edit/*`, answer: (asked) => edit(deps, asked) },
      { method: "POST", path: `${ROOT}/edit/*`, answer: (asked) => save(deps, asked) },
      { method: "GET", path: `${ROOT}/remove/*`, answer: (asked) => askRemoval(deps, asked) },
      { method: "POST", path: `${ROOT}/remove/*`, answer: (asked) => remove(deps, asked) },
    ],
  };
}

interface Place {
  readonly space: string;
  readonly path: string;
}

export function placeOf({ params }: Asked): Place {
  return { space: params["space"]!, path: params["*"]! };
}

/** The version in the address; undefined: the live one. Raises `invalid`. */
export function versionIn(query: URLSearchParams, name = "version"): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw fieldError("invalid", name, "expected the number of a version");
  return Number(text);
}

async function read({ source, rendering }: Deps, asked: Asked): Promise<Answer> {
  const { visit, query, signal } = asked;
  const { space, path } = placeOf(asked);
  const version = versionIn(query);
  const [file, conflicts] = await source.use(visit.caller, space, async (one) => [
    await readOrHistory(one, path, version),
    version === undefined ? await conflictsOf(one, path) : [],
  ]);
  if ("versions" in file) return to(spacePath(space, "/history", path));
  const view = query.get("view") === "text" ? "text" : "page";
  const shown = await rendering.of(file, spacePath(space), view, { by: visit.caller.name, signal });
  const { rights } = visit.caller;
  const may = {
    edit: rights.may("update", space, path),
    delete: rights.may("delete", space, path),
  };
  const body = h(DocumentBody, { space, file, asked: version, shown, may, conflicts });
  return spacePage(visit, space, { title: nameOf(path), tab: "", crumbs: folderCrumbs(space, path) }, body);
}

/** The conflict files of a document, or the one that it is itself. In a folder they follow each other, because their names begin as its own. */
async function conflictsOf(space: BrowsedSpace, path: string): Promise<string[]> {
  if (parseConflictName(path)) return [path];
  const name = nameOf(path);
  const folder = path.slice(0, Math.max(0, path.length - name.length - 1));
  const { entries } = await space.folder({
    folder,
    after: conflictBeginning(path),
    limit: CONFLICTS_SHOWN,
  });
  return entries.flatMap((entry) =>
    entry.kind === "file" && parseConflictName(entry.file.path)?.path === path ? [entry.file.path] : [],
  );
}

/** A deleted document has its history left. Raises `not_found`. */
async function readOrHistory(
  space: SpaceDoor,
  path: string,
  version: number | undefined,
): Promise<ReadFile | FileHistory> {
  try {
    return await space.read(path, version);
  } catch (error) {
    if (version !== undefined || !(error instanceof AppError) || error.code !== "not_found") throw error;
    return space.history(path);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The bytes as they are, never as a page. */
async function download({ source }: Deps, asked: Asked): Promise<Answer> {
  const { visit, query, exchange } = asked;
  const { space, path } = placeOf(asked);
  const file = await source.use(visit.caller, space, (one) => one.read(path, versionIn(query)));
  const response = new Response(file.bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      ...SECURITY_HEADERS,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Content-Type": "application/octet-stream",
      "Content-Disposition": contentDisposition("attachment", nameOf(path)),
      "Cache-Control": "no-store",
      "X-Request-Id": exchange.id,
    },
  });
  return { kind: "response", response };
}

function editorPage(visit: Visit, space: string, edited: Edited, status?: number): Answer {
  const { path } = edited;
  return spacePage(
    visit,
    space,
    { title: `Edit ${nameOf(path)}`, tab: "", crumbs: crumbsOf(space, path), status },
    h(EditorBody, { visit, space, edited }),
  );
}

function crumbsOf(space: string, path: string) {
  return [...folderCrumbs(space, path), { label: nameOf(path), path: spacePath(space, "/files", path) }];
}

async function edit({ source }: Deps, asked: Asked): Promise<Answer> {
  const { visit } = asked;
  const { space, path } = placeOf(asked);
  const file = await source.use(visit.caller, space, (one) => one.read(path));
  requireMay(visit.caller, "update", { space, path });
  return editorPage(visit, space, openedFor(file));
}

/** For forms, so that nobody fills in one that is refused. The rules ask again when it is sent. Raises `forbidden`. */
function requireMay({ rights }: Caller, capability: Capability, { space, path }: Place): void {
  if (rights.may(capability, space, path)) return;
  throw new AppError("forbidden", `you may read ${path} but not ${capability} it`);
}

async function save(deps: Deps, asked: Asked): Promise<Answer> {
  const { visit, form, signal } = asked;
  const { space, path } = placeOf(asked);
  const edited = editedIn(form, path);
  const isPreview = form.text("action") === "preview";
  if (isPreview) {
    await deps.source.use(visit.caller, space, () => Promise.resolve());
    requireMay(visit.caller, "update", { space, path });
  }
  try {
    if (isPreview) {
      const file = { path, version: null, state: "live" as const, bytes: bytesOf(edited) };
      const by = { by: visit.caller.name, signal };
      const preview = await deps.rendering.of(file, spacePath(space), "page", by);
      return editorPage(visit, space, { ...edited, preview });
    }
    const notice = await deps.source.use(visit.caller, space, async (one) => {
      const expected = await expectedOf(edited, () => one.read(path));
      const { version } = await one.write(path, bytesOf(edited), expected, signatureOf(edited.message));
      return `Saved ${path} as v${version}.${await diskSentence(one, path)}`;
    });
    return to(spacePath(space, "/files", path), notice);
  } catch (error) {
    const failure = failureOf(error, "content");
    const shown =
      failure.code === "stale"
        ? besideTheirs(edited, await liveOf(deps, visit, { space, path }), failure)
        : { ...edited, failure };
    return editorPage(visit, space, shown, failure.status);
  }
}

/** The live document; undefined: it was deleted. */
function liveOf({ source }: Deps, { caller }: Visit, { space, path }: Place): Promise<ReadFile | undefined> {
  return source.use(caller, space, (one) => one.read(path)).catch(noneIfNotFound);
}

async function newDocument({ source }: Deps, asked: Asked): Promise<Answer> {
  const { visit, params, query } = asked;
  await source.use(visit.caller, params["space"]!, () => Promise.resolve());
  const folder = query.get("folder") ?? "";
  return newPage(asked, { path: folder === "" ? "" : `${folder}/`, content: "" });
}

function newPage(
  { visit, params }: Asked,
  made: { path: string; content: string; failure?: Failure; preview?: Edited["preview"] },
): Answer {
  const space = params["space"]!;
  if (!visit.caller.rights.mayChange(space)) throw new AppError("forbidden", `you may not write in ${space}`);
  return spacePage(
    visit,
    space,
    { title: "Create a document", tab: "", status: made.failure?.status },
    h(NewDocumentBody, { visit, space, made }),
  );
}

async function create({ source, rendering }: Deps, asked: Asked): Promise<Answer> {
  const { visit, form, params, signal } = asked;
  const space = params["space"]!;
  const path = form.text("path").trim();
  const content = form.text("content").replaceAll("\r\n", "\n");
  // Unseen and missing spaces are the same page.
  await source.use(visit.caller, space, () => Promise.resolve());
  try {
    const bytes = bytesOf({ content, ends: "lf" });
    if (form.text("action") === "preview") {
      const file = { path: path === "" ? "new.md" : path, version: null, state: "live" as const, bytes };
      const by = { by: visit.caller.name, signal };
      return newPage(asked, {
        path,
        content,
        preview: await rendering.of(file, spacePath(space), "page", by),
      });
    }
    const made = await source.use(visit.caller, space, async (one) => {
      const { path: at } = await one.write(path, bytes, null);
      return { at, note: await diskSentence(one, at) };
    });
    return to(spacePath(space, "/files", made.at), `Created ${made.at}.${made.note}`);
  } catch (error) {
    const failure = failureOf(error, "path");
    const isTaken = failure.code === "stale";
    const told = isTaken ? { ...failure, field: "path", text: "a document with this name exists" } : failure;
    return newPage(asked, { path, content, failure: told });
  }
}

async function askRemoval({ source }: Deps, asked: Asked, failure?: Failure): Promise<Answer> {
  const { visit } = asked;
  const { space, path } = placeOf(asked);
  const file = await source.use(visit.caller, space, (one) => one.read(path));
  requireMay(visit.caller, "delete", { space, path });
  const base = baseOf(file);
  return spacePage(
    visit,
    space,
    { title: `Delete ${nameOf(path)}`, tab: "", crumbs: crumbsOf(space, path), status: failure?.status },
    h(DeleteDocumentBody, { visit, space, file, base, failure }),
  );
}

async function remove(deps: Deps, asked: Asked): Promise<Answer> {
  const { visit, form } = asked;
  const { space, path } = placeOf(asked);
  const shown = { path, base: form.text("base") };
  try {
    const note = await deps.source.use(visit.caller, space, async (one) => {
      const deleted = await one.remove(path, await expectedOf(shown, () => one.read(path)));
      return diskSentence(one, deleted.path);
    });
    return to(spacePath(space, "/deleted"), `Deleted ${path}. All its versions are kept.${note}`);
  } catch (error) {
    return askRemoval(deps, asked, failureOf(error));
  }
}
