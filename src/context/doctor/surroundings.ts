// The checks of `cairn doctor` on the surroundings of a data directory: permissions, free disk space, the clock, the port.

import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  statfsSync,
  statSync,
  type Dirent,
  type Stats,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { rfc3339 } from "../../kit/clock.ts";
import { OTHERS_MODE_BITS } from "../../kit/disk/modes.ts";
import { hostAndPort } from "../../kit/network/hosts.ts";
import { portProblem } from "../../kit/network/port.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { DEFAULT_ACME_CACHE } from "../config/schema.ts";
import type { Door } from "../people/local-door.ts";
import { spaceNameProblem } from "../spaces/schema.ts";
import { fail, ok, quoted, skipped, warn, type Verdict } from "./finding.ts";

/** The number of accessible files that the finding names. */
const NAMED_MAX = 5;
const FREE_BYTES_LOW = 1024 ** 3;
/** With less, the next writes fail. */
const FREE_BYTES_LEAST = 64 * 1024 ** 2;
const FREE_FILES_LOW = 1_000;
/** Synchronized clocks agree within this. */
const SKEW_MS_MAX = 60_000;
/** Earlier years predate this program: the clock lost its battery. */
const YEAR_LEAST = 2026;
const YEAR_MOST = 2100;

/** Directories whose files hold content, credentials or records of activity. */
const SECRET_PLACES = ["auth", "run", "audit", "webhooks", "logs"];

export function permissions(directory: string): Verdict {
  if (process.platform === "win32") return skipped("Windows uses access control lists, not modes");
  const root = statSync(directory);
  const own = userInfo().uid;
  if (root.uid !== own && own !== 0)
    return fail(
      `${directory} belongs to user ${root.uid}, but you are user ${own}`,
      `run it as that user: sudo -u '#${root.uid}' cairn doctor --server-dir ${quoted(directory)}`,
    );
  const shut = usedFolders(directory).find((path) => !mayWrite(path, constants.X_OK));
  const unusable = shut ?? secretFiles(directory).find((path) => !mayWrite(path));
  if (unusable !== undefined)
    return fail(`cannot read and write ${unusable}`, `chmod u+rwX ${quoted(unusable)}`);
  const folders = [directory, join(directory, "auth"), join(directory, "run")].filter((path) => isOpen(path));
  const files = secretFiles(directory).filter((path) => isOpen(path));
  const all = [...folders, ...files];
  if (all.length > 0) {
    const named = all.slice(0, NAMED_MAX).map((path) => `${path} is ${mode(statSync(path))}`);
    const more = all.length > NAMED_MAX ? [`and ${all.length - NAMED_MAX} more`] : [];
    const commands = [
      folders.length > 0 ? `chmod 700 ${folders.map(quoted).join(" ")}` : undefined,
      files.length > 0 ? `chmod 600 ${files.map(quoted).join(" ")}` : undefined,
    ];
    return fail(
      `accessible to other users: ${[...named, ...more].join(", ")}`,
      commands.filter(Boolean).join(" && "),
    );
  }
  if (root.uid !== own)
    return warn(
      `${directory} belongs to user ${root.uid}, but you are root: its server cannot use files that root creates there`,
      `run cairn as that user: sudo -u '#${root.uid}' cairn …`,
    );
  return ok("only the owner has access (0700, secrets 0600)");
}

/** The directory and those below it that a server works in, outermost first: nothing is seen of one inside another that is shut. */
function* usedFolders(directory: string): Generator<string> {
  yield directory;
  const below = [...SECRET_PLACES, "tls", "spaces"].map((name) => join(directory, name));
  yield* below.filter((path) => existsSync(path));
  const spaces = entries(join(directory, "spaces")).filter((entry) => entry.isDirectory());
  for (const { parentPath, name } of spaces.filter((entry) => spaceNameProblem(entry.name) === undefined)) {
    yield join(parentPath, name);
    const own = join(parentPath, name, ".cairn");
    if (existsSync(own)) yield own;
  }
}

