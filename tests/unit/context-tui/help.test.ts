// Goal: the help of a page names every key that does something there, and none that does not.

import { expect, test } from "bun:test";
import { Help } from "../../../src/context/tui/help.ts";
import type { Input, Key } from "../../../src/context/tui/keys.ts";
import type { Page, Stage } from "../../../src/context/tui/page.ts";
import { TablePage } from "../../../src/context/tui/table-page.ts";
import { TextPage } from "../../../src/context/tui/text-page.ts";

const SIZE = { columns: 120, rows: 60 };
const STAGE = {} as Stage;
const NAMES: Readonly<Partial<Record<Key, string>>> = {
  up: "↑",
  down: "↓",
  right: "→",
  "page-up": "PgUp",
  "page-down": "PgDn",
  home: "Home",
  end: "End",
  enter: "Enter",
};
const CHARACTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

const PAGES: Readonly<Record<string, () => Page>> = {
  table: () =>
    new TablePage({
      title: "table",
      columns: [],
      rows: async () => ["a", "b"],
      text: (row) => row,
      empty: "",
      open: () => {},
      actions: [
        { key: "x", does: "one", run: () => {} },
        { key: "D", does: "other", always: () => {} },
      ],
    }),
  text: () =>
    new TextPage({
      title: "text",
      text: async () => "a\nb",
      actions: [{ key: "h", does: "one", run: () => {} }],
    }),
};

/** The keys that the page takes, each pressed on a page of its own. */
async function taken(made: () => Page): Promise<string[]> {
  const takes = async (input: Input) => {
    const page = made();
    await page.load();
    page.draw(SIZE);
    return page.press(input, STAGE);
  };
  const names: string[] = [];
  for (const text of CHARACTERS)
    if (await takes({ kind: "text", text })) names.push(text === " " ? "Space" : text);
  for (const [key, name] of Object.entries(NAMES))
    if (await takes({ kind: "key", key: key as Key })) names.push(name);
  return names;
}

test.each(Object.entries(PAGES))("the help of a %s names exactly the keys that it takes", async (_, made) => {
  const { hints, moves } = made();
  const help = new Help([...hints, ...moves], 6).draw(SIZE);
  const end = help.findIndex(([span]) => span?.text === " Everywhere");
  const named = help.slice(1, end).flatMap(([span]) => span!.text.trim().split(" "));
  const keys = named.filter((name) => name !== "Click");
  expect(keys.toSorted()).toEqual((await taken(made)).toSorted());
});
