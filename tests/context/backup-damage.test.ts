// Goal: whatever is wrong with a backup is found and named, by verify and by restore alike, with exit code 1, and nothing comes of it.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pack as tar } from "tar-stream";
import { verifyBackup } from "../../src/context/restore-server.ts";
import {
  edited,
  manifestIn,
  membersOf,
  pack,
  withManifest,
  withMember,
  type BackupMember,
} from "../kit/backup-file.ts";
import { runBinary } from "../kit/binaries.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { runContext } from "../kit/running-context.ts";

const SPACE_DB = "spaces/team/.cairn/space.db";
const SPACE_FILE = "spaces/team/.cairn/space.yaml";
const AUDIT = "audit/audit.jsonl";

let folder: Folder;
let good: string;
let members: BackupMember[];

beforeAll(async () => {
  folder = await temporaryFolder();
  await using server = await runContext();
  await server.admin.write("a.md", "one ".repeat(500));
  await server.admin.write("a.md", "two ".repeat(500));
  await server.admin.write("b.md", "b");
  good = join(folder.path, "good.tar.zst");
  const made = await server.cairn("backup", "create", "--out", good);
  if (made.exitCode !== 0) throw new Error(made.stderr);
  members = await membersOf(good);
}, 60_000);

afterAll(() => folder[Symbol.asyncDispose]());

let count = 0;
const place = () => join(folder.path, `case-${(count += 1)}.tar.zst`);

function bytesOf(name: string): Uint8Array {
  return members.find((member) => member.name === name)!.bytes;
}

const text = (name: string) => Buffer.from(bytesOf(name)).toString("utf8");
const sql = (statement: string) => edited(folder.path, bytesOf(SPACE_DB), statement);

async function listening(path: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** What both commands say of a file; afterwards there is nothing that was not there before. */
async function saidOf(path: string): Promise<string> {
  const before = readdirSync(folder.path);
  await using scratch = await temporaryFolder();
  const surroundings = { environment: { TMPDIR: scratch.path } };
  const target = join(folder.path, "never");
  const verified = await runBinary("cairn", ["backup", "verify", path], surroundings);
  const restored = await runBinary(
    "cairn",
    ["backup", "restore", path, "--server-dir", target],
    surroundings,
  );
  expect(restored).toEqual(verified);
  expect([verified.exitCode, verified.stdout]).toEqual([1, ""]);
  expect(readdirSync(folder.path)).toEqual(before);
  expect(readdirSync(scratch.path)).toEqual([]);
  return verified.stderr.replace(`Error: ${path}: `, "").trimEnd();
}

async function packed(changed: readonly BackupMember[]): Promise<string> {
  return saidOf(await pack(place(), changed));
}

test("packed again unchanged it is whole: what is found below is what was changed", async () => {
  const path = await pack(place(), withMember(members, SPACE_DB, bytesOf(SPACE_DB)));
  expect(await runBinary("cairn", ["backup", "verify", path])).toMatchObject({ exitCode: 0, stderr: "" });
});

describe("the archive", () => {
  test("a flipped byte, wherever it is", async () => {
    const bytes = readFileSync(good);
    for (const share of [0, 0.001, 0.2, 0.5, 0.8, 0.97, 0.9999]) {
      const flipped = Buffer.from(bytes);
      const at = Math.floor((bytes.length - 1) * share);
      flipped[at]! ^= 0x10;
      const path = place();
      writeFileSync(path, flipped);
      expect([share, await saidOf(path)]).toEqual([
        share,
        expect.stringMatching(
          /is not what was backed up|does not hold|damaged, or cut short|no file of a backup|was edited|is no JSON|seal/,
        ),
      ]);
    }
  });

  test("cut, wherever it is", async () => {
    const bytes = readFileSync(good);
    for (const kept of [1, 100, bytes.length >> 1, bytes.length - 600, bytes.length - 5]) {
      const path = place();
      writeFileSync(path, bytes.subarray(0, kept));
      expect([kept, await saidOf(path)]).toEqual([
        kept,
        expect.stringMatching(/damaged, or cut short|compression does not hold|its seal is missing/),
      ]);
    }
  });

  test("something else, nothing, a directory, no file", async () => {
    const other = await folder.write("other", "this is no backup at all, but a text of some length");
    expect(await saidOf(other)).toBe(
      "is damaged, or no backup: its compression does not hold (at its beginning)",
    );
    expect(await saidOf(await folder.write("empty", ""))).toBe(
      "its seal is missing: it was cut, or something was added (at its beginning)",
    );
    expect(await saidOf(folder.path)).toBe("is a directory, not a backup");
    expect(await saidOf(join(folder.path, "nothing"))).toBe("no such file");
  });

  test.if(process.platform !== "win32")("refuses a FIFO, a socket and a device without waiting", async () => {
    const fifo = join(folder.path, "fifo");
    execFileSync("mkfifo", [fifo]);
    await using socket = await listening(join(folder.path, "socket"));
    for (const path of [fifo, socket.path, "/dev/null"])
      expect(await saidOf(path)).toBe("is not a regular file; copy the backup into one");
  });

  test("a file is missing, the manifest too; one is in it twice, or behind the end", async () => {
    for (const name of ["server.yaml", "server.db", AUDIT, SPACE_FILE, SPACE_DB])
      expect(await packed(members.filter((member) => member.name !== name))).toBe(
        `${name} is missing (in manifest.json)`,
      );
    expect(await packed(members.slice(0, -1))).toBe("manifest.json is missing");
    expect(await packed([members[0]!, ...members])).toBe('"server.yaml": is in it twice (in server.yaml)');
    expect(await packed([...members, members[0]!])).toBe(
      '"server.yaml": comes after the manifest, which ends a backup (in server.yaml)',
    );
    const longer = (more: Uint8Array) => {
      const path = place();
      writeFileSync(path, Buffer.concat([readFileSync(good), more]));
      return saidOf(path);
    };
    expect(await longer(Bun.zstdCompressSync(Buffer.from("more")))).toBe(
      "the archive is damaged, or cut short (after manifest.json)",
    );
    expect(await longer(Buffer.from("more"))).toBe(
      "its seal is missing: it was cut, or something was added (after manifest.json)",
    );
  });

  test("names that lead elsewhere, or that no backup has", async () => {
    const outside = [
      "../x",
      "/tmp/cairn-x",
      "a/../../x",
      "spaces/../../x/.cairn/space.db",
      "spaces/team/../x/.cairn/space.db",
      "server.db/x",
      "./server.db",
      "run/server.json",
      "spaces/team/.cairn/space.db-wal",
      "auth/bootstrap_admin.token",
      "SERVER.DB",
      // In a pax record, which has room for it.
      "spaces/Ü/.cairn/space.db",
      `spaces/${"a".repeat(200)}/.cairn/space.db`,
    ];
    for (const name of outside)
      expect(await packed([{ name, bytes: Buffer.from("x") }, ...members])).toBe(
        `"${name}": no file of a backup has such a name (in ${name})`,
      );
    expect(existsSync("/tmp/cairn-x")).toBe(false);
    const stray = { name: "spaces/other/.cairn/space.db", bytes: Buffer.from("x") };
    expect(await packed([stray, ...members])).toBe(
      `${stray.name} is in it, but not in its manifest (in manifest.json)`,
    );
  });

  test("no flipped byte is overlooked", async () => {
    const bytes = readFileSync(good);
    const never = new AbortController().signal;
    const overlooked: number[] = [];
    // Every byte near both ends, where the formats have theirs, and some in between.
    const path = place();
    for (let at = 0; at < bytes.length; at += at < 40 || at >= bytes.length - 60 ? 1 : 61) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(path, flipped);
      const verified = verifyBackup(path, folder.path, never, () => {});
      if (
        await verified.then(
          () => true,
          () => false,
        )
      )
        overlooked.push(at);
    }
    expect(overlooked).toEqual([]);
  });

  test("a link instead of a file", async () => {
    const archive = tar();
    archive.entry({ name: "server.yaml", type: "symlink", linkname: "/etc/passwd" });
    archive.finalize();
    const path = place();
    const bytes = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
    writeFileSync(path, Bun.zstdCompressSync(bytes));
    expect(await saidOf(path)).toBe('"server.yaml": not a regular file (at its beginning)');
  });
});

