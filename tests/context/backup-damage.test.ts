// Goal: verify and restore both find and name any problem with a backup, exit with code 1 and change nothing.

import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pack as tar } from "tar-stream";
import type { Manifest } from "../../src/context/backup/schema.ts";
import { restoreServer, verifyBackup } from "../../src/context/restore-server.ts";
import { edited, manifestIn, pack, withManifest, withMember } from "../kit/context/backup-file.ts";
import { membersOf, type BackupMember } from "../kit/backup-members.ts";
import { cairn, cairnAt, printed } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { runContext } from "../kit/context/running-context.ts";

const SPACE_DB = "spaces/team/.cairn/space.db";
const SPACE_FILE = "spaces/team/.cairn/space.yaml";
const AUDIT = "audit/audit.jsonl";
/** Damage is never taken for an edited manifest, another format or a wrong file. */
const DAMAGED =
  /^(?:is damaged or not a backup: decompression failed|the archive is damaged or truncated|its seal (?:does not match|is missing))/;

/** A backup of two files, one of them with two versions, in its own folder. */
const good = shared(async () => {
  const folder = await temporaryFolder();
  await using server = await runContext();
  await server.admin.write("a.md", "one ".repeat(500));
  await server.admin.write("a.md", "two ".repeat(500));
  await server.admin.write("b.md", "b");
  const path = join(folder.path, "good.tar.zst");
  await server.printed("backup", "create", "--out", path);
  const members = await membersOf(path);
  return { folder, path, members, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
});

let count = 0;
/** A file with these bytes. */
const file = (bytes: Uint8Array) => {
  const path = join(good.folder.path, `case-${(count += 1)}.tar.zst`);
  writeFileSync(path, bytes);
  return path;
};

function bytesOf(name: string): Uint8Array {
  return good.members.find((member) => member.name === name)!.bytes;
}

const text = (name: string) => Buffer.from(bytesOf(name)).toString("utf8");

async function listening(path: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const neverMade = () => join(good.folder.path, "never");

/** Returns what both say about a file; checks that they leave nothing behind. */
async function same(
  path: string,
  attempts: (scratch: string) => readonly Promise<string>[],
): Promise<string> {
  const before = readdirSync(good.folder.path);
  await using scratch = await temporaryFolder();
  const [verified, restored] = await Promise.all(attempts(scratch.path));
  expect(restored).toBe(verified!);
  expect(readdirSync(good.folder.path)).toEqual(before);
  expect(readdirSync(scratch.path)).toEqual([]);
  return sentenceOf(path, verified!);
}

/** By both commands. */
const saidByCommands = (path: string) =>
  same(path, (scratch) => {
    const run = async (...args: string[]) => {
      const outcome = await cairnAt([], { environment: { TMPDIR: scratch } }).cairn("backup", ...args);
      expect([outcome.exitCode, outcome.stdout]).toEqual([1, ""]);
      return outcome.stderr.replace("Error: ", "");
    };
    return [run("verify", path), run("restore", path, "--server-dir", neverMade())];
  });

/** By what both commands call. */
const saidOf = (path: string) =>
  same(path, (scratch) => {
    const { signal } = new AbortController();
    const log = { format: "json" as const, write: () => {} };
    const order = { file: path, directory: neverMade(), audit: "whole" as const };
    return [
      problemOf(verifyBackup(path, scratch, signal, () => {})),
      problemOf(restoreServer(order, { log, signal, onProgress: () => {} })),
    ];
  });

async function problemOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "nothing",
    (error: unknown) => (error as Error).message,
  );
}

function sentenceOf(path: string, message: string): string {
  return message.replace(path, "").replace(/^:? /, "").trimEnd();
}

const packed = (members: readonly BackupMember[]) =>
  pack(join(good.folder.path, `case-${(count += 1)}.tar.zst`), members);

async function finds(changed: readonly BackupMember[], problem: string | RegExp): Promise<void> {
  const said = await saidOf(await packed(changed));
  if (typeof problem === "string") expect(said).toBe(problem);
  else expect(said).toMatch(problem);
}

const changed = (name: string, bytes: Uint8Array) => withMember(good.members, name, bytes);

