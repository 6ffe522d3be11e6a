// Goal: a backup or restore that is refused or stopped says why and leaves nothing behind, and everything else keeps working.

import { describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { BackupJobs } from "../../src/kit/backup/backup-jobs.ts";
import { create } from "../kit/context/backup-commands.ts";
import { binaryPath } from "../kit/binaries.ts";
import { failure, refused } from "../kit/cli/cairn.ts";
import { contextServer, type ContextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { runContext } from "../kit/context/running-context.ts";
import { onSmallDisk } from "../kit/small-disk.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";
import { within } from "../kit/within.ts";

describe("refusals", () => {
  test("cover existing files, missing directories, the data directory, and directories in use or not empty", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext();
    const made = await create(server, join(folder.path, "there.tar.zst"));
    const bytes = readFileSync(made.file);
    const at = (out: string) => server.refused("backup", "create", "--out", out);
    expect(await at(made.file)).toEqual(
      failure(`${made.file} already exists; choose another name, or move the file away`),
    );
    expect(readFileSync(made.file).equals(bytes)).toBe(true);
    expect(await at(join(folder.path, "no/x"))).toEqual(
      failure(`${join(folder.path, "no")}: no such directory; create it first`),
    );
    const inside = expect.stringContaining("is inside the data directory and would be lost with it");
    expect(await at(server.directory)).toEqual([1, inside]);
    const into = (directory: string) => refused("backup", "restore", made.file, "--server-dir", directory);
    expect(await into(server.directory)).toEqual(
      failure(
        `${server.directory} is in use by a running server (process ${server.pid}); restore into another directory`,
      ),
    );
    await server.end("SIGTERM");
    const names = readdirSync(server.directory);
    expect(await into(server.directory)).toEqual(
      failure(`${server.directory} is not empty; restore into another directory, or empty it first`),
    );
    expect(readdirSync(server.directory)).toEqual(names);
    expect(await into(made.file)).toEqual(failure(`${made.file} is not a directory`));
    expect(await refused("backup", "restore", made.file)).toEqual(
      failure("missing flag: --server-dir\nusage: cairn backup restore <file> --server-dir <dir> [flags]"),
    );
    expect(readdirSync(folder.path)).toEqual(["there.tar.zst"]);
  });

  test("only the operator of the machine can create one, whatever the token; the refusal is audited", async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    await refusal(
      server.admin.raw("POST", "/backups", { body: { path: folder.path } }),
      "forbidden",
      "backups can only be created on the server's own machine, with cairn backup create; a token is not sufficient",
    );
    const local = localOf(server.directory, server.as);
    expect((await refusalOf(local.post("/backups", { path: "relative" }))).message).toBe(
      "path: expected an absolute path",
    );
    expect((await refusalOf(local.get("/backups/1"))).code).toBe("not_found");
    expect(readdirSync(folder.path)).toEqual([]);
    const records = await server.admin.get("/audit?action=backup.create");
    expect(records.map(({ result, error }) => [result, error?.split(":")[0]])).toEqual([
      ["error", "invalid"],
      ["denied", "forbidden"],
    ]);
  });

  test("runs one at a time, blocks the removal of spaces, and leaves nothing behind when stopped", async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    await server.admin.write("large.bin", noise(2_000_000));
    using held = await heldArchives();
    const local = localOf(server.directory, server.as);
    const begun = await local.post("/backups", { path: join(folder.path, "x.tar.zst") });
    expect(begun.state).toBe("running");
    expect((await refusalOf(local.post("/backups", { path: folder.path }))).message).toContain(
      "a backup is already running",
    );
    await held.begun();
    const removal = await refusalOf(local.delete("/spaces/team?confirm=team"));
    expect(removal.message).toBe("a backup is running; try again when it has finished");
    await server.admin.write("meanwhile.md", "x");
    await local.delete("/backups/1");
    const ended = async () => (await local.get("/backups/1")).state;
    await eventually(ended, "cancelled");
    expect((await local.get("/backups/1")).error).toEqual({
      code: "unavailable",
      message: "the backup was cancelled: stopped by the operator; no file was kept",
    });
    expect(readdirSync(folder.path)).toEqual([]);
    await server.admin.write("afterwards.md", "x");
    expect(await server.admin.read("meanwhile.md")).toBe("x");
    // Stopping the server cancels it as well.
    await local.post("/backups", { path: join(folder.path, "y.tar.zst") });
    await held.begun();
    await server.restart();
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await server.admin.read("afterwards.md")).toBe("x");
  });

  test("a directory that only the server sees, or may not write, is an error that says so", async () => {
    if (process.platform !== "linux" || process.getuid?.() !== 0) {
      console.log("skipped: a private mount needs root on Linux");
      return;
    }
    await using folder = await temporaryFolder();
    const [own, fixed] = [join(folder.path, "own"), join(folder.path, "fixed")];
    for (const path of [own, fixed]) mkdirSync(path);
    await using server = await runContext();
    await server.end("SIGTERM");
    // As under systemd with `PrivateTmp` and `ProtectSystem=strict`.
    const mounts = 'mount -t tmpfs tmpfs "$1" && mount -t tmpfs -o ro tmpfs "$2" && shift 2 && exec "$@"';
    await server.start({ behind: ["unshare", "--mount", "sh", "-c", mounts, "sh", own, fixed] });
    const [exitCode, text] = await server.refused("backup", "create", "--out", own);
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(
        /^Error: \S+\/own\/cairn-backup-\S+ is not here: the server wrote it to a directory that only the server sees/,
      ),
    ]);
    expect(await server.refused("backup", "create", "--out", fixed)).toEqual(
      failure(`${fixed} cannot be written by the server: the disk is read-only; choose another directory`),
    );
    expect(await server.refused("backup", "create", "--out", "/proc")).toEqual(
      failure(
        "/proc cannot be written by the server: its file system takes no files; choose another directory",
      ),
    );
  });

  onSmallDisk(
    "on a full disk, neither a backup nor a restore leaves anything behind",
    async (disk, folder) => {
      await using server = await runContext();
      await server.admin.write("large.bin", noise(3_000_000));
      const full = failure("the disk is full; nothing was changed; free some space and try again", 2);
      const out = join(disk.path, "x.tar.zst");
      expect(await server.refused("backup", "create", "--out", out)).toEqual(full);
      expect(readdirSync(disk.path)).toEqual([]);
      const made = await create(server, folder.path);
      const into = (file: string) =>
        refused("backup", "restore", file, "--server-dir", join(disk.path, "new"));
      const room =
        /^Error: the disk is full: the backup unpacks to \d+ bytes, but only \d+ are free; free some space/;
      expect(await into(made.file)).toEqual([2, expect.stringMatching(room)]);
      expect(readdirSync(disk.path)).toEqual([]);
      // Room for the unpacked files, but not for the working tree.
      await using other = await runContext();
      await other.admin.write("large.bin", noise(1_200_000));
      const small = await create(other, join(folder.path, "small.tar.zst"));
      expect(await into(small.file)).toEqual([2, expect.stringContaining("cannot write team/large.bin")]);
      expect(readdirSync(disk.path)).toEqual([]);
    },
  );
});

