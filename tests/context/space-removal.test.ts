// Goal: the removal of a space takes all of it or nothing, also when the disk refuses or two admins remove it at once.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { errorIn } from "../kit/http/client.ts";
import { refusal, refusalText } from "../kit/http/refusal.ts";
import { manualClock } from "../kit/manual-clock.ts";

test("a space whose folder the disk does not give away stays, and can be removed later", async () => {
  const clock = manualClock();
  await using server = await contextServer({ clock, files: { "a.md": "one" } });
  const { admin } = server;
  // A file of another program at the very place that the folder would get.
  const taken = join(server.directory, "spaces", `.removed-team-${clock.now()}`);
  writeFileSync(taken, "");
  await refusal(
    admin.delete("/spaces/team?confirm=team"),
    "unavailable",
    "the folder of the space team cannot be removed: a part of the path is not a directory; close the programs that use its files, then try again",
  );
  expect(await admin.read("a.md")).toBe("one");
  expect((await admin.get("/spaces")).map(({ name }) => name)).toEqual(["team"]);
  await admin.write("b.md", "two");
  rmSync(taken);
  await admin.delete("/spaces/team?confirm=team");
  expect(await admin.get("/spaces")).toEqual([]);
});

test("of two removals at once, one succeeds and the other finds nothing", async () => {
  await using server = await contextServer({ files: { "a.md": "one" } });
  const { admin } = server;
  const remove = () => admin.delete("/spaces/team?confirm=team").then(() => "removed");
  // Both see the space, and wait for what goes on there.
  const quotas = Array.from({ length: 5 }, (_, index) =>
    admin.put("/spaces/team/quotas", { max_files: 100 + index }).catch(() => undefined),
  );
  const answers = await Promise.all([remove(), remove()].map((one) => one.catch(() => refusalText(one))));
  await Promise.all(quotas);
  expect(answers.toSorted()).toEqual(["not_found: space team: not found", "removed"]);
  await admin.post("/spaces", { name: "team", template: "blank" });
  await admin.write("a.md", "again");
  expect(await admin.read("a.md")).toBe("again");
});

test("requests that meet the removal are made before it, or find nothing", async () => {
  await using server = await contextServer();
  const { admin } = server;
  const large = "a line of text that is scanned for secrets elsewhere\n".repeat(20_000);
  const codes = new Set<string>();
  const requests: Promise<unknown>[] = [];
  const ask = (request: Promise<Response>) =>
    requests.push(
      request.then(async (response) => {
        const error = errorIn(await response.text());
        codes.add(error ? `${error.code}: ${error.message}` : "done");
      }),
    );
  for (let round = 0; round < 12; round += 1) {
    ask(admin.raw("PUT", `/spaces/team/files/large-${round}.md`, { body: `${round} ${large}` }));
    ask(admin.raw("PUT", `/spaces/team/files/small-${round}.md`, { body: `${round}` }));
    ask(admin.raw("POST", "/spaces/team/snapshots", { body: { name: `s${round}` } }));
    ask(admin.raw("GET", "/spaces/team/files"));
    ask(admin.raw("GET", "/spaces/team/search?q=text"));
    if (round === 6) requests.push(admin.delete("/spaces/team?confirm=team"));
  }
  await Promise.all(requests);
  expect([...codes].toSorted()).toEqual(["done", "not_found: space team: not found"]);
});

test("changes of one space at once have one record and one event each", async () => {
  await using server = await contextServer();
  const { admin } = server;
  const changes: Promise<unknown>[] = [];
  for (let index = 0; index < 40; index += 1) {
    changes.push(
      admin.post("/spaces/team/snapshots", { name: `s${index}` }),
      admin.put("/spaces/team/quotas", { max_files: 100 + index }),
    );
    await admin.get("/spaces");
  }
  await Promise.all(changes);
  const records = await admin.get("/audit?limit=500");
  await using stream = await admin.events("/events?after=0");
  await admin.write("end.md", "x");
  await stream.until(({ data }) => data.path === "end.md");
  const count = (kind: string) => [
    records.filter(({ action }) => action === kind).length,
    stream.seen.filter(({ type }) => type === kind).length,
  ];
  expect([count("space.snapshot"), count("space.quotas")]).toEqual([
    [40, 40],
    [40, 40],
  ]);
});

