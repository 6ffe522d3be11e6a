// Goal: no statement of any store reads or sorts all of a table that grows with use, unless it is named here with the reason; and none takes
// many values by their position.

import { expect, test } from "bun:test";
import { openDatabase, type Db } from "../../src/kit/storage/db.ts";
import { statementsOf, type Database } from "./statements.ts";

/** Tables that grow with use; the others are small by limits of their own. */
const GROWING: Record<Database, readonly string[]> = {
  service: [
    "agents",
    "audit",
    "blueprints",
    "calls",
    "egress_requests",
    "entries",
    "events",
    "gear_decisions",
    "gear_runs",
    "gear_versions",
    "instruction_proposals",
    "instruction_versions",
    "prompt_parts",
    "runs",
    "spending",
    "tool_calls",
    "turns",
  ],
  "context server": ["events"],
  replica: ["replica_files"],
  space: ["files", "versions", "changes", "blobs", "links", "front_matter"],
};
const DATABASES = ["service", "context server", "replica", "space"] as const;

/** Indexes of what is open or pending, of which there is little at any time. */
const SMALL_INDEX = /_(?:open|pending)$/;

/** By the beginning of the statement, without its columns, and of the table or the sort. */
const ALLOWED: Record<string, string> = {
  "replica: UPDATE replica_files SET version = NULL, hash = NULL, size = 0, base_version = NULL, sent = NULL, fresh = ? | replica_files":
    "a server that was restored has another history",
  "replica: SELECT … FROM replica_files | replica_files":
    "a cycle that looks at everything compares every path",
  "replica: SELECT … FROM replica_files WHERE base_hash IS NOT NULL | replica_files":
    "the number of synced files, once a cycle",
  "context server: SELECT … FROM events ORDER BY seq DESC LIMIT 1 OFFSET ? | events":
    "walks over the events that are kept, and seldom",
  "service: SELECT … FROM gear_bindings b JOIN workspaces w ON w.id = b.workspace_id LEFT JOIN agents a ON a.id = b.agent_id WHERE b | sort":
    "the bindings of one gear",
  "service: SELECT … FROM gears g JOIN gear_versions v ON v.gear_id = g.id AND v.version = g.version WHERE (g.status = 'pending' OR  | sort":
    "the gears that wait for an approval",
};

test("a table that grows is read by an index, and never sorted as a whole", async () => {
  const found: string[] = [];
  for (const name of DATABASES) {
    const statements = await statementsOf(name);
    expect(statements.length).toBeGreaterThan(10);
    for (const { db, sql } of statements)
      for (const problem of problemsOf(planOf(db, sql), sql, GROWING[name]))
        found.push(`${name}: ${shortened(sql)} | ${problem}`);
  }
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});

test("more than three values of a statement are named", async () => {
  const statements = (await Promise.all(DATABASES.map(statementsOf))).flat();
  expect(statements.map(({ sql }) => sql).filter((sql) => positionalValues(sql) > 3)).toEqual([]);
});

test("the rule counts positional values", () => {
  expect(positionalValues("INSERT INTO entries (a, b, c, d) VALUES (?, ?, ?, ?)")).toBe(4);
  expect(positionalValues("UPDATE entries SET a = ?1, b = ?1, c = ?2")).toBe(2);
  expect(positionalValues("INSERT INTO entries (a, b, c, d) VALUES ($a, $b, $c, $d)")).toBe(0);
});

test("the rule finds a scan and a sort", () => {
  const db = openDatabase(":memory:");
  db.exec("CREATE TABLE entries (id INTEGER PRIMARY KEY, place INTEGER, text TEXT) STRICT");
  const problems = (sql: string) => problemsOf(planOf(db, sql), sql, ["entries"]);
  expect(problems("SELECT text FROM entries WHERE place = 1")).toEqual(["entries"]);
  db.exec("CREATE INDEX entries_place ON entries (place, text)");
  expect(problems("SELECT text FROM entries WHERE place = 1 ORDER BY id DESC LIMIT 5")).toEqual(["sort"]);
  expect(problems("SELECT text FROM entries WHERE place = 1 ORDER BY text LIMIT 5")).toEqual([]);
});

function positionalValues(sql: string): number {
  const unnumbered = sql.match(/\?(?!\d)/g) ?? [];
  const numbers = [...sql.matchAll(/\?(\d+)/g)].map((match) => Number(match[1]));
  return Math.max(unnumbered.length, ...numbers);
}

function planOf(db: Db, sql: string): string[] {
  // A plain insert looks nothing up; its plan shows what a replacement would.
  if (!/^\s*(?:SELECT|UPDATE|DELETE|WITH)/i.test(sql)) return [];
  // Without values, every parameter is NULL.
  return db
    .query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}

/** The tables that are read as a whole, and `sort` for a page of a list that is sorted as a whole. */
function problemsOf(plan: readonly string[], sql: string, growing: readonly string[]): string[] {
  const isPage = /\bLIMIT\b/.test(sql);
  const scanned = plan.flatMap((detail) => {
    const [, alias, index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    if (alias === undefined || (index !== undefined && (isPage || SMALL_INDEX.test(index)))) return [];
    return growing.filter((one) => one === alias || new RegExp(`\\b${one} (?:AS )?${alias}\\b`).test(sql));
  });
  const isSmall = plan.some((detail) => /USING (?:COVERING )?INDEX \w+_(?:open|pending)\b/.test(detail));
  const sorts = plan.some((detail) => /USE TEMP B-TREE FOR (?:LAST \d+ TERMS? OF )?ORDER BY/.test(detail));
  const isGrowing = growing.some((one) => new RegExp(`\\b${one}\\b`).test(sql));
  return sorts && isPage && isGrowing && !isSmall ? [...scanned, "sort"] : scanned;
}

function shortened(sql: string): string {
  return sql
    .replaceAll(/\s+/g, " ")
    .replace(/SELECT .*? FROM /, "SELECT … FROM ")
    .trim()
    .slice(0, 120);
}
