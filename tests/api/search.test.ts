// Goal: search finds conversations, entries, files, agents, gears and instructions of every workspace that one may see, and of no other; what changed
// is found at once, what was deleted is not; no query is an error; an older database is indexed after its upgrade.

import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchAnswer, SearchResult } from "../../src/service/search/schema.ts";
import { makeGear } from "../kit/service/gears.ts";
import type { Client } from "../kit/http/client.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { migrate } from "../../src/kit/storage/migrate.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { lookAtCopy } from "../kit/service/database-copy.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { say } from "../kit/model/index.ts";
import { refusal } from "../kit/http/refusal.ts";
import { world, type World } from "../kit/service/world.ts";

const find = (client: Client, q: string, more = ""): Promise<SearchAnswer> =>
  client.get(`/search?q=${encodeURIComponent(q)}${more}`);
const shown = ({ kind, title, snippet, workspace }: SearchResult) =>
  `${kind}: ${title.text} | ${snippet?.text ?? ""} | ${workspace ?? ""}`;
const found = async (client: Client, q: string, more = "") =>
  (await find(client, q, more)).groups.flatMap(({ results }) => results.map(shown));
/** The matches as they are marked. */
const marksOf = ({ groups }: SearchAnswer) =>
  groups.flatMap(({ results }) =>
    results.flatMap(({ title, snippet }) =>
      [title, snippet].flatMap(
        (one) => one?.ranges.map(({ start, end }) => one.text.slice(start, end)) ?? [],
      ),
    ),
  );

async function ask(lab: World, text: string, answer: string, fields: Record<string, unknown> = {}) {
  lab.model.script("boss", [say(answer)]);
  return lab.end(await lab.begin(text, fields));
}