function secretFiles(directory: string): string[] {
  const beside = entries(directory).filter(({ name }) => /^(?:server\.(?:yaml|db)|ssh_host_)/.test(name));
  // A certificate is public.
  const keys = entries(join(directory, "tls")).filter(({ name }) => /key/i.test(name));
  const authorities = entries(join(directory, DEFAULT_ACME_CACHE)).filter((entry) => entry.isDirectory());
  const acme = authorities.flatMap(({ parentPath, name }) => entries(join(parentPath, name)));
  const inside = SECRET_PLACES.flatMap((place) => entries(join(directory, place)));
  const spaces = entries(join(directory, "spaces")).filter((entry) => entry.isDirectory());
  const own = spaces.flatMap(({ name }) => entries(join(directory, "spaces", name, ".cairn")));
  return [...beside, ...keys, ...acme, ...inside, ...own]
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function entries(directory: string): Dirent[] {
  return existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_MODE_BITS) !== 0;
}

function mayWrite(path: string, more = 0): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | more);
    return true;
  } catch {
    return false;
  }
}

function mode(stats: Stats): string {
  return (stats.mode & 0o777).toString(8).padStart(4, "0");
}

export function disk(directory: string): Verdict {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(directory);
  const free = bavail * bsize;
  const share = blocks === 0 ? 0 : Math.round((100 * bavail) / blocks);
  const found = `${sizeText(free)} free (${share} %)`;
  const fix = `free some space on the disk of ${directory}, or move the data directory to a larger one`;
  if (free < FREE_BYTES_LEAST) return fail(found, fix);
  // Some file systems report no file counts.
  if (files > 0 && ffree < FREE_FILES_LOW) return warn(`${found}, but room for only ${ffree} files`, fix);
  return free < FREE_BYTES_LOW ? warn(found, fix) : ok(found);
}

/** `newest`: the latest record and its time (ms); undefined: no records yet. */
export function clockSense(now: number, newest: { what: string; time: number } | undefined): Verdict {
  const year = new Date(now).getUTCFullYear();
  const fix = "set the clock of this machine, and enable time synchronisation (timedatectl set-ntp true)";
  if (year < YEAR_LEAST || year > YEAR_MOST) return fail(`it shows ${rfc3339(now)}`, fix);
  const behind = (newest?.time ?? now) - now;
  if (behind > SKEW_MS_MAX)
    return warn(
      `it shows ${rfc3339(now)}, ${duration(behind)} before ${newest!.what} (${rfc3339(newest!.time)})`,
      `${fix}; if it is correct now, it ran ahead then, and there is nothing to do`,
    );
  return ok(`${rfc3339(now)}, not before any record`);
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2 * 1440 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

/** `door`: the local door of the running server, if there is one. */
export async function port(host: string, number: number, door: Door | undefined): Promise<Verdict> {
  const place = hostAndPort(host, number);
  if (door) {
    const url = door.public_url ?? door.url;
    const moved = number !== 0 && new URL(url).port !== String(number);
    return ok(
      `in use by this server, process ${door.pid}, at ${url}${moved ? `; ${place} from its next start` : ""}`,
    );
  }
  const problem = await portProblem(host, number);
  if (problem === undefined) return ok(number === 0 ? "any free port" : `${place} is free`);
  const other = "choose another port (listen.port in server.yaml)";
  if (problem === "EADDRINUSE")
    return fail(
      `${place} is in use by another program`,
      `stop that program (${process.platform === "win32" ? "netstat -ano" : `ss -ltnp 'sport = :${number}'`} names it), or ${other}`,
    );
  if (problem === "EACCES")
    return fail(`${place} is a privileged port`, `${other}, above 1023, behind a reverse proxy`);
  return fail(
    `cannot bind ${place} (${problem}): not an address of this machine`,
    'set listen.address in server.yaml to 127.0.0.1, an address of this machine, or "::" for all of them',
  );
}
