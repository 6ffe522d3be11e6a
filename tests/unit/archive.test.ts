// Goal: release archives open with the tools that people have, keep programs executable, and are the same bytes each time.

import { describe, expect, test } from "bun:test";
import { tarGz, zip, type ArchiveFile } from "../../release/archive.ts";
import { temporaryFolder } from "../kit/folder.ts";

const files: ArchiveFile[] = [
  { path: "cairn-1/service", bytes: new Uint8Array(5000).map((_, index) => index % 251), executable: true },
  { path: "cairn-1/README.md", bytes: new TextEncoder().encode("# Cairn — read me\n"), executable: false },
  { path: "cairn-1/empty", bytes: new Uint8Array(0), executable: false },
];

describe("archives", () => {
  test("the same files give the same bytes", async () => {
    expect(await tarGz(files)).toEqual(await tarGz(files));
    expect(zip(files)).toEqual(zip(files));
  });

  test("a tar archive is read back whole by Bun", async () => {
    const read = await new Bun.Archive(await tarGz(files)).files();
    const contents = await Promise.all(
      [...read].map(async ([path, file]) => ({ path, bytes: await file.bytes() })),
    );
    expect(contents).toEqual(files.map(({ path, bytes }) => ({ path, bytes })));
  });

  for (const { tool, name, write, list } of [
    { tool: "tar", name: "a.tar.gz", write: tarGz, list: ["-xzf"] },
    { tool: "unzip", name: "a.zip", write: zip, list: ["-q"] },
  ]) {
    test.skipIf(Bun.which(tool) === null || process.platform === "win32")(
      `${tool} unpacks it with modes and bytes`,
      async () => {
        await using folder = await temporaryFolder();
        await Bun.write(`${folder.path}/${name}`, await write(files));
        const child = Bun.spawn([tool, ...list, name], {
          cwd: folder.path,
          stdio: ["ignore", "inherit", "inherit"],
        });
        expect(await child.exited).toBe(0);
        const unpacked = files.map(async ({ path }) => {
          const file = Bun.file(`${folder.path}/${path}`);
          return { path, bytes: await file.bytes(), executable: ((await file.stat()).mode & 0o111) !== 0 };
        });
        expect(await Promise.all(unpacked)).toEqual(files);
      },
    );
  }
});
