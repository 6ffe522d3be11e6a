// Goal: a manual edit without a version is written over only as it was read, whatever versions the file had before.

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeEdited } from "../../../src/context/space/edited-write.ts";
import { validate } from "../../../src/context/space/validation.ts";
import { doors, type OpenedDoor } from "../../kit/context/space-doors.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { refusal } from "../../kit/http/refusal.ts";

const PATH = "n.md";
const BY_HAND = "---\nstale-after: 30d\n---\nby hand\n";
const NOW = Date.parse("2026-11-26T12:00:00Z");

/** How the file came to its state, and the version that the manual edit becomes. */
const PASTS: readonly (readonly [string, number, (door: OpenedDoor) => Promise<unknown>])[] = [
  ["no version", 1, async () => {}],
  ["a version", 2, ({ space }) => space.write(PATH, bytes("one\n"), null)],
  [
    "a deleted version",
    2,
    async ({ space }) => {
      await space.write(PATH, bytes("one\n"), null);
      await space.remove(PATH, 1);
    },
  ],
  [
    "a newer version that was destroyed",
    3,
    async ({ space }) => {
      await space.write(PATH, bytes("one\n"), null);
      await space.write(PATH, bytes("two\n"), 1);
      await space.remove(PATH, 2);
      await space.destroy(PATH, 2);
      await space.undelete(PATH);
    },
  ],
];

for (const [kind, open] of Object.entries(doors))
  describe(kind, () => {
    test.each(PASTS)("after %s", async (_past, version, make) => {
      for (const change of ["validate", "write"] as const) {
        await using door = await open();
        const { space, tree } = door;
        await make(door);
        // The files on disk follow.
        await space.list();
        writeFileSync(join(tree, PATH), BY_HAND);
        const read = await space.read(PATH);
        const written =
          change === "validate"
            ? await validate(space, PATH, NOW)
            : await writeEdited(space, read, bytes("edited\n"));
        expect([change, written.version]).toEqual([change, version + 1]);
        expect((await space.read(PATH, version)).bytes).toEqual(bytes(BY_HAND));
      }
    });

    test("is kept if someone else writes meanwhile", async () => {
      await using door = await open();
      const { space, tree } = door;
      writeFileSync(join(tree, PATH), BY_HAND);
      const read = await space.read(PATH);
      await space.write(PATH, bytes("theirs\n"), undefined);
      await refusal(
        writeEdited(space, read, bytes("mine\n")),
        "stale",
        "n.md: it has changed since it was opened",
        { path: PATH, problem: "it has changed since it was opened", current: 2 },
      );
      expect((await space.read(PATH)).bytes).toEqual(bytes("theirs\n"));
    });
  });
