// Changes to files: in the person's editor, by restoring a version, by resolving a conflict. Each is written by compare-and-swap, so nobody's text is
// lost; over SSH the stage refuses all of them.

import { AppError } from "../../../kit/error.ts";
import { decodeUtf8 } from "../../../kit/text/utf8.ts";
import { resolveConflict, type OpenConflict } from "../../replica/conflicts.ts";
import { diskNote } from "../../space/disk-note.ts";
import type { ReadFile } from "../../space/door.ts";
import { writeEdited } from "../../space/edited-write.ts";
import type { Edited, WritingHands } from "../desk.ts";
import type { Stage } from "../page.ts";
import { errorText } from "../words.ts";

export function editFile(stage: Stage, space: string, path: string): void {
  stage.change({ action: "file.write", space, target: path }, async (hands) => {
    const base = await hands.use(space, (door) => door.read(path));
    if (decodeUtf8(base.bytes) === undefined)
      throw new AppError("not_text", `${path}: not UTF-8 text; an editor would damage it`);
    const edited = await hands.edit(path.slice(path.lastIndexOf("/") + 1), base.bytes);
    if (edited === undefined) return "no changes, nothing was written";
    return save(hands, { space, base }, edited);
  });
}

interface Target {
  readonly space: string;
  /** The file that the edit began with. */
  readonly base: ReadFile;
}

/** Keeps the edited text in its file if it cannot be written. */
async function save(hands: WritingHands, { space, base }: Target, edited: Edited): Promise<string> {
  const { path } = base;
  try {
    const said = await hands.use(space, async (door) => {
      const { version } = await writeEdited(door, base, edited.content);
      return `${path} is at v${version}${await diskNote(door, path)}`;
    });
    await edited.discard();
    return said;
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    throw new AppError(code, `${errorText(error)}; your text is kept in ${edited.file}`);
  }
}

export function restoreVersion(stage: Stage, space: string, path: string, version: number): void {
  stage.confirm(`Write v${version} of ${path} again as the newest version?`, () =>
    stage.change({ action: "file.write", space, target: path }, (hands) =>
      hands.use(space, async (door) => {
        const { current } = await door.history(path);
        const { bytes } = await door.read(path, version);
        const written = await door.write(path, bytes, current);
        return `${path} is at v${written.version}, with the content of v${version}${await diskNote(door, path)}`;
      }),
    ),
  );
}

/** Brings a deleted file back. */
export function restoreFile(stage: Stage, space: string, path: string): void {
  stage.confirm(`Restore ${path}?`, () =>
    stage.change({ action: "file.undelete", space, target: path }, (hands) =>
      hands.use(space, async (door) => {
        const { version } = await door.undelete(path);
        return `${path} is live again at v${version}${await diskNote(door, path)}`;
      }),
    ),
  );
}

export function resolve(
  stage: Stage,
  { space, ...conflict }: OpenConflict & { readonly space: string },
  resolution: "ours" | "theirs",
  options?: { readonly closes: boolean },
): void {
  const kept =
    resolution === "ours"
      ? `the version of ${conflict.user}, from the conflict file`
      : "the version under the original name";
  stage.confirm(`Keep ${kept}?`, () =>
    stage.change(
      { action: "file.write", space, target: conflict.path },
      (hands) =>
        hands.use(space, async (door) => {
          await resolveConflict(door, conflict.copy, resolution);
          return `resolved ${conflict.path}: kept ${kept}${await diskNote(door, conflict.path, conflict.copy)}`;
        }),
      options,
    ),
  );
}
