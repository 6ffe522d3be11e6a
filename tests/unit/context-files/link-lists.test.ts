// Goal: the links of a space written by an earlier build stay what they were, with any text in their targets; many links come back whole.

import { expect, test } from "bun:test";
import { LINKS_PER_DOCUMENT_MAX } from "../../../src/context/versioned-store/links.ts";
import { packedLinks, unpackedLinks } from "../../../src/context/versioned-store/sqlite/link-lists.ts";
import { spaceMigrations } from "../../../src/context/versioned-store/sqlite/migrations/migrations.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { apply, put } from "../../kit/store/file-engine.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { treeBench } from "../../kit/store/tree-bench.ts";

const AT = spaceMigrations.findIndex(({ name }) => name === "006_link_lists");

test("links in rows become lists in the order of the document", async () => {
  await using folder = await temporaryFolder();
  const db = openDatabase(`${folder.path}/space.db`);
  migrate(db, spaceMigrations.slice(0, AT), 0);
  const file = db.query<never, [number, string, string]>(
    `INSERT INTO files (id, path, folded, live, last, shown, size, hash, author, updated_at, derived)
     VALUES (?, ?, ?, 1, 1, 1, 0, '', 'ada', 0, 1)`,
  );
  const link = db.query<never, [number, number, number, string, string]>(
    "INSERT INTO links (file_id, position, line, kind, target) VALUES (?, ?, ?, ?, ?)",
  );
  const hostile = 'a "b" \\ [c], é 🙂\u2028\t';
  db.writeNow(() => {
    for (const [id, path] of ["a.md", "b.md", "none.md"].entries()) file.run(id + 1, path, path);
    link.run(2, 1, 7, "path", "x/y.md");
    link.run(2, 0, 2, "wiki", hostile);
    for (let position = 11; position >= 0; position -= 1)
      link.run(1, position, position + 1, "markdown", `${position}`);
  });
  migrate(db, spaceMigrations, 1);
  const rows = db.query<{ file_id: number; count: number; links: string }, []>("SELECT * FROM link_lists");
  expect(rows.all().map((row) => ({ ...row, links: unpackedLinks(row.links) }))).toEqual([
    {
      file_id: 1,
      count: 12,
      links: Array.from({ length: 12 }, (_, at) => ({ line: at + 1, kind: "markdown", target: `${at}` })),
    },
    {
      file_id: 2,
      count: 2,
      links: [
        { line: 2, kind: "wiki", target: hostile },
        { line: 7, kind: "path", target: "x/y.md" },
      ],
    },
  ]);
  for (const { links } of rows.all()) expect(packedLinks(unpackedLinks(links))).toBe(links);
  db.close();
});

test("documents with the most links, and many with few, are read whole", async () => {
  await using bench = await treeBench();
  const many = (mark: string, count: number) =>
    Array.from({ length: count }, (_, index) => `[[${mark}${index}]]`).join(" ");
  await apply(bench.engine, [
    ...["a", "b", "c"].map((name) => put(`${name}.md`, many(name, LINKS_PER_DOCUMENT_MAX + 1))),
    ...Array.from({ length: 50 }, (_, index) => put(`few/${index}.md`, many(`few${index}-`, index * 10))),
  ]);
  const { files } = await bench.engine.outlines();
  const counts = new Map(files.map(({ path, links }) => [path as string, links.length]));
  expect(["a.md", "b.md", "c.md"].map((path) => counts.get(path))).toEqual(
    Array.from({ length: 3 }, () => LINKS_PER_DOCUMENT_MAX),
  );
  for (let index = 0; index < 50; index += 1) expect(counts.get(`few/${index}.md`)).toBe(index * 10);
  const named = files.every(({ path, links }) =>
    links.every(({ target }) =>
      target.startsWith(path.replace(/^(few)\/(\d+)\.md$/, "$1$2-").replace(/\.md$/, "")),
    ),
  );
  expect(named).toBe(true);
});
