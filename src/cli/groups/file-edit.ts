// `cairn file edit`: opens a file in an editor and writes it back by compare-and-swap. The edited text is never lost: if it could not be written,
// it stays in a file that the error names. No connection stays open while the editor runs.

import { defineCommand } from "citty";
import { hasTerminal, processEnvironment } from "../../kit/environment.ts";
import { AppError, messageOf, noneIfNotFound } from "../../kit/error.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { writeEdited } from "../../context/space/edited-write.ts";
import type { Written } from "../../context/files/files.ts";
import { done, requireOnDisk, type Done } from "../behind.ts";
import { nextCommand } from "../next-command.ts";
import { spaceArgs, withSpace, type SpaceCommandFlags as Flags } from "../connection.ts";
import { EditedFile, editorOf } from "../editing.ts";
import { bytes } from "../tables.ts";
import { path } from "./file.ts";

/** The base that the edited text is compared with. */
interface Base {
  /** The version that was read; null for a new file. Undefined for a manual edit, which the space records before the next write. */
  readonly version: number | null | undefined;
  readonly content: Uint8Array;
}

export const fileEdit = defineCommand({
  meta: {
    name: "edit",
    description:
      "Edit a file in your editor ($VISUAL, $EDITOR); saves only if nobody else changed the file in the meantime",
  },
  args: {
    path,
    create: { type: "boolean", description: "Create a new file; fails if it exists" },
    ...spaceArgs,
  },
  async run({ args }) {
    const format = formatOf(args);
    const environment = processEnvironment();
    const file = parseDocumentPath("path", args.path);
    const editor = editorOf(environment);
    if (!hasTerminal())
      throw new AppError(
        "invalid",
        `no terminal for an editor; write the file with ${nextCommand(["file", "put", "--from", "<file>"], [args.path], args)}`,
      );
    const base = args.create === true ? await nothing(args, file) : await read(args, file);
    const copy = await EditedFile.create(file.slice(file.lastIndexOf("/") + 1), base.content, environment);
    let isKept = true;
    try {
      const edited = await copy.edit(editor, environment);
      if (edited === undefined) {
        isKept = false;
        const unchanged = { path: file, version: base.version ?? null, changed: false };
        return await printData(unchanged, format, () => `${file}: no changes, nothing was written`);
      }
      const written = await write(args, file, base, { edited, copy: copy.path });
      isKept = false;
      await printData(
        { ...written.answer, changed: true },
        format,
        (one) => `${one.path} is at v${one.version} (${bytes(one.size)})`,
      );
      requireOnDisk(written, args);
    } catch (error) {
      isKept &&= await copy.differs();
      throw error;
    } finally {
      if (!isKept) await copy.discard();
    }
  },
});

/** Raises `not_found`, and `not_text` for content that an editor would damage. */
async function read(flags: Flags, file: string): Promise<Base> {
  const { version, bytes: content } = await withSpace(flags, (space) => space.read(file).catch(withCreate));
  if (decodeUtf8(content) === undefined)
    throw new AppError("not_text", `${file}: not UTF-8 text; an editor would damage it`);
  return { version: version ?? undefined, content };
}

/** Editors create a file that they are started with. */
function withCreate(error: unknown): never {
  // A missing space is `not_found`, too, without a path.
  const isFile = error instanceof AppError && error.code === "not_found" && "path" in (error.details ?? {});
  if (!isFile) throw error;
  throw new AppError(error.code, `${error.message}; pass --create for a new file`, error.details);
}

/** Raises `conflict` before the editor opens if the file exists. */
async function nothing(flags: Flags, file: string): Promise<Base> {
  const present = await withSpace(flags, (space) => space.read(file).catch(noneIfNotFound));
  if (present) throw new AppError("conflict", `${file}: already exists; edit it without --create`);
  return { version: null, content: new Uint8Array() };
}

/** Raises the server's error, with the path of the kept text. */
async function write(
  flags: Flags,
  file: string,
  base: Base,
  { edited, copy }: { edited: Uint8Array; copy: string },
): Promise<Done<Written>> {
  try {
    return await withSpace(flags, (space) =>
      done(space, () =>
        base.version === null
          ? space.write(file, edited, null)
          : writeEdited(space, { path: file, version: base.version ?? null, bytes: base.content }, edited),
      ),
    );
  } catch (error) {
    const { code, message, details } =
      error instanceof AppError ? error : new AppError("internal", `unexpected failure: ${messageOf(error)}`);
    throw new AppError(code, `${message}; your text is kept in ${copy}`, { ...details, kept: copy });
  }
}
