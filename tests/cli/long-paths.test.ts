// Goal: a path that is longer than the 260 characters of old Windows programs is like any other, on disk and in every command that names it. This
// file runs on Windows, too: the program declares that it takes such paths.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SyncReport } from "../../src/context/replica/report.ts";
import { PATH_BYTES_MAX } from "../../src/kit/text/paths.ts";
import { runBinary } from "../kit/binaries.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

const SEGMENT_BYTES_MAX = 255;
const OLD_WINDOWS = 260;

/** A path of this length, with names as long as they may be. */
function pathOf(length: number, segment: number): string {
  const name = "page.md";
  let above = "";
  while (above.length + name.length < length) {
    const left = length - name.length - above.length - 1;
    above += `${"d".repeat(left > segment && left < segment + 2 ? segment - 2 : Math.min(segment, left))}/`;
  }
  return above + name;
}

const LONG = pathOf(2 * OLD_WINDOWS, 100);
/** The longest path. macOS has no place for it below a folder, and Windows only if it is set so. */
const LONGEST = pathOf(PATH_BYTES_MAX, SEGMENT_BYTES_MAX);
const paths = process.platform === "linux" ? [LONG, LONGEST] : [LONG];

async function laptop(folder: Folder, server: ContextServer, name: string) {
  const { token } = await server.user(name, "contributor");
  const directory = join(folder.path, name);
  const environment = { HOME: folder.path, SERVICE_TOKEN: token, SERVICE_DIR: directory };
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runBinary("cairn", args, { environment });
    expect([exitCode, stderr]).toEqual([0, ""]);
    return stdout;
  };
  return {
    run,
    on: (path: string) => join(directory, path),
    data: async <T>(...args: string[]) => JSON.parse(await run(...args, "--json")) as T,
    sync: async () => JSON.parse(await run("sync", "--json")) as SyncReport,
    join: () => run("init", "client", "--server", server.url, "--space", "team", "--quiet"),
  };
}

test("the paths of this test are as long as they say", () => {
  expect([LONG.length, LONGEST.length]).toEqual([2 * OLD_WINDOWS, PATH_BYTES_MAX]);
});

test.each(paths)("syncs, conflicts and is found (%#)", async (path) => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await server.admin.write(path, "# Long\n\nfrom the server\n");
  const [ann, bob] = [await laptop(folder, server, "ann"), await laptop(folder, server, "bob")];
  for (const one of [ann, bob]) await one.join();
  expect(readFileSync(ann.on(path), "utf8")).toBe("# Long\n\nfrom the server\n");
  expect(await ann.data<object[]>("file", "list")).toMatchObject([{ path, version: 1, state: "live" }]);

  writeFileSync(ann.on(path), "# Long\n\nfrom ann\n");
  expect(await ann.run("file", "diff", path)).toContain("+from ann\n");
  expect(await ann.data<object>("search", "ann")).toMatchObject({ results: [{ path }] });
  expect(await ann.sync()).toMatchObject({ pushed: [path], refused: [], held: [], behind: [] });

  writeFileSync(bob.on(path), "# Long\n\nfrom bob\n");
  const { conflicts } = await bob.sync();
  const [conflict] = conflicts;
  expect(conflict!.path).toBe(path);
  expect(readFileSync(bob.on(conflict!.copy), "utf8")).toBe("# Long\n\nfrom bob\n");
  expect(await bob.data<object[]>("conflict", "list")).toMatchObject([{ path, copy: conflict!.copy }]);
  await bob.run("conflict", "resolve", path, "--ours");
  await bob.sync();
  await ann.sync();
  expect(readFileSync(ann.on(path), "utf8")).toBe("# Long\n\nfrom bob\n");
  expect(existsSync(ann.on(conflict!.copy))).toBe(false);

  rmSync(ann.on(path));
  expect(await ann.sync()).toMatchObject({ withdrawn: [path] });
  expect(await bob.sync()).toMatchObject({ removed: [path], behind: [] });
  expect(existsSync(bob.on(path))).toBe(false);
});
