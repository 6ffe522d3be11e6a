// Goal: values reach a statement by position or by name, and a name without a value is an error instead of NULL.

import { expect, test } from "bun:test";
import { openDatabase } from "../../../src/kit/db.ts";

interface Item {
  readonly id: number;
  readonly value: string;
}

function items() {
  const db = openDatabase(":memory:");
  db.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT) STRICT");
  return {
    insert: db.query<Item, Item>("INSERT INTO items (id, value) VALUES ($id, $value) RETURNING id, value"),
    swap: db.query<never, Item>("UPDATE items SET value = $value || $value WHERE id = $id"),
    after: db.query<Item, [number]>("SELECT id, value FROM items WHERE id > ? ORDER BY id"),
  };
}

test("named values go where their names are, in any order and more than once", () => {
  const { insert, swap, after } = items();
  expect(insert.get({ value: "one", id: 1 })).toEqual({ id: 1, value: "one" });
  expect(swap.run({ id: 1, value: "a" })).toBe(1);
  expect(after.all(0)).toEqual([{ id: 1, value: "aa" }]);
});

test("a name without a value is refused", () => {
  const { insert, after } = items();
  expect(() => insert.run(JSON.parse('{"id":1}'))).toThrow('Missing parameter "value"');
  expect(after.all(0)).toEqual([]);
});
