// Goal: an export forgets no column: each of a conversation's tables is written, or left out here with its reason.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../../release/step.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { testDatabase } from "../../kit/database.ts";

const TABLES = ["agents", "wires", "prompt_parts", "turns", "runs", "tool_calls", "entries", "calls"];

const LEFT_OUT: Readonly<Record<string, string>> = {
  "calls.id": "no record refers to it",
  "turns.acting_address": "turns of the past act for nobody",
  "turns.acting_request_id": "turns of the past act for nobody",
  "turns.acting_token_id": "turns of the past act for nobody",
  "turns.stop_reason": "an exported turn is over",
  "entries.attachments": "attachments stay behind, and the file names them",
  "turns.attachments": "attachments stay behind, and the file names them",
  "wires.id": "no record refers to it",
};

test("every column is exported or left out for a reason", async () => {
  await using at = await testDatabase(migrations);
  const source = await Bun.file(join(ROOT, "src/service/transfer/store.ts")).text();
  // A column that only other tables have does not hide a new one: each table is searched in its own INSERT.
  const missing = TABLES.flatMap((table) => {
    const columns = at.db.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`).all();
    const inserted = insertOf(source, table);
    return columns
      .map(({ name }) => name)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(inserted))
      .map((name) => `${table}.${name}`);
  });
  expect(missing.toSorted()).toEqual(Object.keys(LEFT_OUT).toSorted());
});

/** The list of columns of a table's INSERT, also where a constant holds it. */
function insertOf(source: string, table: string): string {
  const [, list] = new RegExp(`INSERT INTO ${table} \\(([^)]*)\\)`).exec(source)!;
  const [, constant] = /^\$\{(\w+)\}$/.exec(list!) ?? [];
  if (constant === undefined) return list!;
  return new RegExp(`const ${constant} =\\s*["\`]([^"\`]*)`).exec(source)![1]!;
}
