// Goal: the content of a destroyed version is in no file of the space, neither in the database nor in its WAL.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { apply, destroy, put, sqliteBench } from "../../kit/store/file-engine.ts";

/** From less than a database page to many pages. Incompressible. */
const SIZES = [24, 3_000, 20_000, 60_000];

test("destroyed content is gone from disk", async () => {
  await using space = await sqliteBench();
  const contents = SIZES.map((size) => crypto.getRandomValues(new Uint8Array(size)));
  const left = () =>
    readdirSync(join(space.directory, ".cairn"))
      .map((name) => readFileSync(join(space.directory, ".cairn", name)))
      .flatMap((file) =>
        contents.flatMap((content, index) => {
          // A piece from the start, the middle and the end of each.
          const places = [0, Math.floor(content.length / 2), content.length - 12];
          return places.some((place) => file.includes(content.subarray(place, place + 12)))
            ? [SIZES[index]]
            : [];
        }),
      );
  const paths = SIZES.map((size) => `${size}.bin`);
  await apply(
    space.engine,
    [...paths.entries()].map(([index, path]) => put(path, contents[index]!)),
  );
  await apply(
    space.engine,
    paths.map((path) => put(path, "harmless")),
  );
  space.engine.settle();
  expect(new Set(left())).toEqual(new Set(SIZES));
  await apply(
    space.engine,
    paths.map((path) => destroy(path, 1)),
  );
  expect(left()).toEqual([]);
  await space.reopen();
  expect(left()).toEqual([]);
});

test("content destroyed during a backup is gone when the backup ends", async () => {
  await using space = await sqliteBench();
  const own = join(space.directory, ".cairn");
  const content = crypto.getRandomValues(new Uint8Array(100));
  const isLeft = () => readdirSync(own).some((name) => readFileSync(join(own, name)).includes(content));
  const frozen = space.engine.freeze();
  await apply(space.engine, [put("a.bin", content)]);
  await apply(space.engine, [put("a.bin", "harmless")]);
  await apply(space.engine, [destroy("a.bin", 1)]);
  expect(isLeft()).toBe(true);
  frozen.thaw();
  expect(isLeft()).toBe(false);
});
