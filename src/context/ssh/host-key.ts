// The key by which people recognise the server. Made once, readable only by the server's own user; a new one would look like an attack to everybody.

import { lstatSync, readFileSync, statSync } from "node:fs";
import ssh2 from "ssh2";
import { accessProblem } from "../../kit/disk/disk.ts";
import { AppError } from "../../kit/error.ts";
import { OTHERS_MODE_BITS } from "../../kit/disk/modes.ts";
import { replaceFileNow } from "../../kit/disk/replace-file.ts";
import { fingerprintOf } from "../config/public-key.ts";

const TRIES_MAX = 50;

interface HostKey {
  /** In the format of OpenSSH. */
  readonly text: string;
  readonly fingerprint: string;
  readonly isNew: boolean;
}

/** Raises `refused` for a key that others can read, `invalid` for a file that is no private key. */
export function hostKeyAt(path: string): HostKey {
  const isNew = makeIfMissing(path);
  const text = readPrivate(path);
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error || !text.includes("PRIVATE KEY"))
    throw new AppError("invalid", `tui.ssh.host_key: ${path} is not a private key without a passphrase`);
  return { text, fingerprint: fingerprintOf(parsed.getPublicSSH()), isNew };
}

function makeIfMissing(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })) return false;
  // Whole or not at all: a part of a key would stop every later start.
  const key = newKey();
  try {
    replaceFileNow(path, key, { isDurable: true });
    return true;
  } catch (error) {
    throw new AppError("refused", `tui.ssh.host_key: cannot create ${path}: ${accessProblem(error)}`);
  }
}

/** The library drops a leading zero byte, which makes about one key in 200 unreadable; such a key is not kept. */
function newKey(): string {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const made = ssh2.utils.generateKeyPairSync("ed25519", { comment: "cairn" });
    if (!(ssh2.utils.parseKey(made.private) instanceof Error)) return made.private;
  }
  throw new AppError("internal", "tui.ssh.host_key: cannot create a key");
}

function readPrivate(path: string): string {
  try {
    // A link is judged by what it leads to, as where secrets are mounted.
    const found = statSync(path);
    const { mode } = found;
    if (!found.isFile()) throw new AppError("refused", `tui.ssh.host_key: ${path} is not a file`);
    if (process.platform !== "win32" && (mode & OTHERS_MODE_BITS) !== 0)
      throw new AppError("refused", `tui.ssh.host_key: others can read ${path}; run chmod 600 ${path}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("refused", `tui.ssh.host_key: cannot read ${path}: ${accessProblem(error)}`);
  }
}
