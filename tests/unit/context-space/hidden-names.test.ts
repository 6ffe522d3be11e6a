// Goal: a file on the disk whose name hides characters is listed as refused, as `adopt` refuses it, and a document that has such a name is as any.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { localDeps } from "../../kit/context/space-doors.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { silent } from "../../kit/silent.ts";
import { at, bytes, put } from "../../kit/store/file-engine.ts";

const OLD = "me\u00admo.md";
const NEW = "ne\u00adw.md";

test("a new file is refused, and a document of an earlier build can be changed and deleted", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  await (await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps)).close();
  const engine = openSqliteEngine({ directory, clock: systemClock, log: silent });
  await engine.apply({ operations: [put(OLD, "one")], author: "ann" });
  await engine.close();
  const space = await openLocalSpace(directory, localDeps);
  try {
    writeFileSync(join(directory, NEW), "x");
    const refused = { code: "bad_name", reason: "must not contain invisible characters" };
    expect(await space.list()).toMatchObject([
      { path: at(OLD), version: 1, state: "live" },
      { path: at(NEW), version: null, state: "refused", refused },
    ]);
    expect(await space.write(OLD, bytes("two"), 1)).toMatchObject({ version: 2 });
    expect(await space.remove(OLD, 2)).toMatchObject({ version: 2 });
  } finally {
    await space.close();
  }
});