/** As if the disk were full for rows of one table, until there is a second user. */
function refuseDeletes(server: ContextServer, table: string): Promise<void> {
  return server.restart(() => {
    using database = new Database(join(server.directory, "server.db"));
    database.run(`CREATE TRIGGER full BEFORE DELETE ON ${table} WHEN (SELECT count(*) FROM users) = 1
      BEGIN SELECT RAISE(ABORT, 'as if the disk were full'); END`);
  });
}

test("a removal whose record the disk refused is recorded before a new space of that name", async () => {
  await using server = await contextServer();
  await refuseDeletes(server, "space_deeds");
  const { admin } = server;
  await admin.delete("/spaces/team?confirm=team");
  const recorded = async () => (await admin.get("/audit?action=space.delete")).length;
  expect(await recorded()).toBe(0);
  await admin.post("/users", { name: "Ann", role: "viewer" });
  await admin.post("/spaces", { name: "team", template: "blank" });
  expect(await recorded()).toBe(1);
});

test("a removal is on record also if the disk refuses what follows the move of the folder", async () => {
  await using server = await contextServer();
  await refuseDeletes(server, "event_sources");
  const { admin } = server;
  await admin.write("old.md", "x");
  await admin.delete("/spaces/team?confirm=team");
  expect(await admin.get("/spaces")).toEqual([]);
  expect(await admin.get("/audit?action=space.delete&result=ok")).toHaveLength(1);
  await admin.post("/users", { name: "Ann", role: "viewer" });
  await admin.post("/spaces", { name: "team", template: "blank" });
  await admin.write("new.md", "x");
  await using stream = await server.admin.events("/events?after=0");
  await stream.until(({ data }) => data.path === "new.md");
  expect(stream.seen.map(({ type }) => type).filter((type) => type.startsWith("space."))).toEqual([
    "space.create",
    "space.delete",
    "space.create",
  ]);
});

test("the events of a removed space are hidden although a crash or the disk kept it from being forgotten", async () => {
  await using server = await contextServer({ people: { Ann: "viewer" }, files: { "old.md": "x" } });
  const tables = ["event_sources", "space_deeds"];
  const change = (sql: (table: string) => string) =>
    server.restart(() => {
      using database = new Database(join(server.directory, "server.db"));
      for (const table of tables) database.run(sql(table));
    });
  await change(
    (table) => `CREATE TRIGGER full_${table} BEFORE DELETE ON ${table}
      BEGIN SELECT RAISE(ABORT, 'as if the disk were full'); END`,
  );
  await server.admin.delete("/spaces/team?confirm=team");
  const ann = await server.admin.post("/users/Ann/tokens", {});
  /** All that a replay shows before an event of another space. */
  const shown = async (path: string) => {
    await server.admin.raw("PUT", `/spaces/other/files/${path}`, { body: "x" });
    await using stream = await server.as(ann.token).events("/events?after=0");
    await stream.until(({ data }) => data.path === path);
    return stream.seen.filter(({ data }) => data.space === "team").map(({ type }) => type);
  };
  await server.admin.post("/spaces", { name: "other", template: "blank" });
  expect(await shown("a.md")).toEqual([]);
  await server.restart();
  expect(await shown("b.md")).toEqual([]);
  await change((table) => `DROP TRIGGER full_${table}`);
  await eventually(async () => (await server.audit("action=space.delete&result=ok")).length, 1);
  expect(await shown("c.md")).toEqual(["space.delete"]);
  await server.stop();
  using database = new Database(join(server.directory, "server.db"));
  expect(database.query("SELECT space FROM event_sources").all()).toEqual([{ space: "other" }]);
});
