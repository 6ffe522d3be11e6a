// `cairn backup …`: a whole server in one file. `create` asks the server of the directory, which keeps working; `verify` and `restore` need no
// server.

import { defineCommand, type ArgsDef } from "citty";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Client } from "../../context/client/client.ts";
import type { Backup, SpaceInBackup } from "../../context/backup/schema.ts";
import type { OnProgress, RestoredServer } from "../../context/restore-server.ts";
import { processEnvironment, temporaryDirectory, waitForStopSignal } from "../../kit/environment.ts";
import { AppError, isErrorCode } from "../../kit/error.ts";
import { formatOf, printData, printNext, printWarning } from "../../kit/terminal/output.ts";
import { connected } from "../connection.ts";
import { progressLine } from "../progress.ts";
import { nextCommand } from "../next-command.ts";
import { bytes, plural, shown, table } from "../tables.ts";

const ASK_EVERY_MS = 50;

const fileArg = {
  file: { type: "positional", required: true, valueHint: "file", description: "The backup" },
} as const;

export const backupCreate = defineCommand({
  meta: {
    name: "create",
    description: "Write a consistent copy of a server to one file; the server may keep running",
  },
  args: {
    out: {
      type: "string",
      valueHint: "path",
      description: "Directory, or name of the new file (default: the current directory)",
    },
    "server-dir": {
      type: "string",
      valueHint: "dir",
      description: "Data directory (default: $SERVICE_SERVER_DIR, then the standard directories)",
    },
  },
  async run({ args }) {
    const format = formatOf(args);
    const made = await connected(args, (client) => followed(client, resolve(args.out ?? ".")));
    await printData(made, format, (one) =>
      [
        `${one.file}: ${bytes(one.size)}, as of ${one.created_at}`,
        `SHA-256 ${one.sha256}`,
        ...contents(one),
        ...leftOutText(one.spaces),
      ].join("\n"),
    );
  },
});

/** Starts the backup and polls its progress. Raises the error that it failed with. */
async function followed(client: Client, path: string) {
  const progress = progressLine();
  // First, so that a signal before the server's answer counts too.
  const stopSignal = waitForStopSignal();
  let stopping: Promise<unknown> | undefined;
  let backup = await client.json<Backup>("POST", "/backups", { body: { path } });
  const place = `/backups/${backup.id}`;
  void stopSignal.then(() => (stopping = client.json("DELETE", place).catch(() => {})));
  while (backup.state === "running") {
    await Bun.sleep(ASK_EVERY_MS);
    await stopping;
    backup = await client.get<Backup>(place);
    const { bytes_done: done, bytes_total: total } = backup;
    progress.show(() => `backing up: ${bytes(done)} of ${bytes(total)}`);
  }
  progress.end();
  const { file, result, error } = backup;
  if (result) {
    if (!isHere(file, result.size)) throw notHere(file);
    return { file, ...result };
  }
  const code = error && isErrorCode(error.code) ? error.code : "internal";
  throw new AppError(code, error?.message ?? "the backup failed");
}

/** The server may see other directories than this command, such as a `/tmp` of its own under systemd. */
function isHere(file: string, size: number): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  return there !== undefined && there.isFile() && there.size === size;
}

function notHere(file: string): AppError {
  return new AppError(
    "not_found",
    `${file} is not here: the server wrote it to a directory that only the server sees, such as its private /tmp under systemd; pass --out with a directory that both see`,
  );
}

export const backupVerify = defineCommand({
  meta: {
    name: "verify",
    description: "Verify every content, count and record of a backup, and name the first problem",
  },
  args: fileArg,
  async run({ args }) {
    const format = formatOf(args);
    const { verifyBackup } = await import("../../context/restore-server.ts");
    const scratch = temporaryDirectory(processEnvironment());
    const found = await interruptible((signal, onProgress) =>
      verifyBackup(resolve(args.file), scratch, signal, onProgress),
    );
    await printData({ ok: true, ...found }, format, (one) =>
      [
        `${one.file}: intact, as of ${one.created_at}, by cairn ${one.cairn_version}`,
        `SHA-256 ${one.sha256}`,
        ...contents(one),
        ...leftOutText(one.spaces),
      ].join("\n"),
    );
  },
});

