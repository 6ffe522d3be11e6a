// Opens a text in the person's editor ($VISUAL, $EDITOR). The edited text is never lost: the caller decides when its file is deleted.

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandWords } from "../kit/terminal/command-text.ts";
import { absentAsUndefined } from "../kit/disk/disk.ts";
import { temporaryFolder } from "../kit/disk/temporary-folder.ts";
import { temporaryDirectory, type Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { PRIVATE_FILE_MODE } from "../kit/disk/modes.ts";
import { runOnOwnTerminal } from "../kit/processes/process.ts";

/** Raises `invalid` if no editor is set. */
export function editorOf(environment: Environment): string[] {
  for (const name of ["VISUAL", "EDITOR"]) {
    const words = commandWords(`$${name}`, environment[name] ?? "");
    if (words.length > 0) return words;
  }
  throw new AppError(
    "invalid",
    "no editor: set $VISUAL or $EDITOR, for example EDITOR=nano, or write the file with cairn file put <path> --from <file>",
  );
}

/** A private file with a text, in a folder of its own. */
export class EditedFile {
  readonly path: string;
  readonly #folder: string;
  readonly #before: Uint8Array;

  private constructor(folder: string, path: string, before: Uint8Array) {
    this.#folder = folder;
    this.path = path;
    this.#before = before;
  }

  /** Editors recognise languages by extension, and people recognise files by name. */
  static async create(name: string, content: Uint8Array, environment: Environment): Promise<EditedFile> {
    const folder = temporaryFolder(temporaryDirectory(environment), "cairn-edit-");
    const path = join(folder, name);
    await writeFile(path, content, { mode: PRIVATE_FILE_MODE, flag: "wx" });
    return new EditedFile(folder, path, content);
  }

  /** Undefined if nothing changed. Raises `invalid` if the editor failed; the saved text stays. */
  async edit(editor: readonly string[], environment: Environment): Promise<Uint8Array | undefined> {
    const ended = await runOnOwnTerminal([...editor, this.path], environment);
    if (!ended)
      throw new AppError(
        "invalid",
        `cannot start the editor ${editor[0]}; set $VISUAL or $EDITOR to a program on the PATH`,
      );
    const text = await absentAsUndefined(readFile(this.path));
    if (text === undefined) throw new AppError("invalid", "the editor deleted the file; nothing was written");
    const isChanged = !text.equals(this.#before);
    if (ended.exitCode !== 0)
      throw new AppError(
        "invalid",
        `the editor failed (exit code ${ended.exitCode}); nothing was written${isChanged ? `; your text is kept in ${this.path}` : ""}`,
      );
    return isChanged ? text : undefined;
  }

  /** Reports whether it holds a text that is nowhere else. */
  async differs(): Promise<boolean> {
    const text = await absentAsUndefined(readFile(this.path));
    return text !== undefined && !text.equals(this.#before);
  }

  async discard(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
