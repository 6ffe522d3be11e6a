// `cairn init solo`: a space in a folder. Everything is checked before anything is written; files that are there already stay as they are.

import type { Adoption } from "../../context/files/listing-schema.ts";
import { holdsFinishedSpace } from "../../context/space/directory.ts";
import type { FileBehind, SpaceDoor } from "../../context/space/door.ts";
import { spaceNameProblem } from "../../context/spaces/schema.ts";
import { INDEX_PATH } from "../../context/spaces/space-index.ts";
import { templateFiles, templateOperations } from "../../context/spaces/templates.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { requireOnDisk } from "../behind.ts";
import { localDeps } from "../connection.ts";
import { plural, shown } from "../tables.ts";
import { activateHint, refuseProblems } from "./answers.ts";
import { defaultName, placeProblem } from "./place.ts";

export interface NewSolo {
  readonly directory: string;
  /** Undefined: after the folder. */
  readonly name: string | undefined;
  /** Undefined: `solo`, or the template of the space that is completed. */
  readonly template: string | undefined;
  readonly adopt: boolean;
  /** Completes a space that exists: adds pages of the template that it never had. A lost database starts over, without versions. */
  readonly force: boolean;
}

interface MadeSolo {
  readonly directory: string;
  readonly space: string;
  readonly template: string;
  /** False: the space was there, and pages were added to it. */
  readonly created: boolean;
  /** The pages of the template that were written. */
  readonly written: readonly string[];
  /** The pages that were left out, since a file of that name exists or existed. */
  readonly left_out: readonly string[];
  readonly adopted: number;
  readonly refused: readonly Pick<Adoption["refused"][number], "path" | "code" | "reason">[];
  /** Pages that the disk refused, recorded all the same. */
  readonly behind: readonly FileBehind[];
  /** Files that have no version yet. */
  readonly untracked: number;
}

/** Raises `invalid` with everything that is wrong, and `conflict` for a folder that holds a space, unless it is to be completed. */
export function checkSolo({ directory, name, force }: NewSolo, environment: Environment): void {
  const isThere = holdsFinishedSpace(directory);
  const nameProblem = name === undefined ? undefined : spaceNameProblem(name);
  refuseProblems([
    placeProblem(directory, environment),
    nameProblem === undefined ? undefined : `--name "${name}": ${nameProblem}`,
    isThere && force && name !== undefined
      ? "--name: the space has a name; change it with --reconfigure"
      : undefined,
  ]);
  if (isThere && !force)
    throw new AppError(
      "conflict",
      `${directory} already holds a space; change its settings with --reconfigure, or add missing pages of a template with --force`,
    );
}

export async function createSolo(made: NewSolo): Promise<MadeSolo> {
  const { directory } = made;
  const isThere = holdsFinishedSpace(directory);
  const space = await (isThere ? opened(made) : created(made));
  try {
    const { template } = await space.record();
    const wanted = made.template ?? template;
    const written = isThere ? await addPages(space, wanted) : await recordedIn(space);
    const adoption = made.adopt ? await space.adopt() : NOTHING;
    if (adoption.adopted.length > 0 && !adoption.adopted.includes(INDEX_PATH)) await listAgain(space);
    return {
      directory,
      space: space.name,
      template: wanted,
      created: !isThere,
      written,
      left_out: templateFiles(wanted).flatMap(({ path }) => (written.includes(path) ? [] : [path])),
      adopted: adoption.adopted.length,
      refused: adoption.refused.map(({ path, code, reason }) => ({ path, code, reason })),
      behind: await space.behind(),
      untracked: (await space.list()).filter(({ state }) => state === "untracked").length,
    };
  } finally {
    await space.close();
  }
}

const NOTHING: Pick<Adoption, "adopted" | "refused"> = { adopted: [], refused: [] };

async function opened({ directory, force }: NewSolo): Promise<SpaceDoor> {
  const { openLocalSpace } = await import("../../context/space/local.ts");
  return openLocalSpace(directory, { ...localDeps(directory), lost: force ? "start over" : "refuse" });
}

async function created({ directory, name, template }: NewSolo): Promise<SpaceDoor> {
  const { createLocalSpace } = await import("../../context/space/local.ts");
  const made = { directory, name: name ?? defaultName(directory), template: template ?? "solo" };
  return createLocalSpace({ ...made, taken: "leave" }, localDeps(directory));
}

/** The index of the template lists only the template. */
async function listAgain(space: SpaceDoor): Promise<void> {
  if (!(await recordedIn(space)).includes(INDEX_PATH)) return;
  const { writeIndexPage } = await import("../../context/space/index-page.ts");
  await writeIndexPage(space);
}

async function recordedIn(space: SpaceDoor): Promise<string[]> {
  return (await space.list()).flatMap(({ path, version }) => (version === null ? [] : [path]));
}

/** A page that the person deleted stays deleted. */
async function addPages(space: SpaceDoor, template: string): Promise<string[]> {
  const known = new Set((await space.list({ deleted: true })).map(({ path }) => path));
  const written: string[] = [];
  for (const operation of templateOperations(template)) {
    if (operation.op !== "put" || known.has(operation.path)) continue;
    try {
      await space.write(operation.path, operation.content, null);
      written.push(operation.path);
    } catch (error) {
      // Another spelling of the name, or a folder, has the place.
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    }
  }
  return written;
}

const pagesText = (count: number) => (count === 0 ? "no pages" : plural(count, "page"));

/** Raises `refused` if the disk refused a file. A file that cannot be a document is only named. */
export function requireRecorded({ directory, refused, behind }: MadeSolo): void {
  requireOnDisk({ answer: undefined, behind, place: directory }, { dir: directory });
  const closed = refused.filter(({ code }) => code === "unreadable").length;
  if (closed > 0) throw new AppError("refused", `${plural(closed, "file")} could not be read; see above`);
}

/** `own`: the folder that commands use without `--dir`. */
export function soloText(made: MadeSolo, own: string): string {
  const dir = dirFlag(made, own);
  const place = `the space ${made.space} in ${made.directory}`;
  const pages = pagesText(made.written.length);
  const done = made.created ? `created ${place} with ${pages}` : `added ${pages} to ${place}`;
  const lines = [`${done} (template ${made.template})`];
  if (made.left_out.length > 0)
    lines.push(
      `left out, since their names, or those of their folders, are taken: ${made.left_out.map(shown).join(", ")}`,
    );
  if (made.adopted > 0) lines.push(`recorded ${plural(made.adopted, "file")} of yours as v1`);
  for (const { path, reason } of made.behind) lines.push(`not on disk: ${shown(path)}: ${shown(reason)}`);
  for (const { path, reason } of made.refused) lines.push(`not recorded: ${shown(path)}: ${shown(reason)}`);
  if (made.untracked > 0)
    lines.push(
      `${plural(made.untracked, "file")} without a version yet; record them with ${commandText(["cairn", "space", "adopt", ...dir])}`,
    );
  return lines.join("\n");
}

/** Returns the lines of the commands that come next. */
export function soloNext(made: MadeSolo, own: string): string[] {
  const dir = dirFlag(made, own);
  return [commandText(["cairn", "status", ...dir]), activateHint(dir)];
}

const dirFlag = ({ directory }: MadeSolo, own: string) => (directory === own ? [] : ["--dir", directory]);
