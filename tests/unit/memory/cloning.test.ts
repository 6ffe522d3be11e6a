// Goal: a clone gets the documents of the original's memory, however many writes its copy takes.

import { expect, test } from "bun:test";
import type { CopiedDocument } from "../../../src/service/memory/branch-lifecycle.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { testDatabase } from "../../kit/database.ts";
import { testParts } from "../../kit/service/parts.ts";

const [ORIGINAL, CLONE] = [3, 4];
const branchOf = (id: number) => `workspaces/w${id}`;

test("names the documents to copy once all bindings are committed, in one write or in many", async () => {
  await using at = await testDatabase(migrations);
  const { db } = at;
  const { contextBindings } = testParts(db);
  db.exec(
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'admin', 'admin', 'admin', 0)",
  );
  for (const id of [ORIGINAL, CLONE])
    db.exec(
      `INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
       VALUES (${id}, 'w${id}', 'w${id}', '', '${branchOf(id)}', '${branchOf(id)}/shared', 1, 0)`,
    );
  for (const path of [`${branchOf(ORIGINAL)}/a.md`, "team/style.md", `${branchOf(ORIGINAL)}/b.md`])
    db.exec(
      `INSERT INTO context_bindings (workspace_id, path, created_at) VALUES (${ORIGINAL}, '${path}', 0)`,
    );
  const copied = async (stepsPerWrite: number) => {
    const told: CopiedDocument[][] = [];
    const tell = (documents: readonly CopiedDocument[]) => void told.push([...documents]);
    const copying = contextBindings.copyOf(ORIGINAL, branchOf, tell)(CLONE, new Map());
    for (let isDone = false; !isDone;)
      isDone = await db.write(() => {
        for (let step = 0; step < stepsPerWrite; step += 1) if (copying.next().done) return true;
        return false;
      });
    db.exec(`DELETE FROM context_bindings WHERE workspace_id = ${CLONE}`);
    return told;
  };
  const all = ["a.md", "b.md"].map((name) => ({
    from: `${branchOf(ORIGINAL)}/${name}`,
    to: `${branchOf(CLONE)}/${name}`,
  }));
  expect(await copied(100)).toEqual([all]);
  expect(await copied(1)).toEqual([all]);
});