test("repacked without changes it is valid, so the tests below find only their own changes", async () => {
  const path = await packed(changed(SPACE_DB, bytesOf(SPACE_DB)));
  await printed("backup", "verify", path);
});

describe("the archive", () => {
  test("is refused with a flipped byte anywhere", async () => {
    const bytes = readFileSync(good.path);
    for (const share of [0, 0.001, 0.2, 0.5, 0.8, 0.97, 0.9999]) {
      const flipped = Buffer.from(bytes);
      const at = Math.floor((bytes.length - 1) * share);
      flipped[at]! ^= 0x10;
      expect([share, await saidOf(file(flipped))]).toEqual([share, expect.stringMatching(DAMAGED)]);
    }
  });

  test("is refused when truncated anywhere", async () => {
    const bytes = readFileSync(good.path);
    for (const kept of [1, 100, bytes.length >> 1, bytes.length - 600, bytes.length - 5]) {
      expect([kept, await saidOf(file(bytes.subarray(0, kept)))]).toEqual([
        kept,
        expect.stringMatching(/damaged or truncated|decompression failed|its seal is missing/),
      ]);
    }
  });

  test("is refused if it is another file, empty, a directory or missing", async () => {
    const other = await good.folder.write("other", "this is no backup at all, but a text of some length");
    expect(await saidByCommands(other)).toBe(
      "is damaged or not a backup: decompression failed (at its beginning)",
    );
    expect(await saidOf(await good.folder.write("empty", ""))).toBe(
      "its seal is missing: the archive was truncated or appended to (at its beginning)",
    );
    expect(await saidByCommands(good.folder.path)).toBe("is a directory, not a backup");
    expect(await saidByCommands(join(good.folder.path, "nothing"))).toBe("no such file");
  });

  test.if(process.platform !== "win32")("refuses a FIFO, a socket and a device without waiting", async () => {
    const fifo = join(good.folder.path, "fifo");
    execFileSync("mkfifo", [fifo]);
    await using socket = await listening(join(good.folder.path, "socket"));
    for (const path of [fifo, socket.path, "/dev/null"])
      expect(await saidByCommands(path)).toBe("is not a regular file; copy the backup into one");
  });

  test("is refused with a missing file or manifest, a duplicate, or a file after the end", async () => {
    for (const name of ["server.yaml", "server.db", AUDIT, SPACE_FILE, SPACE_DB])
      await finds(
        good.members.filter((member) => member.name !== name),
        `${name} is missing (in manifest.json)`,
      );
    await finds(good.members.slice(0, -1), "manifest.json is missing");
    await finds([good.members[0]!, ...good.members], '"server.yaml": found twice (in server.yaml)');
    await finds(
      [...good.members, good.members[0]!],
      '"server.yaml": found after the manifest, which must be last (in server.yaml)',
    );
    const longer = (more: Uint8Array) => saidOf(file(Buffer.concat([readFileSync(good.path), more])));
    expect(await longer(Bun.zstdCompressSync(Buffer.from("more")))).toBe(
      "the archive is damaged or truncated (after manifest.json)",
    );
    expect(await longer(Buffer.from("more"))).toBe(
      "its seal is missing: the archive was truncated or appended to (after manifest.json)",
    );
  });

  test("is refused with names that lead elsewhere or do not belong in a backup", async () => {
    const outside =
      "../x /tmp/cairn-x a/../../x spaces/../../x/.cairn/space.db spaces/team/../x/.cairn/space.db server.db/x " +
      "./server.db run/server.json spaces/team/.cairn/space.db-wal auth/bootstrap_admin.token SERVER.DB";
    // Needs a pax record.
    const long = ["spaces/Ü/.cairn/space.db", `spaces/${"a".repeat(200)}/.cairn/space.db`];
    for (const name of [...outside.split(" "), ...long])
      await finds(
        [{ name, bytes: Buffer.from("x") }, ...good.members],
        `"${name}": not the name of a file in a backup (in ${name})`,
      );
    expect(existsSync("/tmp/cairn-x")).toBe(false);
    const stray = { name: "spaces/other/.cairn/space.db", bytes: Buffer.from("x") };
    await finds([stray, ...good.members], `${stray.name} is not listed in the manifest (in manifest.json)`);
  });

  test("is told from a backup of service, with and without memory", async () => {
    for (const name of ["service.db", "memory/.cairn/space.db"])
      await finds(
        [{ name, bytes: Buffer.from("x") }],
        `a backup of service, not of a context server; unpack it with tar, as docs/configuration.md shows (in ${name})`,
      );
  });

  test("finds every flipped byte", async () => {
    const bytes = readFileSync(good.path);
    const never = new AbortController().signal;
    const unexpected: unknown[] = [];
    // Every byte near both ends, where the headers are, and a sample in between.
    const path = file(bytes);
    for (let at = 0; at < bytes.length; at += at < 40 || at >= bytes.length - 60 ? 1 : 61) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(path, flipped);
      const said = await problemOf(verifyBackup(path, good.folder.path, never, () => {}));
      if (!DAMAGED.test(sentenceOf(path, said))) unexpected.push({ at, said });
    }
    expect(unexpected).toEqual([]);
  });

  test("is refused with a link instead of a file", async () => {
    const archive = tar();
    archive.entry({ name: "server.yaml", type: "symlink", linkname: "/etc/passwd" });
    archive.finalize();
    const bytes = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
    expect(await saidOf(file(Bun.zstdCompressSync(bytes)))).toBe(
      '"server.yaml": not a regular file (at its beginning)',
    );
  });
});

