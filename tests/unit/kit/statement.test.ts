// Goal: values reach a statement by position or by name, and a name without a value is an error instead of NULL.

import { describe, expect, test } from "bun:test";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { temporaryFolder } from "../../kit/folder.ts";

interface Item {
  readonly id: number;
  readonly value: string;
}

async function items(name: string) {
  const folder = await temporaryFolder();
  const db = openDatabase(name === ":memory:" ? name : `${folder.path}/${name}`);
  db.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT) STRICT");
  return {
    insert: db.query<Item, Item>("INSERT INTO items (id, value) VALUES ($id, $value) RETURNING id, value"),
    swap: db.query<never, Item>("UPDATE items SET value = $value || $value WHERE id = $id"),
    after: db.query<Item, [number]>("SELECT id, value FROM items WHERE id > ? ORDER BY id"),
    async [Symbol.asyncDispose]() {
      db.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe.each([":memory:", "a.db"])("%s", (name) => {
  test("named values go where their names are, in any order and more than once", async () => {
    await using at = await items(name);
    const { insert, swap, after } = at;
    expect(insert.get({ value: "one", id: 1 })).toEqual({ id: 1, value: "one" });
    expect(swap.run({ id: 1, value: "a" })).toBe(1);
    expect(after.all(0)).toEqual([{ id: 1, value: "aa" }]);
  });

  test("a name without a value is refused", async () => {
    await using at = await items(name);
    const { insert, after } = at;
    expect(() => insert.run(JSON.parse('{"id":1}'))).toThrow('Missing parameter "value"');
    expect(after.all(0)).toEqual([]);
  });
});
