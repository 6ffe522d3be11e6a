// Goal: a start upgrades a database of an earlier build: keys are sealed, gears are rehashed with their description, models are deduplicated.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { migrate } from "../../src/kit/storage/migrate.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { ANY_ARGS, ECHO, makeGear, withPrograms } from "../kit/service/gears.ts";
import { type World, world } from "../kit/service/world.ts";

const OLD_KEY = "sk-of-an-earlier-build-5pQ";
const REPLACED_KEY = "sk-replaced-long-ago-9xZ";

/** Two providers with keys, a duplicate model and an approved gear, as stored by builds before the migration. */
function writeOldDatabase(data: string): void {
  const db = openDatabase(join(data, "service.db"));
  const before = migrations.filter(({ name }) => name < "009");
  migrate(db, before, 0);
  db.exec(
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'admin', 'admin', 'admin', 0)",
  );
  for (const id of [1, 2])
    db.exec(
      `INSERT INTO providers (id, name, name_key, type, protocol, base_url, api_key, created_at)
       VALUES (${id}, 'p${id}', 'p${id}', 'anthropic', 'anthropic', 'https://example.test', '${REPLACED_KEY}', 0)`,
    );
  db.exec(`UPDATE providers SET api_key = '${OLD_KEY}'`);
  const model = (id: number, provider: number, name: string, price: string) =>
    `INSERT INTO models (id, provider_id, model_name, label, input_price, output_price, created_at)
     VALUES (${id}, ${provider}, '${name}', '${name} ${id}', ${price}, NULL, 0)`;
  for (const sql of [
    model(1, 1, "m", "NULL"),
    model(2, 2, "m", "7"),
    model(3, 1, "m", "3"),
    model(4, 1, "n", "NULL"),
  ])
    db.exec(sql);
  db.exec(
    `INSERT INTO workspaces (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
     VALUES (1, 'w', 'w', '', 'b', 'b/shared', 1, 0)`,
  );
  db.exec(
    `INSERT INTO agents (id, workspace_id, name, name_key, role, model_id, orchestrator, x, y, created_at)
     VALUES (1, 1, 'orchestrator', 'orchestrator', '', 3, 1, 0, 0, 0)`,
  );
  db.exec(
    `INSERT INTO gears (id, name, description, tags, status, version, timeout_seconds, tests, author_id, author, approved_hash,
       approved_by_id, approved_by, approved_auth, approved_at, created_at, updated_at)
     VALUES (1, 'echo_args', 'says it back', '[]', 'approved', 2, 60, '[]', 1, 'admin', 'old', 1, 'admin', 'token', 0, 0, 0)`,
  );
  for (const version of [1, 2]) {
    db.exec(
      `INSERT INTO gear_versions (id, gear_id, version, runtime, entrypoint, args_schema, hash, bytes, author_id, author, created_at)
       VALUES (${version}, 1, ${version}, 'bash', 'main.sh', '${ANY_ARGS}', 'old', 4, 1, 'admin', 0)`,
    );
    db.exec(`INSERT INTO gear_files VALUES (${version}, 'main.sh', 'utf8', CAST('cat\n' AS BLOB))`);
  }
  db.close();
}

async function upgraded(data: string): Promise<World> {
  writeOldDatabase(data);
  return world({ data, environment: withPrograms.environment });
}

test("seals keys stored in the clear, and leaves none in free pages, the WAL or the backup", async () => {
  await using folder = await temporaryFolder();
  writeOldDatabase(folder.path);
  expect(readFileSync(join(folder.path, "service.db")).includes(OLD_KEY)).toBe(true);
  await using at = await world({ data: folder.path });
  const files = readdirSync(folder.path);
  expect(files.filter((name) => name.includes("before-upgrade"))).toHaveLength(1);
  for (const name of files) {
    const bytes = readFileSync(join(folder.path, name));
    expect({ name, holds: [OLD_KEY, REPLACED_KEY].filter((key) => bytes.includes(key)) }).toEqual({
      name,
      holds: [],
    });
  }
  expect(await at.admin.get<unknown>("/providers")).toMatchObject([{ has_key: true }, { has_key: true }]);
  expect(at.program.log.filter((line) => line.includes("provider keys are now encrypted"))).toHaveLength(1);
  expect(at.program.log.filter((line) => line.includes("cannot be used"))).toEqual([]);
});

test("rehashes versions with the description, and withdraws approvals that did not cover it, on record", async () => {
  await using folder = await temporaryFolder();
  await using at = await upgraded(folder.path);
  const gear = await at.admin.get("/gears/1");
  expect(gear).toMatchObject({
    status: "pending",
    version: 2,
    approval: null,
    description: "says it back",
  } as never);
  const [record] = await at.admin.get("/audit?action=gear.withdraw");
  expect(record).toMatchObject({ actor: "service", target: "gear:1", content_hash: gear.content_hash });
  const versions = await at.admin.get("/gears/1/versions");
  expect(versions.map((version) => version.content_hash)).toEqual([gear.content_hash, gear.content_hash]);
  await at.admin.patch("/gears/1", { status: "approved", content_hash: gear.content_hash });
  expect(await at.admin.post<unknown>("/gears/1/run", { args: { a: 1 } })).toMatchObject({
    stdout: '{"a":1}',
  });
  const same = await makeGear(at.admin, { ...ECHO, name: "other" });
  expect(same.content_hash).not.toBe(gear.content_hash);
});

test("keeps the oldest of duplicate models, with the others' figures and agents", async () => {
  await using folder = await temporaryFolder();
  await using at = await upgraded(folder.path);
  const models = await at.admin.get("/models");
  expect(models.map(({ id }) => id).toSorted()).toEqual([1, 2, 4]);
  expect(models.find(({ id }) => id === 1)).toMatchObject({
    label: "m 1",
    input_price: 3,
    output_price: null,
  });
  expect(await at.admin.get<unknown>("/workspaces/1/agents")).toMatchObject([{ model_id: 1 }]);
  await at.program.service.stop("look inside");
  const db = new Database(join(folder.path, "service.db"));
  const again = "INSERT INTO models (provider_id, model_name, label, created_at) VALUES (1, 'm', '', 0)";
  expect(() => db.run(again)).toThrow("UNIQUE constraint failed");
  db.close();
});