/** `required`: the environment does not say where. */
function restoreArgs(required: boolean) {
  return {
    ...fileArg,
    "server-dir": {
      type: "string",
      required,
      valueHint: "dir",
      description: "New or empty directory to restore into, if $SERVICE_SERVER_DIR is not set",
    },
    "broken-audit": {
      type: "boolean",
      description: "Restore even if the audit record was broken before the backup",
    },
  } as const satisfies ArgsDef;
}

function directoryOfEnvironment(): string | undefined {
  return processEnvironment()["SERVICE_SERVER_DIR"] || undefined;
}

export const backupRestore = defineCommand({
  meta: {
    name: "restore",
    description: "Verify a backup and restore it into a new data directory",
  },
  args: () => restoreArgs(directoryOfEnvironment() === undefined),
  async run({ args }) {
    const format = formatOf(args);
    const given = (args["server-dir"] ?? directoryOfEnvironment())!;
    const { restoreServer } = await import("../../context/restore-server.ts");
    const log = { format: "text" as const, write: (line: string) => void printWarning(line.trimEnd()) };
    const audit = args["broken-audit"] === true ? ("any" as const) : ("whole" as const);
    const asked = { file: resolve(args.file), directory: resolve(given), audit };
    const made = await interruptible((signal, onProgress) =>
      restoreServer(asked, { log, signal, onProgress }),
    );
    await printData(made, format, (one) =>
      [
        `${one.directory}: the server as of ${one.created_at}`,
        ...contents(one),
        "clients of its spaces detect the restore, and ask before they continue",
        ...sealedText(one.sealed),
        ...tlsText(one.tls),
      ].join("\n"),
    );
    await printNext([nextCommand(["server", "start"], [], { "server-dir": made.directory })], format);
  },
});

/** Shows progress and handles cancellation: partial output is removed. */
async function interruptible<T>(
  work: (signal: AbortSignal, onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  void waitForStopSignal().then(() => stop.abort(new AppError("refused", "cancelled; nothing was changed")));
  const progress = progressLine();
  try {
    return await work(stop.signal, (step, done) =>
      progress.show(() => `${step}: ${step === "restoring" ? plural(done, "space") : bytes(done)}`),
    );
  } finally {
    progress.end();
  }
}

interface Contents {
  readonly spaces: readonly Pick<SpaceInBackup, "name" | "head" | "files" | "bytes" | "versions">[];
  readonly audit: { readonly entries: number };
}

function contents({ spaces, audit }: Contents): string[] {
  return [
    table(
      spaces.map((one) => [one.name, one.files, one.versions, bytes(one.bytes), one.head]),
      ["SPACE", "FILES", "VERSIONS", "SIZE", "HEAD"],
      "no spaces",
    ),
    `audit record: ${plural(audit.entries, "entry", "entries")}`,
  ];
}

function sealedText({ webhooks, key_file }: RestoredServer["sealed"]): string[] {
  if (webhooks === 0) return [];
  return [
    `${plural(webhooks, "webhook")} cannot sign: restore your copy of ${key_file} before you start the server, or give each a new secret (cairn webhook rotate-secret)`,
  ];
}

function tlsText({ missing, acme }: RestoredServer["tls"]): string[] {
  if (acme !== null)
    return [
      `the server orders a new certificate at its start; to keep the former one, restore your copy of ${acme} before`,
    ];
  if (missing.length === 0) return [];
  return [
    `TLS has no certificate: restore your copy of ${missing.join(" and ")} before you start the server, or create a self-signed pair (cairn server tls gen --host <host>)`,
  ];
}

/** Warns about files that are not in the backup. */
function leftOutText(spaces: readonly SpaceInBackup[]): string[] {
  return spaces
    .filter(({ left_out: { modified, untracked } }) => modified + untracked > 0)
    .map(
      ({ name, left_out: { modified, untracked } }) =>
        `not included: ${plural(modified + untracked, "file")} of ${shown(name)} edited or added by hand (${modified} modified, ${untracked} untracked); record them with cairn space adopt ${name}`,
    );
}
