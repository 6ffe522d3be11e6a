// Goal: a table belongs to one feature, and what another feature's statement does with it is named here with the reason.

import { expect, test } from "bun:test";
import { statementsOf, type Database } from "./statements.ts";

const OWNERS: Partial<Record<Database, Record<string, readonly string[]>>> = {
  service: {
    attachments: ["attachments"],
    audit: ["audit", "audit_head"],
    blueprint: ["agents", "wires"],
    catalog: ["models", "providers"],
    conversation: ["asides", "entries", "prompt_parts"],
    egress: ["egress_grants", "egress_requests"],
    files: ["begun_saves"],
    gears: ["gear_bindings", "gear_decisions", "gear_files", "gear_runs", "gear_versions", "gears"],
    journal: ["activity", "events"],
    memory: ["agent_branches", "context_bindings", "memory_writes"],
    library: ["instruction_bindings", "instruction_proposals", "instruction_versions", "instructions"],
    people: ["team_members", "teams", "tokens", "users"],
    sandbox: ["installation"],
    search: [
      "search_files",
      "search_index",
      "search_index_config",
      "search_index_data",
      "search_index_docsize",
      "search_index_idx",
      "search_items",
      "search_queue",
      "search_texts",
    ],
    snapshot: ["blueprints"],
    turns: ["arrived_texts", "branch_tips", "calls", "runs", "tool_calls", "turns"],
    usage: ["spending"],
    workspaces: ["workspace_rows", "workspace_teams", "workspaces"],
  },
  "context server": {
    audit: ["audit_anchor", "audit_baseline", "audit_breaks", "audit_pending", "audit_sources"],
    events: ["event_sources", "events"],
    freshness: ["stale_documents"],
    people: ["acl", "console_sessions", "tokens", "users"],
    spaces: ["space_deeds"],
    webhooks: ["webhook_deliveries", "webhooks"],
  },
};

/** Of the database itself. */
const EVERYONES = ["installation", "migrations", "proof", "sqlite_schema", "sqlite_sequence"];

/** The tables of others that a feature may read, beyond those that it changes. */
const READS: Record<string, string> = {
  "approvals: events": "what was decided is shown from the events that recorded it",
  ...Object.fromEntries(
    [
      "agents",
      "egress_requests",
      "gears",
      "instructions",
      "models",
      "providers",
      "teams",
      "users",
      "workspaces",
    ].map((table) => [`audit: ${table}`, "records of decisions are listed with the names of their targets"]),
  ),
  "blueprint: workspaces": "agents of a workspace that is being deleted count no more",
  "egress: agents": "grants to removed agents count no more; the chain of agents behind a search, by name",
  "egress: runs": "the chain of agents behind a search",
  "gears: agents": "bindings to removed agents count no more",
  "gears: workspaces": "bindings in a workspace that is being deleted count no more",
  "library: agents": "bindings to removed agents count no more",
  "library: workspaces": "bindings in a workspace that is being deleted count no more",
  "memory: agents": "bindings to removed agents count no more",
  "overview: activity": "when something last happened in a workspace",
  "overview: turns": "which turns are open",
  "search: agents": "the names and roles of agents are found, and who said an entry",
  "search: asides": "whether a found entry is on another branch",
  "search: entries": "what was said is found",
  "search: gear_versions": "the descriptions of gears are found",
  "search: gears": "the names of gears are found",
  "search: instructions": "instructions are found by name and text",
  "search: turns": "who asked",
  "search: workspace_rows": "what belongs to a workspace that is being deleted is not indexed",
  "search: workspaces": "the names and descriptions of workspaces are found, and where a result is",
  "snapshot: turns": "which blueprint a turn began with",
  "transfer: branch_tips": "the end of the exported branch",
  "transfer: calls": "an export holds all rows of a conversation",
  "transfer: entries": "an export holds all rows of a conversation",
  "transfer: models": "models are named in an export",
  "transfer: agents": "an export holds removed agents too",
  "transfer: prompt_parts": "an export holds all rows of a conversation",
  "transfer: providers": "models are named in an export",
  "transfer: runs": "an export holds all rows of a conversation",
  "transfer: tool_calls": "an export holds all rows of a conversation",
  "transfer: turns": "an export holds all rows of a conversation",
  "turns: agents": "the steps of a turn name its agents",
  "turns: events": "where the events of a turn begin",
  "usage: agents": "usage is shown for each agent, also one that has none",
  "usage: calls": "usage is the sum of what calls used",
  "workspaces: team_members": "who sees a workspace",
  "workspaces: users": "a row needs an owner until it is deleted",
};

/** Features that change other ones' tables. */
const CHANGES: Record<string, string> = {
  transfer: "an import stores the rows of all conversation tables as they were, in one order",
  workspaces: "a workspace is deleted in portions, from all tables in one order",
};

test("a feature's store reads and changes its own tables", async () => {
  const found = await foreign();
  expect(found.reads.filter((use) => READS[use] === undefined)).toEqual([]);
  expect(found.changing.filter((feature) => CHANGES[feature] === undefined)).toEqual([]);
});

test("every exception is still needed", async () => {
  const found = await foreign();
  expect(Object.keys(READS).filter((use) => !found.reads.includes(use))).toEqual([]);
  expect(Object.keys(CHANGES).filter((feature) => !found.changing.includes(feature))).toEqual([]);
});

test("every table has an owner", async () => {
  for (const [database, owners] of Object.entries(OWNERS)) {
    const { db } = (await statementsOf(database as Database))[0]!;
    const known = new Set([...Object.values(owners!).flat(), ...EVERYONES]);
    const tables = db
      .query<{ name: string }>("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
      .all();
    expect(tables.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  }
});

test("the rule tells what a statement reads from what it changes", () => {
  expect(usesOf("SELECT a.name FROM agents a LEFT JOIN runs r ON r.agent_id = a.id")).toEqual({
    reads: ["agents", "runs"],
    changes: [],
  });
  expect(usesOf("INSERT INTO turns (id) VALUES (?) ON CONFLICT DO UPDATE SET id = 1")).toEqual({
    reads: [],
    changes: ["turns"],
  });
  expect(usesOf("DELETE FROM calls WHERE id IN (SELECT id FROM runs)")).toEqual({
    reads: ["runs"],
    changes: ["calls"],
  });
});

async function foreign(): Promise<{ reads: string[]; changing: string[] }> {
  const reads = new Set<string>();
  const changing = new Set<string>();
  for (const [database, owners] of Object.entries(OWNERS)) {
    const ownerOf = new Map(
      Object.entries(owners!).flatMap(([feature, tables]) =>
        tables.map((table) => [table, feature] as const),
      ),
    );
    for (const { sql, path } of await statementsOf(database as Database)) {
      const feature = path.split("/")[2]!;
      const isForeign = (table: string) => (ownerOf.get(table) ?? feature) !== feature;
      const uses = usesOf(sql);
      if (uses.changes.some(isForeign)) changing.add(feature);
      for (const table of uses.reads.filter(isForeign))
        if (!uses.changes.includes(table)) reads.add(`${feature}: ${table}`);
    }
  }
  return { reads: [...reads], changing: [...changing] };
}

function usesOf(sql: string): { reads: string[]; changes: string[] } {
  const changed = [...sql.matchAll(/^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/gi)];
  const changes = changed.map((match) => match[1]!);
  const rest = sql.slice(changed[0]?.[0].length ?? 0);
  const reads = [...rest.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/gi)].map((match) => match[1]!);
  return { reads: [...new Set(reads)], changes };
}
