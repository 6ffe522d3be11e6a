// Goal: saving many long instructions at once is several commits, between which the service answers others.

import { expect, test } from "bun:test";
import { INSTRUCTION_CHARACTERS_MAX } from "../../../src/service/library/schema.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { testDatabase } from "../../kit/database.ts";
import { admin } from "../../kit/service/callers.ts";
import { testParts } from "../../kit/service/parts.ts";

const AT_ONCE = 32;

test("long instructions saved at once are several commits, short ones are one", async () => {
  await using made = await testDatabase(migrations);
  made.db.exec(
    "INSERT INTO users (name, name_key, role, password_hash, created_at) VALUES ('admin', 'admin', 'admin', 'x', 0)",
  );
  const { instructions } = testParts(made.db);
  let commits = 0;
  made.db.watchCommits(
    () => 0,
    () => (commits += 1),
  );
  const commitsOf = async (save: (index: number) => Promise<unknown>) => {
    commits = 0;
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => save(index)));
    return commits;
  };
  const long = "x".repeat(INSTRUCTION_CHARACTERS_MAX);
  expect(await commitsOf((index) => instructions.create(admin, { name: `short ${index}`, text: "x" }))).toBe(
    1,
  );
  expect(
    await commitsOf((index) => instructions.create(admin, { name: `long ${index}`, text: long })),
  ).toBeGreaterThan(2);
  const update = (index: number) =>
    instructions.update(admin, index + 1, { expected_version: 1, text: long });
  expect(await commitsOf(update)).toBeGreaterThan(2);
});
