// The file of a tool: read with care, written durably. No symbolic link is followed below a project folder, because a link can lead to a file that
// other projects share. A file for all projects may be a link, as of people who keep their settings in a repository: the link stays, and the file that
// it leads to is edited. Line ends, byte order mark and permissions stay as they are.

import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { absentAsUndefined, accessProblem, guarded, isUnwritable } from "../../kit/disk/disk.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { NO_FOLLOW } from "../../kit/disk/held-directory.ts";
import { PERMISSIONS, PUBLIC_FILE_MODE } from "../../kit/disk/modes.ts";
import { replaceFile, syncDirectory } from "../../kit/disk/replace-file.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";

/** Larger files are no settings or instructions. */
const TARGET_BYTES_MAX = 1024 * 1024;
const OWNER_WRITES = 0o200;

export interface TargetFile {
  readonly folder: string;
  /** Below `folder`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Undefined: there is no such file. */
  readonly text: string | undefined;
  readonly mode: number | undefined;
}

/** Raises `invalid` for a link, a directory or device, a file that is too large, read-only or not UTF-8; `refused` without access. */
export async function readTarget(folder: string, name: string): Promise<TargetFile> {
  const path = join(folder, name);
  const absent = { folder, name, path, text: undefined, mode: undefined };
  return reaching(name, async () => {
    const parts = name.split("/");
    for (const [index] of parts.entries()) {
      const part = parts.slice(0, index + 1).join("/");
      const facts = await absentAsUndefined(lstat(join(folder, part)));
      if (!facts) return absent;
      if (facts.isSymbolicLink())
        throw new AppError(
          "invalid",
          `${part} is a symbolic link, which is not followed; replace it with a file or folder`,
        );
      const isLast = index === parts.length - 1;
      if (isLast ? !facts.isFile() : !facts.isDirectory())
        throw new AppError("invalid", `${part} is not a ${isLast ? "file" : "folder"}`);
    }
    const handle = await absentAsUndefined(open(path, constants.O_RDONLY | NO_FOLLOW));
    if (!handle) return absent;
    try {
      const facts = await handle.stat();
      if (facts.size > TARGET_BYTES_MAX)
        throw new AppError("too_large", `${name} is larger than ${sizeText(TARGET_BYTES_MAX)}`);
      if ((facts.mode & OWNER_WRITES) === 0)
        throw new AppError("invalid", `${name} is read-only; make it writable first`);
      const text = decodeUtf8(await handle.readFile());
      if (text === undefined) throw new AppError("not_text", `${name} is not UTF-8 text`);
      return { ...absent, text, mode: facts.mode & PERMISSIONS };
    } finally {
      await handle.close();
    }
  });
}

/** As `readTarget`, of the file that the name leads to through links. A link that leads nowhere is refused. */
export async function readLinkedTarget(folder: string, name: string): Promise<TargetFile> {
  const [root, path] = await Promise.all(
    [folder, join(folder, name)].map((one) => realpath(one).catch(() => undefined)),
  );
  const isLinked = root !== undefined && path !== undefined && path !== join(root, name);
  return isLinked ? readTarget(dirname(path), basename(path)) : readTarget(folder, name);
}

/** Raises `conflict` if the file changed after it was read, `refused` without access. */
export async function writeTarget(target: TargetFile, text: string): Promise<void> {
  await requireUnchanged(target);
  await reaching(target.name, async () => {
    await mkdir(dirname(target.path), { recursive: true });
    await replaceFile(target.path, text, { mode: target.mode ?? PUBLIC_FILE_MODE, keepsMode: target.mode });
  });
}

/** Deletes the file, and its folders if they are empty then. Raises `conflict` if the file changed after it was read, `refused` without access. */
export async function deleteTarget(target: TargetFile): Promise<void> {
  await requireUnchanged(target);
  await reaching(target.name, async () => {
    await unlink(target.path);
    await syncDirectory(dirname(target.path));
    for (let name = dirname(target.name); name !== "."; name = dirname(name)) {
      try {
        await rmdir(join(target.folder, name));
      } catch (error) {
        if (systemCode(error) !== undefined) return;
        throw error;
      }
    }
  });
}

async function requireUnchanged(target: TargetFile): Promise<void> {
  const now = await readTarget(target.folder, target.name);
  if (now.text !== target.text)
    throw new AppError("conflict", `${target.name} changed in the meantime; run the command again`);
}

async function reaching<T>(name: string, work: () => Promise<T>): Promise<T> {
  return guarded(name, async () => {
    try {
      return await work();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      throw new AppError(
        "refused",
        `${name}: ${accessProblem(error)}; run the command as the owner, or give yourself access`,
      );
    }
  });
}
