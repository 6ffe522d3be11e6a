// Goal: a key in a very long list costs what is on the screen, not what is in the list, and counts although the list is being loaded.

import { expect, test } from "bun:test";
import type { Input } from "../../../src/context/tui/keys.ts";
import type { Stage } from "../../../src/context/tui/page.ts";
import { TablePage } from "../../../src/context/tui/table-page.ts";

const ROWS = 50_000;
const SIZE = { columns: 120, rows: 40 };

test("formats only the rows on the screen, and looks at the text of each row once for each load", async () => {
  const counted = { formatted: 0, looked: 0 };
  const page = new TablePage<number>({
    title: "long",
    columns: [{ title: "NAME", of: (row) => `row ${(counted.formatted++, row)}` }],
    rows: async () => Array.from({ length: ROWS }, (_, row) => row),
    text: (row) => `row ${(counted.looked++, row)}`,
    empty: "",
  });
  /** The cost of a key and the frame after it. */
  const press = (input: Input) => {
    Object.assign(counted, { formatted: 0, looked: 0 });
    page.press(input, {} as Stage);
    page.draw(SIZE);
    return counted;
  };
  const key = (name: "down" | "end" | "page-up" | "escape" | "enter") =>
    ({ kind: "key", key: name }) as const;
  const text = (character: string) => ({ kind: "text", text: character }) as const;
  await page.load();
  expect(counted.looked).toBe(ROWS);
  for (const input of [
    key("down"),
    key("end"),
    key("page-up"),
    text("/"),
    text("9"),
    key("escape"),
    text("G"),
  ])
    expect([input, press(input).looked, press(input).formatted <= SIZE.rows]).toEqual([input, 0, true]);
  counted.looked = 0;
  await page.load();
  // The marked row is found again by its text.
  expect(counted.looked).toBe(ROWS + 1);
  expect(page.draw(SIZE).at(-1)![1]!.text).toStartWith(`row ${ROWS - 1}`);
});

test("the row that is marked while the rows are loaded again stays marked", async () => {
  let rows = Promise.resolve(["a", "b", "c", "d"]);
  const page = new TablePage<string>({
    title: "letters",
    columns: [{ title: "NAME", of: (row) => row }],
    rows: () => rows,
    text: (row) => row,
    empty: "",
  });
  const press = (text: string) => page.press({ kind: "text", text }, {} as Stage);
  const marked = () =>
    page
      .draw(SIZE)
      .find(([span]) => span?.text.startsWith("›"))![1]!
      .text.trim();
  await page.load();
  const answer = Promise.withResolvers<string[]>();
  rows = answer.promise;
  const loading = page.load();
  press("j");
  press("j");
  expect(marked()).toBe("c");
  answer.resolve(["new", "a", "b", "c", "d"]);
  await loading;
  expect(marked()).toBe("c");
});
