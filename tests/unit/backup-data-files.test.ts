// Goal: a backup holds every regular file of workspaces and attachments, and nothing that is a link, being written, or being removed.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dataFiles, openSource } from "../../src/service/backup/data-files.ts";
import { HeldRoot } from "../../src/kit/disk/held-directory.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

async function read(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString();
}

test("lists what belongs to workspaces, in order", async () => {
  await using folder = await temporaryFolder();
  const place = (path: string) => join(folder.path, path);
  const lay = (path: string) => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), path);
  };
  expect(await Array.fromAsync(dataFiles(folder.path))).toEqual([]);
  const kept = [
    "files/1/a/b/c.md",
    "files/1/z.md",
    "files/unknown-7-1/left.md",
    `attachments/1/${"a".repeat(64)}`,
  ];
  const left = [
    "service.db",
    "secrets.key",
    "files/removed-2-1/a.md",
    "files/1/.cairn-save-0123456789abcdef",
    "attachments/incoming/0123",
    "sandbox/run/main.py",
  ];
  for (const path of [...kept, ...left]) lay(path);
  symlinkSync(place("secrets.key"), place("files/1/link"));
  symlinkSync(folder.path, place("files/1/whole"));
  expect(await Array.fromAsync(dataFiles(folder.path))).toEqual(
    kept.map((path) => ({ path, size: path.length })),
  );
});

test("a file that vanished is missed, a swapped directory is not followed, and a shorter file is named", async () => {
  await using folder = await temporaryFolder();
  const place = (path: string) => join(folder.path, path);
  const root = new HeldRoot(folder.path);
  mkdirSync(place("files/1"), { recursive: true });
  writeFileSync(place("files/1/a.md"), "content");
  expect(openSource(root, "files/1/gone.md")).toBeUndefined();
  expect(openSource(root, "files/1")).toBeUndefined();
  {
    using opened = openSource(root, "files/1/a.md")!;
    expect(opened.source).toMatchObject({ name: "files/1/a.md", size: 7 });
    expect(await read(opened.source.content)).toBe("content");
  }
  using shorter = openSource(root, "files/1/a.md")!;
  truncateSync(place("files/1/a.md"), 3);
  await refusal(
    read(shorter.source.content),
    "conflict",
    "files/1/a.md was changed while it was read; start another backup",
  );
  await using other = await temporaryFolder();
  await other.write("a.md", "of somebody else");
  rmSync(place("files/1"), { recursive: true });
  symlinkSync(other.path, place("files/1"));
  expect(openSource(root, "files/1/a.md")).toBeUndefined();
});
