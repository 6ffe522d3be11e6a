// Goal: the fingerprint of a folder is the same while nothing in it has changed, differs after any change, and is none while a change could go
// unnoticed; one thread and several make the same.

import { expect, test } from "bun:test";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { glanceAt } from "../../../src/context/versioned-store/sqlite/glance.ts";
import { lookWorkers } from "../../../src/context/worker-pool.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const DIRECTORIES = 30;
const never = new Promise<void>(() => {});
/** Past every tick of a file system's clock. */
const later = () => Date.now() + 10_000;

function fill(root: string): void {
  for (let directory = 0; directory < DIRECTORIES; directory += 1) {
    mkdirSync(join(root, `d${directory}`, "below"), { recursive: true });
    for (let file = 0; file < 40; file += 1) writeFileSync(join(root, `d${directory}`, `${file}.md`), "text");
  }
  mkdirSync(join(root, ".cairn"));
  writeFileSync(join(root, Buffer.from([0x66, 0xff]).toString("latin1")), "x");
  symlinkSync("d0", join(root, "link"));
}

test.skipIf(process.platform !== "linux")(
  "any change makes another fingerprint, with threads and without",
  async () => {
    await using folder = await temporaryFolder();
    const root = folder.path;
    fill(root);
    using lookers = lookWorkersOf();
    const seen = async () => {
      const now = later();
      const alone = await glanceAt(root, now);
      expect(await glanceAt(root, now, { lookers })).toEqual(alone!);
      return alone!;
    };
    let before = await seen();
    expect([before.files, await seen()]).toEqual([DIRECTORIES * 40 + 1, before]);
    const at = (path: string) => join(root, path);
    const changes: Readonly<Record<string, () => void>> = {
      "edited in place": () => appendFileSync(at("d3/7.md"), "more"),
      "edited to the same size": () => writeFileSync(at("d4/7.md"), "TEXT"),
      "edited and its time set back": () => {
        writeFileSync(at("d5/7.md"), "Text");
        utimesSync(at("d5/7.md"), 1_000_000_000, 1_000_000_000);
      },
      renamed: () => renameSync(at("d6/7.md"), at("d6/eight.md")),
      "moved to another directory": () => renameSync(at("d6/eight.md"), at("d7/below/eight.md")),
      replaced: () => renameSync(at("d8/1.md"), at("d8/2.md")),
      added: () => writeFileSync(at("d9/below/new.md"), ""),
      deleted: () => rmSync(at("d10/1.md")),
      "a directory renamed": () => renameSync(at("d11"), at("e11")),
      "two directories exchanged": () => {
        renameSync(at("d12"), at("aside"));
        renameSync(at("d13"), at("d12"));
        renameSync(at("aside"), at("d13"));
      },
      "a directory removed": () => rmSync(at("d14"), { recursive: true }),
      "a file made a link": () => {
        rmSync(at("d15/1.md"));
        symlinkSync("2.md", at("d15/1.md"));
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      change();
      const after = await seen();
      expect([name, after.fingerprint === before.fingerprint]).toEqual([name, false]);
      before = after;
    }
    writeFileSync(at(".cairn/own"), "x");
    expect(await seen()).toEqual(before);
  },
);

test("there is none while a file could change within the same tick, or where it cannot look", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "a.md"), "x");
  const written = lstatSync(join(folder.path, "a.md")).mtimeMs;
  expect(await glanceAt(folder.path, written)).toBeUndefined();
  const failing = { run: () => Promise.reject(new Error("no thread")) };
  for (let directory = 0; directory < DIRECTORIES; directory += 1)
    mkdirSync(join(folder.path, `${directory}`));
  expect(await glanceAt(folder.path, later(), { lookers: failing })).toBeUndefined();
  expect(await glanceAt(folder.path, later(), { lookers: failing, first: never })).toBeUndefined();
});

test.skipIf(process.platform !== "linux")(
  "while this thread has other work, the other one looks",
  async () => {
    await using folder = await temporaryFolder();
    fill(folder.path);
    using lookers = lookWorkersOf();
    const now = later();
    const alone = (await glanceAt(folder.path, now))!;
    expect(await glanceAt(folder.path, now, { lookers, first: never })).toEqual(alone);
    const failed = Promise.reject(new Error("the other work failed"));
    expect(await glanceAt(folder.path, now, { lookers, first: failed })).toEqual(alone);
    // Without another thread nobody else would.
    expect(await glanceAt(folder.path, now, { first: never })).toEqual(alone);
  },
);

function lookWorkersOf() {
  const pool = lookWorkers();
  return { run: pool.run.bind(pool) as typeof pool.run, [Symbol.dispose]: () => pool.close() };
}
