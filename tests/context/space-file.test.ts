// Goal: a space survives the loss of its file, because its database also holds name, template, rules and limits. A manual edit wins, a file left
// over from a crash does not, and an unreadable file is set aside. A lost database is no empty space: the others go on until it is restored.

import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { checkInside } from "../../src/context/doctor/self-checks.ts";
import { eventually } from "../kit/eventually.ts";
import { refusal } from "../kit/http/refusal.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";

const own = (directory: string) => join(directory, "spaces", "team", ".cairn");
const fileIn = (directory: string) => join(own(directory), "space.yaml");
const shown = ({ admin }: ContextServer) => admin.get("/spaces/team");
const RULES = { "identity/": "never", "drafts/": "init-only" };

async function furnished() {
  const server = await contextServer({ template: "team" });
  await server.admin.put("/spaces/team/sync", RULES);
  await server.admin.put("/spaces/team/quotas", { max_files: 321 });
  return server;
}

const losses: [string, (path: string) => void, string | undefined][] = [
  ["missing", (path) => rmSync(path), undefined],
  ["empty", (path) => truncateSync(path, 0), ""],
  ["full of NUL bytes", (path) => writeFileSync(path, "\0".repeat(200)), "\0".repeat(200)],
  ["no valid YAML", (path) => writeFileSync(path, "name: [team"), "name: [team"],
  ["of another shape", (path) => writeFileSync(path, "name: team\n"), "name: team\n"],
];

for (const [name, lose, kept] of losses)
  test(`recreates a file that is ${name}`, async () => {
    await using server = await furnished();
    const [before, text] = [await shown(server), readFileSync(fileIn(server.directory), "utf8")];
    await server.restart((directory) => lose(fileIn(directory)));
    expect(await shown(server)).toEqual(before);
    expect(before).toMatchObject({ template: "team", sync: RULES, quotas: { max_files: 321 } });
    expect(readFileSync(fileIn(server.directory), "utf8")).toBe(text);
    const aside = readdirSync(own(server.directory)).filter((file) => file.includes("unreadable"));
    expect(aside.map((file) => readFileSync(join(own(server.directory), file), "utf8"))).toEqual(
      kept === undefined ? [] : [kept],
    );
    expect(
      server.log.filter(
        ({ level, message }) => level === "warn" && message.includes("rewrote it from the database"),
      ).length,
    ).toBe(1);
  });

test("adopts a manual edit", async () => {
  await using server = await furnished();
  const edit = (directory: string) => {
    const text = readFileSync(fileIn(directory), "utf8");
    expect(text).toContain("max_files: 321");
    writeFileSync(fileIn(directory), text.replace("max_files: 321", "max_files: 123"));
  };
  await server.restart(edit);
  expect((await shown(server)).quotas.max_files).toBe(123);
  await server.restart((directory) => rmSync(fileIn(directory)));
  expect((await shown(server)).quotas.max_files).toBe(123);
});

test("does not mistake the older file after a crash for a manual edit", async () => {
  await using server = await furnished();
  const older = readFileSync(fileIn(server.directory));
  await server.admin.put("/spaces/team/quotas", { max_files: 5 });
  await server.restart((directory) => writeFileSync(fileIn(directory), older));
  expect((await shown(server)).quotas.max_files).toBe(5);
  expect(readFileSync(fileIn(server.directory), "utf8")).toContain("max_files: 5");
});

test("takes over a space of an earlier version unchanged, and applies two concurrent changes", async () => {
  await using server = await furnished();
  const before = await shown(server);
  await server.restart((directory) => {
    const db = new Database(join(own(directory), "space.db"));
    db.run("DROP TABLE metadata");
    db.run("DROP INDEX blobs_pending");
    db.run("DROP TABLE copies");
    db.run("DROP TABLE link_lists");
    db.run(
      "CREATE TABLE links (file_id INTEGER, position INTEGER, line INTEGER, kind TEXT, target TEXT, PRIMARY KEY (file_id, position)) STRICT",
    );
    db.run("ALTER TABLE versions DROP COLUMN message");
    db.run("CREATE VIRTUAL TABLE words USING fts5 (text, content = '')");
    db.run("DELETE FROM migrations WHERE name >= '002'");
    db.close();
  });
  expect(await shown(server)).toEqual(before);
  await Promise.all([
    server.admin.put("/spaces/team/quotas", { max_files: 7 }),
    server.admin.put("/spaces/team/sync", {}),
  ]);
  await server.restart((directory) => rmSync(fileIn(directory)));
  expect(await shown(server)).toMatchObject({ quotas: { max_files: 7 }, sync: {} });
});