describe("the manifest", () => {
  const forged = (change: (manifest: Manifest) => object) => withManifest(good.members, change);
  const editedManifest = (from: string, to: string) =>
    good.members.map((member) =>
      member.name === "manifest.json"
        ? { name: member.name, bytes: Buffer.from(text("manifest.json").replace(from, to)) }
        : member,
    );

  test("is refused when edited, without and with a matching hash", async () => {
    const wasEdited = "manifest.json: the file was edited: its hash does not match (in manifest.json)";
    await finds(editedManifest('"files": 2', '"files": 3'), wasEdited);
    await finds(editedManifest('"created_at": "2', '"created_at": "1'), wasEdited);
    await finds(editedManifest("{", ""), "manifest.json: not valid JSON (in manifest.json)");
    const withSpace = (change: object) =>
      forged((manifest) => ({ ...manifest, spaces: [{ ...manifest.spaces[0]!, ...change }] }));
    await finds(withSpace({ files: 3 }), `${SPACE_DB}: files: 2, but the manifest says 3`);
    await finds(withSpace({ versions: 9 }), `${SPACE_DB}: versions: 3, but the manifest says 9`);
    const head = /head: [0-9a-f]{12}\.3, but the manifest says 000000000000\.3$/;
    await finds(withSpace({ head: "000000000000.3" }), head);
    await finds(withSpace({ name: "other" }), "spaces/other/.cairn/space.yaml is missing (in manifest.json)");
    const none = forged((manifest) => ({ ...manifest, spaces: [] }));
    await finds(none, `${SPACE_FILE}: its space is not in the manifest (in manifest.json)`);
    const extra = forged((manifest) => ({ ...manifest, extra: 1 }));
    await finds(extra, "manifest.json: extra: unknown field (in manifest.json)");
  });

  test("of another format is refused with the version that reads it", async () => {
    const { cairn_version: by } = manifestIn(good.members);
    for (const [format, age] of [
      [0, "an older"],
      [2, "a newer"],
    ] as const)
      await finds(
        forged((manifest) => ({ ...manifest, format })),
        `the backup has format ${format}, from ${age} version (cairn ${by}); this version reads format 1, so restore with the version that made it`,
      );
  });
});