describe.skipIf(process.platform === "win32")("stopped by a signal", () => {
  test("each command removes its unfinished files", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext();
    await writeNoise(server.admin, 16, 5_000_000);
    const made = await create(server, join(folder.path, "made.tar.zst"));
    const inside = (directory: string, name: string) => () =>
      readdirSync(directory).some((each) => each.startsWith(name));
    await using temporary = await temporaryFolder();
    const scratch = inside(temporary.path, "cairn-verify-");
    const begun = inside(folder.path, ".");
    const stopped = "Error: cancelled; nothing was changed\n";
    const cases: Case[] = [
      {
        args: (to) => ["create", "--out", to, "--server-dir", server.directory],
        isAtWork: begun,
        worker: () => server.pid,
        said: "Error: the backup was cancelled: stopped by the operator; no file was kept\n",
      },
      { args: () => ["verify", made.file], isAtWork: scratch, worker: ({ pid }) => pid, said: stopped },
      {
        args: (to) => ["restore", made.file, "--server-dir", to],
        isAtWork: begun,
        worker: ({ pid }) => pid,
        said: stopped,
      },
    ];
    for (const one of cases) {
      const child = await caughtAtWork(one, folder.path, temporary.path);
      expect([one.args("x"), await child.stderr.text()]).toEqual([one.args("x"), one.said]);
      expect(await within("the command ends", child.exited)).toBe(one.said === stopped ? 1 : 2);
      expect(readdirSync(folder.path)).toEqual(["made.tar.zst"]);
      expect(scratch()).toBe(false);
    }
  });
});