test("a space without its file and with an unreadable database does not affect the server or other spaces", async () => {
  await using server = await contextServer();
  await server.admin.post("/spaces", { name: "other", template: "blank" });
  await server.restart((directory) => {
    rmSync(fileIn(directory));
    rmSync(join(own(directory), "space.db-wal"), { force: true });
    writeFileSync(join(own(directory), "space.db"), "no database ".repeat(1_000));
  });
  const listed = await server.admin.get("/spaces");
  expect(listed.map(({ name }) => name)).toEqual(["other"]);
  const refused = await server.admin.raw("GET", "/spaces/team");
  expect([refused.status, await refused.text()]).toEqual([
    expect.any(Number),
    expect.stringContaining("is not a usable database"),
  ]);
  const said = server.log.find(({ message }) => message === "cannot open a space");
  expect(said).toMatchObject({ level: "error", space: "team" });
});

test("keeps an existing folder if creating a space in it fails", async () => {
  await using server = await contextServer();
  const folder = join(server.directory, "spaces", "other");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.md"), "by hand");
  writeFileSync(join(folder, ".cairn"), "in the way");
  const create = () => server.admin.raw("POST", "/spaces", { body: { name: "other", template: "blank" } });
  expect((await create()).status).toBeGreaterThanOrEqual(400);
  expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe("by hand");
  rmSync(join(folder, ".cairn"));
  expect((await create()).status).toBe(201);
});

test("serves no empty space in place of one whose database is lost", async () => {
  await using server = await furnished();
  await server.admin.post("/spaces", { name: "other", template: "blank" });
  const [before, database] = [await shown(server), join(own(server.directory), "space.db")];
  let kept = Buffer.alloc(0);
  await server.restart(() => {
    kept = readFileSync(database);
    rmSync(database);
  });
  const lost = `${database} is missing, but ${fileIn(server.directory)} shows that it held the versions of the space`;
  const remedy = `restore it from a backup; or, to start over from the files, without their history: stop the server, move ${fileIn(server.directory)} away, start the server, and run cairn space create team --template blank, then cairn space adopt team`;
  await eventually(server.health, [200, ["spaces broken"]]);
  await refusal(shown(server), "unavailable", `${lost}; ${remedy}`);
  await refusal(
    server.admin.put("/spaces/team/quotas", { max_files: 1 }),
    "unavailable",
    `${lost}; ${remedy}`,
  );
  expect((await server.admin.get("/spaces")).map(({ name }) => name)).toEqual(["other"]);
  const found = await checkInside(server.directory);
  expect(found.filter(({ check }) => check === "database")).toEqual([
    { check: "database", space: "team", state: "fail", found: lost, fix: remedy },
  ]);
  // The restored file is used at once.
  writeFileSync(database, kept);
  expect(await shown(server)).toEqual(before);
  await eventually(server.health, [200, []]);
});

test("starts over from the files without their history as the refusal says", async () => {
  await using server = await furnished();
  await server.admin.write("a.md", "one");
  await server.restart((directory) => {
    rmSync(join(own(directory), "space.db"));
    renameSync(fileIn(directory), `${fileIn(directory)}.aside`);
  });
  await server.admin.post("/spaces", { name: "team", template: "blank" });
  await server.admin.post("/spaces/team/adopt");
  expect(await server.admin.read("a.md")).toBe("one");
  expect(await server.admin.get("/spaces/team/history/a.md")).toMatchObject({ versions: [{ version: 1 }] });
});