describe("the manifest", () => {
  const editedManifest = (from: string, to: string) =>
    packed(
      members.map((member) =>
        member.name === "manifest.json"
          ? { name: member.name, bytes: Buffer.from(text("manifest.json").replace(from, to)) }
          : member,
      ),
    );

  test("edited, and edited by somebody who knows how", async () => {
    const wasEdited =
      "manifest.json: was edited: it does not have the hash that it states (in manifest.json)";
    expect(await editedManifest('"files": 2', '"files": 3')).toBe(wasEdited);
    expect(await editedManifest('"created_at": "2', '"created_at": "1')).toBe(wasEdited);
    expect(await editedManifest("{", "")).toBe("manifest.json: is no JSON (in manifest.json)");
    const [space] = manifestIn(members).spaces;
    const forged = (change: object) =>
      packed(withManifest(members, (manifest) => ({ ...manifest, spaces: [{ ...space!, ...change }] })));
    expect(await forged({ files: 3 })).toBe(`${SPACE_DB}: files: 2, but the manifest says 3`);
    expect(await forged({ versions: 9 })).toBe(`${SPACE_DB}: versions: 3, but the manifest says 9`);
    expect(await forged({ head: "000000000000.3" })).toMatch(
      /head: [0-9a-f]{12}\.3, but the manifest says 000000000000\.3$/,
    );
    expect(await forged({ name: "other" })).toBe(
      "spaces/other/.cairn/space.yaml is missing (in manifest.json)",
    );
    expect(await packed(withManifest(members, (manifest) => ({ ...manifest, spaces: [] })))).toBe(
      `${SPACE_FILE}: its space is not in the manifest (in manifest.json)`,
    );
    expect(await packed(withManifest(members, (manifest) => ({ ...manifest, extra: 1 })))).toBe(
      "manifest.json: extra: unknown field (in manifest.json)",
    );
  });

  test("of another format: says which version it takes", async () => {
    const of = (format: number) => packed(withManifest(members, (manifest) => ({ ...manifest, format })));
    const { cairn_version: by } = manifestIn(members);
    const sentence = (format: number, age: string) =>
      `Error: the backup has format ${format} and was made by ${age} version (cairn ${by}); this version reads format 1: use the version that made it`;
    expect(await of(0)).toBe(sentence(0, "an older"));
    expect(await of(2)).toBe(sentence(2, "a newer"));
  });
});