describe("verify finds, despite matching hashes,", () => {
  /** Returns the problem found after a statement has changed the database of the space. */
  async function findsAfter(cases: Record<string, string | RegExp>): Promise<void> {
    for (const [statement, problem] of Object.entries(cases)) {
      const bytes = await edited(good.folder.path, bytesOf(SPACE_DB), statement);
      await finds(
        changed(SPACE_DB, bytes),
        typeof problem === "string" ? `${SPACE_DB}: ${problem}` : problem,
      );
    }
  }

  test("a content that does not match its hash, and a missing one", async () => {
    await findsAfter({
      "UPDATE blobs SET content = zeroblob(length(content)) WHERE id = 2":
        "the content of v2 of a.md is damaged: its hash does not match",
      "PRAGMA foreign_keys = OFF; DELETE FROM blobs WHERE id = 1":
        "the database is damaged: a row of versions has a dangling reference",
      "UPDATE versions SET blob_id = 1 WHERE version = 2": "the content of v2 of a.md is missing or wrong",
    });
  });

  test("counts that are wrong", async () => {
    await findsAfter({
      "UPDATE space SET bytes = bytes + 1": "bytes: 2001, but its running total is 2002",
      "DELETE FROM changes WHERE seq = 3": "its log ends with change 2, but its head is 3",
      "UPDATE blobs SET uses = 7 WHERE id = 3": /the use count of content [0-9a-f]{64} is wrong$/,
    });
  });

  test("damaged pages, in either database", async () => {
    for (const name of ["server.db", SPACE_DB]) {
      const damaged = Buffer.from(bytesOf(name));
      damaged.fill(0xa5, 4096 * 3, 4096 * 5);
      await finds(changed(name, damaged), new RegExp(`^${name}: .*(damaged|malformed|not a database)`));
    }
  });

  test("an invalid configuration, and the file of another space", async () => {
    await finds(
      changed("server.yaml", Buffer.from("nonsense: 1\n")),
      "server.yaml: config server.yaml: nonsense: unknown key",
    );
    const other = Buffer.from(text(SPACE_FILE).replace("name: team", "name: other"));
    await finds(changed(SPACE_FILE, other), `${SPACE_FILE}: belongs to the space "other"`);
  });
});

describe("the audit record", () => {
  const lines = () => text(AUDIT).trimEnd().split("\n");
  const withLines = (kept: readonly string[]) =>
    changed(AUDIT, Buffer.from(kept.map((line) => `${line}\n`).join("")));
  const altered = () => withLines(lines().with(1, lines()[1]!.replace('"ok"', '"denied"')));
  const hint =
    "; the chain was already broken when the backup was made; to restore it as it is, use cairn backup restore --broken-audit";

  test("is refused with the line if it was edited, removed or truncated", async () => {
    expect(await saidByCommands(await packed(altered()))).toBe(
      `${AUDIT}: line 2: the line was edited${hint}`,
    );
    await finds(withLines(lines().toSpliced(1, 1)), /: line 2: expected record 2, found 3/);
    await finds(withLines(lines().slice(0, -1)), /: the file ends after \d+ records, but \d+ were written/);
  });

  test("that was already broken is restored on request and stays broken", async () => {
    const path = await packed(altered());
    const directory = join(good.folder.path, "with-broken-audit");
    const restored = await cairn("backup", "restore", path, "--broken-audit", "--server-dir", directory);
    const told = expect.stringContaining("the audit file is broken line=2");
    expect([restored.exitCode, restored.stderr]).toEqual([0, told]);
    const verified = await cairn("audit", "verify", "--server-dir", directory);
    const line = expect.stringContaining("line 2: the line was edited");
    expect([verified.exitCode, verified.stdout]).toEqual([1, line]);
  });

  test("that an admin acknowledged is intact in every later backup, until those lines change again", async () => {
    await using server = await runContext();
    await server.admin.write("a.md", "one");
    await server.end("SIGTERM");
    const path = join(server.directory, AUDIT);
    writeFileSync(path, readFileSync(path, "utf8").replace('"ok"', '"denied"'));
    await server.start();
    await server.printed("audit", "acknowledge");
    await server.admin.write("b.md", "two");
    const backup = join(good.folder.path, "acknowledged.tar.zst");
    await server.printed("backup", "create", "--out", backup);
    expect(await printed("backup", "verify", backup)).toContain("intact");
    const directory = join(good.folder.path, "acknowledged");
    await printed("backup", "restore", backup, "--server-dir", directory);
    expect(await printed("audit", "verify", "--server-dir", directory)).toStartWith("the chain is intact");
    const members = await membersOf(backup);
    const { bytes } = members.find(({ name }) => name === AUDIT)!;
    const again = Buffer.from(Buffer.from(bytes).toString("utf8").replace('"denied"', '"error"'));
    const told = await saidByCommands(await packed(withMember(members, AUDIT, again)));
    expect(told).toMatch(/: lines 1 to \d+ were acknowledged and have changed since;/);
  });
});
