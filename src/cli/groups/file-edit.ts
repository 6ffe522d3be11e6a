// `cairn file edit`: opens a file in an editor and writes it back by compare-and-swap. The edited text is never lost: if it could not be written,
// it stays in a file that the error names. No connection stays open while the editor runs.

import { defineCommand } from "citty";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandWords } from "../../kit/command-text.ts";
import { absentAsUndefined } from "../../kit/disk.ts";
import {
  hasTerminal,
  processEnvironment,
  temporaryDirectory,
  type Environment,
} from "../../kit/environment.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { PRIVATE_FILE_MODE } from "../../kit/modes.ts";
import { formatOf, printData } from "../../kit/output.ts";
import { parseDocumentPath } from "../../kit/paths.ts";
import { runOnOwnTerminal } from "../../kit/process.ts";
import { decodeUtf8 } from "../../kit/utf8.ts";
import type { Written } from "../../context/files/files.ts";
import { spaceArgs, withSpace, type SpaceCommandFlags as Flags } from "../connection.ts";
import { bytes } from "../text.ts";
import { path } from "./file.ts";

/** The base that the edited text is compared with. */
interface Base {
  /** The version that was read; null for a new file. Undefined for a hand edit, which the server records before the next write. */
  readonly version: number | null | undefined;
  readonly content: Uint8Array;
}

export const fileEdit = defineCommand({
  meta: {
    name: "edit",
    description:
      "Edit a file in your editor ($VISUAL, $EDITOR); saved only if nobody else changed it in the meantime",
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
      throw new AppError("invalid", "no terminal for an editor; write the file with cairn file put");
    const base = args.create === true ? await nothing(args, file) : await read(args, file);
    const folder = await mkdtemp(join(temporaryDirectory(environment), "cairn-edit-"));
    // Editors recognise languages by extension, and people recognise files by name.
    const copy = join(folder, file.slice(file.lastIndexOf("/") + 1));
    let isKept = true;
    try {
      await writeFile(copy, base.content, { mode: PRIVATE_FILE_MODE, flag: "wx" });
      const edited = await editedText(editor, copy, base, environment);
      const written =
        edited === undefined
          ? { path: file, version: base.version ?? null, changed: false }
          : { ...(await write(args, file, base, edited, copy)), changed: true };
      isKept = false;
      await printData(written, format, (one) =>
        "size" in one
          ? `${one.path} is at v${one.version} (${bytes(one.size)})`
          : `${one.path}: no changes, nothing was written`,
      );
    } catch (error) {
      isKept &&= await differs(copy, base);
      throw error;
    } finally {
      if (!isKept) await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Raises `invalid` if no editor is set. */
function editorOf(environment: Environment): string[] {
  for (const name of ["VISUAL", "EDITOR"]) {
    const words = commandWords(`$${name}`, environment[name] ?? "");
    if (words.length > 0) return words;
  }
  throw new AppError(
    "invalid",
    "no editor: set $VISUAL or $EDITOR, for example EDITOR=nano, or write the file with cairn file put",
  );
}

/** Raises `not_found`, and `not_text` for content that an editor would damage. */
async function read(flags: Flags, file: string): Promise<Base> {
  const { version, bytes: content } = await withSpace(flags, (space) => space.read(file));
  if (decodeUtf8(content) === undefined)
    throw new AppError("not_text", `${file}: not UTF-8 text; an editor would damage it`);
  return { version: version ?? undefined, content };
}

/** Raises `conflict` before the editor opens if the file exists. */
async function nothing(flags: Flags, file: string): Promise<Base> {
  const isThere = await withSpace(flags, (space) =>
    space.read(file).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.code === "not_found") return false;
        throw error;
      },
    ),
  );
  if (isThere) throw new AppError("conflict", `${file}: already exists; edit it without --create`);
  return { version: null, content: new Uint8Array() };
}

/** Undefined if nothing changed. Raises `invalid` if the editor failed; the saved text stays. */
async function editedText(
  editor: readonly string[],
  copy: string,
  base: Base,
  environment: Environment,
): Promise<Uint8Array | undefined> {
  const ended = await runOnOwnTerminal([...editor, copy], environment);
  if (!ended) throw new AppError("invalid", `cannot start the editor: ${editor[0]}`);
  const text = await absentAsUndefined(readFile(copy));
  if (text === undefined) throw new AppError("invalid", "the editor deleted the file; nothing was written");
  const isChanged = !text.equals(base.content);
  if (ended.exitCode !== 0)
    throw new AppError(
      "invalid",
      `the editor failed (exit code ${ended.exitCode}); nothing was written${isChanged ? `; your text is kept in ${copy}` : ""}`,
    );
  return isChanged ? text : undefined;
}

/** Raises the server's error, with the path of the kept text. */
async function write(
  flags: Flags,
  file: string,
  base: Base,
  raw: Uint8Array,
  copy: string,
): Promise<Written> {
  try {
    return await withSpace(flags, (space) => space.write(file, raw, base.version));
  } catch (error) {
    const { code, message, details } =
      error instanceof AppError ? error : new AppError("internal", `unexpected failure: ${messageOf(error)}`);
    throw new AppError(code, `${message}; your text is kept in ${copy}`, { ...details, kept: copy });
  }
}

async function differs(copy: string, base: Base): Promise<boolean> {
  const text = await absentAsUndefined(readFile(copy));
  return text !== undefined && !text.equals(base.content);
}