describe("what is in the files, though their hashes fit", () => {
  test("a content that is not what its hash says, and one that is gone", async () => {
    const other = await sql("UPDATE blobs SET content = zeroblob(length(content)) WHERE id = 2");
    expect(await packed(withMember(members, SPACE_DB, other))).toBe(
      `${SPACE_DB}: the content of v2 of a.md is damaged: it does not have its hash`,
    );
    const gone = await sql("PRAGMA foreign_keys = OFF; DELETE FROM blobs WHERE id = 1");
    expect(await packed(withMember(members, SPACE_DB, gone))).toBe(
      `${SPACE_DB}: the database is damaged: a row of versions belongs to none`,
    );
    const swapped = await sql("UPDATE versions SET blob_id = 1 WHERE version = 2");
    expect(await packed(withMember(members, SPACE_DB, swapped))).toBe(
      `${SPACE_DB}: v2 of a.md does not have the content that it should`,
    );
  });

  test("counts that do not agree", async () => {
    const running = await sql("UPDATE space SET bytes = bytes + 1");
    expect(await packed(withMember(members, SPACE_DB, running))).toBe(
      `${SPACE_DB}: bytes: 2001, but its running total is 2002`,
    );
    const shorter = await sql("DELETE FROM changes WHERE seq = 3");
    expect(await packed(withMember(members, SPACE_DB, shorter))).toBe(
      `${SPACE_DB}: its log ends with change 2, but its head is 3`,
    );
    const uses = await sql("UPDATE blobs SET uses = 7 WHERE id = 3");
    expect(await packed(withMember(members, SPACE_DB, uses))).toMatch(
      /the uses of content [0-9a-f]{64} are miscounted$/,
    );
  });

  test("damaged pages, in either database", async () => {
    for (const name of ["server.db", SPACE_DB]) {
      const damaged = Buffer.from(bytesOf(name));
      damaged.fill(0xa5, 4096 * 3, 4096 * 5);
      expect(await packed(withMember(members, name, damaged))).toMatch(
        new RegExp(`^${name}: .*(damaged|malformed|not a database)`),
      );
    }
  });

  test("a configuration that no server would take, and the file of another space", async () => {
    expect(await packed(withMember(members, "server.yaml", Buffer.from("nonsense: 1\n")))).toBe(
      "server.yaml: config server.yaml: nonsense: unknown key",
    );
    const other = Buffer.from(text(SPACE_FILE).replace("name: team", "name: other"));
    expect(await packed(withMember(members, SPACE_FILE, other))).toBe(`${SPACE_FILE}: is that of "other"`);
  });
});

describe("the audit record", () => {
  const lines = () => text(AUDIT).trimEnd().split("\n");
  const withLines = (changed: readonly string[]) =>
    withMember(members, AUDIT, Buffer.from(changed.map((line) => `${line}\n`).join("")));
  const hint =
    "; the chain was already broken when the backup was made. To restore it as it is, use cairn backup restore --broken-audit";

  test("edited, removed, cut at its end: the line is named", async () => {
    const altered = lines().map((line, index) => (index === 1 ? line.replace('"ok"', '"denied"') : line));
    expect(await packed(withLines(altered))).toBe(`${AUDIT}: line 2: the line was edited${hint}`);
    expect(await packed(withLines(lines().filter((_, index) => index !== 1)))).toMatch(
      /: line 2: expected record 2, found 3/,
    );
    expect(await packed(withLines(lines().slice(0, -1)))).toMatch(
      /: the file ends after \d+ records, but \d+ were written/,
    );
  });

  test("one that was broken before comes back when it is asked for, and stays broken", async () => {
    const altered = lines().map((line, index) => (index === 1 ? line.replace('"ok"', '"denied"') : line));
    const path = await pack(place(), withLines(altered));
    const directory = join(folder.path, "with-broken-audit");
    const restored = await runBinary("cairn", [
      "backup",
      "restore",
      path,
      "--broken-audit",
      "--server-dir",
      directory,
    ]);
    expect([restored.exitCode, restored.stderr]).toEqual([
      0,
      expect.stringContaining("the audit file is broken line=2"),
    ]);
    const verified = await runBinary("cairn", ["audit", "verify", "--server-dir", directory]);
    expect([verified.exitCode, verified.stdout]).toEqual([
      1,
      expect.stringContaining("line 2: the line was edited"),
    ]);
  });
});
