// Goal: a page shows every character of its text, however long a line is.

import { expect, test } from "bun:test";
import { TextPage } from "../../../src/context/tui/text-page.ts";

test("a line that is too long for one row is cut between characters", async () => {
  const line = `${"x".repeat(999)}👍${"日".repeat(998)}👍${"y".repeat(1_000)}`;
  const page = new TextPage({ title: "long", text: async () => line });
  await page.load();
  const [, ...rows] = page.draw({ columns: 200, rows: 40 });
  expect(rows.flatMap((row) => row.map(({ text }) => text)).join("")).toBe(line);
});
