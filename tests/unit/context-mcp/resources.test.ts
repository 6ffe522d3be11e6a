// Goal: every document is a resource on exactly one page, whatever its name.

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { listResources } from "../../../src/context/mcp/resources.ts";
import { doors } from "../../kit/context/space-doors.ts";

describe.each(Object.entries(doors))("%s", (_door, open) => {
  test("names that sort differently by their bytes", async () => {
    await using door = await open();
    const names = [
      ...Array.from({ length: 500 }, (_, index) => `👍${index}.md`),
      ...Array.from({ length: 5 }, (_, index) => `～${index}.md`),
    ];
    for (const name of names) writeFileSync(join(door.tree, name), "");
    const first = await listResources(door.space, undefined);
    const second = await listResources(door.space, first.nextCursor);
    expect([first.resources.length, second.nextCursor]).toEqual([500, undefined]);
    const found = [...first.resources, ...second.resources].map(({ name }) => name);
    expect(found.toSorted()).toEqual(names.toSorted());
  });
});
