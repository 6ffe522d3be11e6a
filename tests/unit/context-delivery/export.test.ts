// Goal: an export is one Markdown document with every document of the space in it, the same bytes each time, and it names what it leaves out.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doorSource } from "../../../src/context/delivery/door-source.ts";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { exportSpace } from "../../../src/context/delivery/export.ts";
import { until } from "../../kit/eventually.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { doors, noWait } from "../../kit/context/space-doors.ts";

/** `alone`: the paths that were read one at a time. */
function countingReads(space: SpaceDoor): { counted: SpaceDoor; alone: string[] } {
  const alone: string[] = [];
  const counted = new Proxy(space, {
    get(door, name: keyof SpaceDoor) {
      const value: unknown = door[name];
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (name === "read") alone.push(given[0] as string);
        return (value as (...all: unknown[]) => unknown).apply(door, given);
      };
    },
  });
  return { counted, alone };
}

for (const [kind, open] of Object.entries(doors))
  test(`${kind}: has every document with its path and version, entry documents first`, async () => {
    await using door = await open();
    const { space, tree } = door;
    await space.write("z/last.md", bytes("No heading.\r\n"), null);
    await space.write("context-entry.md", bytes("# Start here\n\nRead on.\n"), null);
    await space.write(
      "plan.md",
      bytes("---\nowner: ada\nnotes: |\n  ``` fence\n---\n\n# Plan\n\nText.\n"),
      null,
    );
    await space.write("space-index.md", bytes("# Index\n"), null);
    await space.write("logo.svg", bytes("<svg/>"), null);
    await until(() => existsSync(join(tree, "logo.svg")));
    writeFileSync(join(tree, "binary.md"), Buffer.from([0, 1, 2]));
    writeFileSync(join(tree, "a\nb.md"), "x");
    const { counted, alone } = countingReads(space);
    const exported = await exportSpace(doorSource(counted, noWait), "single");
    // All come in one request.
    expect(alone).toEqual([]);
    expect(exported.documents.map(({ path, version }) => [path, version])).toEqual([
      ["context-entry.md", 1],
      ["plan.md", 1],
      ["z/last.md", 1],
    ]);
    const unnamed = "must not contain control or invisible characters";
    expect(exported.omitted).toEqual([
      { path: "a\nb.md", reason: unnamed },
      { path: "binary.md", reason: "not UTF-8 text" },
    ]);
    expect(exported.text).toBe(`# Context of "main"

All documents of the Cairn space "main", at head ${exported.head}. Each begins with a line that names its path.

## Documents

- context-entry.md: Start here
- plan.md: Plan
- z/last.md

## Not included

- a�b.md: must not contain control or invisible characters
- binary.md: not UTF-8 text

---

<!-- context-entry.md v1 -->

**context-entry.md** (v1)

# Start here

Read on.

---

<!-- plan.md v1 -->

**plan.md** (v1)

\`\`\`\`yaml
owner: ada
notes: |
  \`\`\` fence
\`\`\`\`

# Plan

Text.

---

<!-- z/last.md v1 -->

**z/last.md** (v1)

No heading.
`);
    expect((await exportSpace(doorSource(space, noWait), "single")).text).toBe(exported.text);
    const upload = await exportSpace(doorSource(space, noWait), "chatgpt");
    expect(upload.text).toContain("**plan.md** (v1)\n\n_owner: ada, notes: ``` fence");
    expect(upload.text).not.toContain("yaml");
  });

test("an empty space gives a document that says so", async () => {
  await using door = await doors["a folder"]!();
  const { text, documents, omitted } = await exportSpace(doorSource(door.space, noWait), "single");
  expect([documents, omitted]).toEqual([[], []]);
  expect(text).toContain("## Documents\n\nNone.\n");
});