/** Returns the rows left in the tables of the index; fails if the index does not agree with the texts. */
const indexOf = (data: string) =>
  lookAtCopy(data, (db) => {
    db.run("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)");
    const count = (table: string) =>
      db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table} WHERE workspace_id IS NOT NULL`).get()!
        .n;
    return { items: count("search_items"), files: count("search_files") };
  });

/** As builds before the index left it, with one conversation. */
function writeOldDatabase(data: string): void {
  const db = openDatabase(join(data, "service.db"));
  migrate(
    db,
    migrations.filter(({ name }) => name < "017"),
    0,
  );
  for (const sql of [
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'admin', 'admin', 'admin', 0)",
    `INSERT INTO providers (id, name, name_key, type, protocol, base_url, api_key, created_at)
     VALUES (1, 'p', 'p', 'anthropic', 'anthropic', 'https://example.test', '', 0)`,
    "INSERT INTO models (id, provider_id, model_name, label, created_at) VALUES (1, 1, 'm', 'm', 0)",
    `INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
     VALUES (1, 'old', 'old', 'about kingfishers', 'b', 'b/shared', 1, 0)`,
    `INSERT INTO agents (id, workspace_id, name, name_key, role, model_id, orchestrator, x, y, created_at)
     VALUES (1, 1, 'orchestrator', 'orchestrator', 'You watch.', 1, 1, 0, 0, 0)`,
    `INSERT INTO turns (id, workspace_id, number, status, text, user_id, user_name, auth, created_at, started_at, finished_at)
     VALUES (1, 1, 1, 'done', 'q', 1, 'admin', 'token', 0, 0, 0)`,
    "INSERT INTO runs (id, workspace_id, turn_id, agent_id, depth, status, created_at) VALUES (1, 1, 1, 1, 0, 'done', 0)",
    `INSERT INTO entries (id, workspace_id, turn_id, run_id, agent_id, thread, kind, text, created_at)
     VALUES (1, 1, 1, 1, 1, 0, 'person', 'a kingfisher of long ago', 0)`,
    "INSERT INTO instructions VALUES (1, 'tone', 'tone', 'like a kingfisher', 1, 1, 'admin', 0, 0)",
  ])
    db.exec(sql);
  db.close();
}

const NOTES = 40;
/** The index keeps up to three on a level. */
const PARTS_MAX = 9;

function partsOfIndex(db: Database): number {
  return db.query<{ count: number }, []>("SELECT count(DISTINCT segid) AS count FROM search_index_idx").get()!
    .count;
}

describe("search", () => {
  test("indexes an older database in the background", async () => {
    await using folder = await temporaryFolder();
    writeOldDatabase(folder.path);
    await using lab = await world({ data: folder.path });
    await eventually(
      async () => (await found(lab.admin, "kingfisher")).toSorted(),
      [
        "entry: admin | a kingfisher of long ago | old",
        "instruction: tone | like a kingfisher | ",
        "workspace: old | about kingfishers | ",
      ],
    );
    await eventually(async () => (await find(lab.admin, "kingfisher")).indexing, 0);
  });

  test("merges the parts of the index while nobody works", async () => {
    await using lab = await world({ model: true });
    // A search indexes the newest texts, in a write that adds a part.
    for (let note = 0; note < NOTES; note += 1) {
      await lab.admin.post("/instructions", { name: `note ${note}`, text: `number ${note}` });
      await find(lab.admin, "note");
    }
    await eventually(async () => (await lookAtCopy(lab.data, partsOfIndex)) <= PARTS_MAX, true);
  });

  test("finds every kind by its name and by its text", async () => {
    await using lab = await world({ model: true, workers: ["heron"] });
    await ask(lab, "Where do kingfishers nest?", "In riverbanks, near the weir.");
    await makeGear(lab.admin, {
      name: "count_birds",
      description: "Counts kingfishers in a list.",
      code: "wc -l",
    });
    await lab.admin.post("/instructions", {
      name: "Field notes",
      text: "Write the date of each kingfisher.",
    });
    await lab.admin.raw("PUT", `${lab.own}/file?path=notes/kingfisher.md`, { body: "Seen at dawn." });
    await eventually(
      () => found(lab.admin, "kingfisher"),
      [
        "file: notes/kingfisher.md | Seen at dawn. | lab",
        "entry: admin | Where do kingfishers nest? | lab",
        "instruction: Field notes | Write the date of each kingfisher. | ",
        "gear: count_birds | Counts kingfishers in a list. | ",
      ],
    );
    expect(await found(lab.admin, "heron")).toEqual(["agent: heron | You are heron. | lab"]);
    expect(await found(lab.admin, "lab", "&kind=workspace")).toEqual(["workspace: lab |  | "]);
    expect(await found(lab.admin, "dawn")).toEqual(["file: notes/kingfisher.md | Seen at dawn. | lab"]);
    expect(await found(lab.admin, "kingfisher dawn")).toEqual([
      "file: notes/kingfisher.md | Seen at dawn. | lab",
    ]);
    expect(marksOf(await find(lab.admin, "RIVERB"))).toEqual(["riverb"]);
    expect(marksOf(await find(lab.admin, '"near the weir"'))).toEqual(["near the weir"]);
    expect(await found(lab.admin, '"the near weir"')).toEqual([]);
  });

  test("finds a name behind any number of texts, and other kinds behind many of one", async () => {
    await using lab = await world({ model: true });
    await lab.admin.post("/instructions", { name: "Heron", text: "Tall." });
    await lab.admin.raw("PUT", `${lab.own}/file?path=heron.md`, { body: "Grey." });
    for (let number = 1; number <= 130; number += 1)
      await lab.admin.post("/instructions", { name: `note ${number}`, text: "A heron again." });
    const best = async () =>
      (await find(lab.admin, "heron", "&limit=1")).groups.map(({ kind, results, more }) => ({
        kind,
        first: results[0]!.title.text,
        more,
      }));
    await eventually(best, [
      { kind: "instruction", first: "Heron", more: true },
      { kind: "file", first: "heron.md", more: false },
    ]);
  });

  test("follows changes: another name, another text, what was deleted, what was forgotten or is on another branch", async () => {
    await using lab = await world({ model: true, workers: ["heron"] });
    const one = await ask(lab, "the first question", "the first answer");
    await ask(lab, "the second question", "the second answer");
    await lab.admin.patch(`/agents/${lab.agents["heron"]}`, { name: "egret" });
    const { id } = await lab.admin.post("/instructions", { name: "tone", text: "zinnia words" });
    expect(await found(lab.admin, "zinnia")).toEqual(["instruction: tone | zinnia words | "]);
    expect(await found(lab.admin, "heron", "&kind=agent")).toEqual(["agent: egret | You are heron. | lab"]);
    await lab.admin.put(`/instructions/${id}`, { name: "tone", text: "dahlia words" });
    expect(await found(lab.admin, "zinnia")).toEqual([]);
    await lab.admin.delete(`/instructions/${id}`);
    expect(await found(lab.admin, "dahlia")).toEqual([]);
    await lab.admin.delete(`/agents/${lab.agents["heron"]}`);
    expect(await found(lab.admin, "egret")).toEqual([]);

    const marks = async (q: string) =>
      (await find(lab.admin, q)).groups[0]?.results.map(({ entry }) => [entry!.forgotten, entry!.aside]);
    const first = (await lab.entries()).find(({ text }) => text === "the first question")!;
    await lab.admin.delete(`/entries/${first.id}`);
    expect(await marks('"first question"')).toEqual([[true, false]]);
    await ask(lab, "another second question", "yes", { after: one.id });
    expect(await marks('"second answer"')).toEqual([[false, true]]);
    // A link to an entry opens it wherever it is.
    const [{ results }] = (await find(lab.admin, '"second answer"')).groups as [SearchAnswer["groups"][0]];
    expect(await lab.admin.get(`/entries/${results[0]!.id}`)).toMatchObject({
      aside: true,
      forgotten: false,
    });
    expect(await lab.admin.get(`/entries/${first.id}`)).toMatchObject({ aside: false, forgotten: true });
    const ann = await lab.user("ann");
    await refusal(ann.get(`/entries/${first.id}`), "not_found");
  });

  test("shows to each person what they may see at that moment", async () => {
    await using lab = await world({ model: true, people: { ann: "member", ben: "team-lead" } });
    const { ann, ben } = lab.people;
    await ask(lab, "the secret of the heron", "kept");
    await lab.admin.raw("PUT", `${lab.own}/file?path=secret.txt`, { body: "heron" });
    await eventually(
      () => found(lab.admin, "secret"),
      ["file: secret.txt | heron | lab", "entry: admin | the secret of the heron | lab"],
    );
    expect(await found(ann, "secret")).toEqual([]);
    const team = await lab.share(ann);
    expect(await found(ann, "secret")).toHaveLength(2);
    expect(await found(ben, "secret")).toEqual([]);
    await lab.admin.delete(`/teams/${team}/members/${ann.id}`);
    expect(await found(ann, "secret")).toEqual([]);
    // Someone who sees more workspaces than the index is limited to.
    await Promise.all(Array.from({ length: 66 }, (_, index) => lab.workspace(`own ${index}`, ben)));
    expect(await found(ben, "secret")).toEqual([]);
    expect((await find(ben, "own", "&limit=50&kind=workspace")).groups).toMatchObject([{ more: true }]);
    await lab.admin.delete(lab.own);
    expect(await found(lab.admin, "secret")).toEqual([]);
    await refusal(lab.as("cairn_nobody").get("/search?q=secret"), "unauthenticated");
    for (const { id } of await ben.get("/workspaces")) await ben.delete(`/workspaces/${id}`);
    await eventually(() => indexOf(lab.data), { items: 0, files: 0 });
  });

  test("answers any query", async () => {
    await using lab = await world({ model: true });
    await ask(lab, "部署计划已经完成 and שלום עולם, Ünïcödé", "ok: file_write(a, b) -- 100%");
    for (const [q, count] of [
      ["", 0],
      ["   ", 0],
      ["!!! *** ((( ---", 0],
      ['"', 0],
      ['" " "', 0],
      ["NEAR(file, write)", 0],
      ["body:file", 0],
      ["file_wri", 1],
      ["file write", 1],
      ["-file", 1],
      ["^file*", 1],
      ['"file write', 1],
      ["unicode", 1],
      ["UNICO", 1],
      ["计划", 1],
      ["部署计划", 1],
      ["划计", 0],
      ["שלו", 1],
      ["עולם שלום", 1],
      ["ok OR AND NOT", 0],
      ["\u0000ok\u0000", 1],
      [`ok ${"x".repeat(5_000)}`, 0],
      [`${"ok ".repeat(3_000)}`, 1],
      ["' OR 1=1; DROP TABLE entries; --", 0],
    ] as const) {
      const { groups, indexing } = await find(lab.admin, q, "&kind=entry");
      expect({ q: q.slice(0, 40), count: groups.flatMap(({ results }) => results).length, indexing }).toEqual(
        { q: q.slice(0, 40), count, indexing: 0 },
      );
    }
    expect(marksOf(await find(lab.admin, "计划"))).toEqual(["计划"]);
    expect(marksOf(await find(lab.admin, "unicode"))).toEqual(["Ünïcödé"]);
    await refusal(lab.admin.get("/search?q=a&kind=nothing" as never), "invalid");
  });

  test("finds words anywhere in a long text, and files that came without the service", async () => {
    await using lab = await world({ model: true });
    const long = `${"some words of a long report\n".repeat(2_500)}the kingfisher at its end`;
    await ask(lab, long, "read");
    await eventually(async () => marksOf(await find(lab.admin, "kingfisher")), ["kingfisher"]);
    const folder = join(lab.data, "files", String(lab.workspaceId));
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    writeFileSync(join(folder, "made by a shell.txt"), "otters");
    writeFileSync(join(folder, "picture.png"), new Uint8Array([0, 1, 2]));
    writeFileSync(join(folder, "large.log"), "otters ".repeat(50_000));
    writeFileSync(join(folder, "node_modules", "otters.js"), "otters");
    const files = (q: string) => found(lab.admin, q, "&kind=file");
    await lab.restart();
    await eventually(() => files("otters"), ["file: made by a shell.txt | otters | lab"]);
    await eventually(() => files("picture"), ["file: picture.png |  | lab"]);
    await eventually(() => files("large"), ["file: large.log |  | lab"]);
    rmSync(join(folder, "picture.png"));
    writeFileSync(join(folder, "made by a shell.txt"), "two beavers");
    await lab.restart();
    await eventually(() => files("beavers"), ["file: made by a shell.txt | two beavers | lab"]);
    await eventually(() => files("picture"), []);
    expect(await files("otters")).toEqual([]);
  });
});