interface Case {
  /** `to`: what the command creates. */
  readonly args: (to: string) => string[];
  readonly isAtWork: () => boolean;
  /** The process that does the work. */
  readonly worker: (child: Bun.Subprocess) => number;
  readonly said: string;
}

/** Sends SIGINT in the middle of the work. A command whose work was over before that is started again. */
async function caughtAtWork({ args, isAtWork, worker }: Case, folder: string, temporary: string) {
  for (;;) {
    const to = join(folder, "x");
    const child = Bun.spawn([binaryPath("cairn"), "backup", ...args(to)], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "ignore", "pipe"],
    });
    while (!isAtWork() && child.exitCode === null) await Bun.sleep(1);
    if (child.exitCode === null) process.kill(worker(child), "SIGSTOP");
    if (isAtWork()) child.kill("SIGINT");
    if (child.exitCode === null) process.kill(worker(child), "SIGCONT");
    if ((await within("the command ends", child.exited)) !== 0) return child;
    rmSync(to, { recursive: true, force: true });
  }
}

/** Less than an archive writes at once, and more than anything else that this server writes. */
const PIECE_BYTES_MIN = 64 * 1024;

/** Holds the pieces of every archive until its backup is aborted. `begun` resolves when the next archive is held. */
async function heldArchives() {
  const some = await open(import.meta.path);
  const prototype = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const { write } = prototype;
  const { abort } = BackupJobs.prototype;
  let [reached, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writes = spyOn(prototype, "write").mockImplementation(async function (
    this: FileHandle,
    ...given: [bytes: Uint8Array, ...place: unknown[]]
  ) {
    if (given[0].length >= PIECE_BYTES_MIN) {
      reached.resolve();
      await aborted.promise;
    }
    return write.apply(this, given as never);
  } as typeof write);
  const aborts = spyOn(BackupJobs.prototype, "abort").mockImplementation(function (
    this: BackupJobs<unknown>,
    reason,
  ) {
    abort.call(this, reason);
    aborted.resolve();
    aborted = Promise.withResolvers();
  });
  return {
    async begun() {
      await within("an archive is begun", reached.promise);
      reached = Promise.withResolvers();
    },
    [Symbol.dispose]() {
      writes.mockRestore();
      aborts.mockRestore();
    },
  };
}

/** Uses the token of the local door. */
function localOf(directory: string, as: (token: string) => ContextClient): ContextClient {
  return as(
    (JSON.parse(readFileSync(join(directory, "run/server.json"), "utf8")) as { token: string }).token,
  );
}

/** Files of this size with distinct contents. */
async function writeNoise(admin: ContextClient, files: number, bytes: number): Promise<void> {
  const content = noise(bytes);
  for (let file = 0; file < files; file++) {
    content[0] = file;
    await admin.write(`${file}.bin`, content);
  }
}

/** Incompressible and deterministic. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
