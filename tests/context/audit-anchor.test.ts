// Goal: startup, verify, health and the database report an audit file that does not match its anchor until an admin acknowledges it, whatever is
// recorded meanwhile; the leftovers of a crash are not a break; a line is judged by its bytes.

import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { breakText, type AuditRecord } from "../../src/context/audit/schema.ts";
import { hashOf } from "../../src/context/audit/record.ts";
import { verifyAuditFile } from "../../src/context/audit/verify.ts";
import { contextServer, put, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { refusal } from "../kit/http/refusal.ts";

const fileIn = (directory: string) => join(directory, "audit", "audit.jsonl");
const linesIn = (directory: string) => readFileSync(fileIn(directory), "utf8").split("\n").slice(0, -1);
const write = (directory: string, lines: readonly string[]) =>
  writeFileSync(fileIn(directory), lines.map((line) => `${line}\n`).join(""));
const toldAtStart = (server: ContextServer) =>
  server.log.filter(({ message }) => message === "the audit file is broken").length;

/** The same records with a valid chain of their own, as a forger who knows the format would write them. */
function forged(lines: readonly string[], edit: (record: AuditRecord) => void = () => {}): string[] {
  let prev = "0".repeat(64);
  return lines.map((line) => {
    const { hash: _hash, ...record } = JSON.parse(line) as AuditRecord;
    edit(record as AuditRecord);
    record.prev = prev;
    prev = hashOf(record);
    return JSON.stringify({ ...record, hash: prev });
  });
}

/** Manipulations of a stopped server's file, and the reported problems. */
const SHORT = /^the file ends after \d+ records, but \d+ were written$/;
const OTHER = /^it is not the record that the server wrote there/;
const ADDED = /^it was added while the server was stopped$/;
const attacks: [string, RegExp, (directory: string) => void][] = [
  ["cut", SHORT, (at) => write(at, linesIn(at).slice(0, -2))],
  ["deleted", SHORT, (at) => rmSync(fileIn(at))],
  ["emptied", SHORT, (at) => truncateSync(fileIn(at), 0)],
  [
    "forged with a chain of its own",
    OTHER,
    (at) =>
      write(
        at,
        forged(linesIn(at), (record) => (record.actor.name = "nobody")),
      ),
  ],
  [
    "forged as records from before the chain",
    OTHER,
    (at) =>
      write(
        at,
        linesIn(at).map((line) => JSON.stringify({ ...JSON.parse(line), actor: null, hash: undefined })),
      ),
  ],
  [
    "cut and filled up",
    OTHER,
    (at) => {
      const lines = linesIn(at);
      const last = { ...(JSON.parse(lines.at(-1)!) as AuditRecord), target: "other.md" };
      write(at, forged([...lines.slice(0, -1), JSON.stringify(last)]));
    },
  ],
  [
    "continued with records that follow from it",
    ADDED,
    (at) => {
      const lines = linesIn(at);
      for (const target of ["forged.md", "other.md"]) {
        const { hash: prev, ...last } = JSON.parse(lines.at(-1)!) as AuditRecord;
        const record = { ...last, seq: last.seq + 1, target, prev: prev! };
        lines.push(JSON.stringify({ ...record, hash: hashOf(record) }));
      }
      write(at, lines);
    },
  ],
  ["continued with a piece of a record", ADDED, (at) => appendFileSync(fileIn(at), '{"seq":99')],
];

describe("the file of a stopped server", () => {
  for (const [name, problem, attack] of attacks)
    test(`${name}: reported at every start and by verify until acknowledged`, async () => {
      await using server = await contextServer();
      for (const path of ["a.md", "b.md", "c.md"]) await server.admin.write(path, "one");
      await server.restart(attack);
      const first = await server.verifyAudit();
      expect([first.ok, first.anchored]).toEqual([false, true]);
      expect(first.problem).toMatch(problem);
      expect(first.breaks).toEqual([
        expect.objectContaining({ id: 1, line: first.line!, problem: first.problem!, acknowledged_at: null }),
      ]);
      // Neither appending nor restarting hides the break.
      await server.admin.write("d.md", "one");
      await server.restart();
      await server.admin.write("e.md", "one");
      expect(await server.verifyAudit()).toMatchObject({
        ok: false,
        problem: first.problem,
        breaks: first.breaks,
      });
      expect(toldAtStart(server)).toBe(2);
      expect(await server.audit("action=audit.broken")).toEqual([
        expect.objectContaining({
          result: "error",
          actor: expect.objectContaining({ name: "server" }),
          error: expect.stringContaining(first.problem!),
        }),
      ]);
      expect(await server.health()).toEqual([200, ["audit broken"]]);

      const acknowledged = await server.admin.post("/audit/acknowledge", { up_to: 1 });
      expect(acknowledged).toEqual([
        expect.objectContaining({
          ...first.breaks[0]!,
          acknowledged_at: expect.any(String),
          acknowledged_by: "root",
        }),
      ]);
      const [record] = await server.audit("action=audit.acknowledge&limit=1");
      expect(record!.target).toBe(breakText(first.breaks[0]!));
      expect(await server.verifyAudit()).toMatchObject({ ok: true, breaks: [] });
      expect(await server.health()).toEqual([200, []]);
      await server.restart();
      expect([await server.verifyAudit(), toldAtStart(server)]).toEqual([
        expect.objectContaining({ ok: true, breaks: [] }),
        2,
      ]);
      expect(await server.admin.get("/audit/breaks")).toEqual(acknowledged);
    });

  test("finds an edit far from the end in the background, accepts its acknowledgement, and finds later edits again", async () => {
    await using server = await contextServer();
    for (const path of ["a.md", "b.md", "c.md"]) await server.admin.write(path, "one");
    const edit = (from: string, to: string) => (directory: string) =>
      writeFileSync(fileIn(directory), readFileSync(fileIn(directory), "utf8").replace(from, to));
    await server.restart(edit('"target":"a.md"', '"target":"x.md"'));
    await eventually(() => toldAtStart(server), 1);
    const found = await server.verifyAudit();
    expect(found).toMatchObject({ ok: false, problem: "the line was edited" });
    await server.admin.post("/audit/acknowledge", { up_to: found.breaks[0]!.id });
    const holds = await server.verifyAudit();
    expect(holds).toMatchObject({ ok: true, breaks: [], line: null });
    expect(holds.acknowledged).toBeGreaterThanOrEqual(found.line!);
    await server.restart(edit('"target":"b.md"', '"target":"y.md"'));
    await eventually(() => toldAtStart(server), 2);
    expect(await server.verifyAudit()).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^lines 1 to \d+ were acknowledged and have changed since$/),
    });
  });

  test("the leftovers of a crash are not a break: a file longer than its anchor, and a torn line", async () => {
    await using server = await contextServer({ files: { "a.md": "one" } });
    await server.restart((directory) => {
      const before = linesIn(directory);
      const db = new Database(join(directory, "server.db"));
      const { hash } = JSON.parse(before[1]!) as AuditRecord;
      const bytes = Buffer.byteLength(`${before[0]}\n${before[1]}\n`);
      db.run("UPDATE audit_anchor SET entries = 2, hash = ?, bytes = ?, closed = 0", [hash, bytes]);
      db.close();
      writeFileSync(fileIn(directory), `${before.join("\n")}\n{"seq":99`);
    });
    expect(await server.verifyAudit()).toMatchObject({ ok: true, breaks: [] });
    expect([toldAtStart(server), (await server.audit("action=audit.recovered")).length]).toEqual([0, 1]);
    expect(server.log.filter(({ message }) => String(message).includes("torn last line"))).toHaveLength(1);
  });

  test("only an admin who names the newest break can acknowledge", async () => {
    await using server = await contextServer();
    const lead = await server.user("lead", "space-lead");
    const nothing = "nothing to acknowledge: the audit record is intact";
    await refusal(server.admin.post("/audit/acknowledge", { up_to: 1 }), "conflict", nothing);
    await server.restart((directory) => truncateSync(fileIn(directory), 0));
    const again = server.as(lead.token);
    await refusal(again.raw("POST", "/audit/acknowledge", { body: { up_to: 1 } }), "forbidden");
    await refusal(
      server.admin.raw("POST", "/audit/acknowledge", { body: { up_to: 7 } }),
      "conflict",
      "up_to: the newest break is 1; look at it first (cairn audit verify)",
    );
    expect((await server.verifyAudit()).breaks.length).toBe(1);
  });
});

describe("a line is judged by its bytes", () => {
  const spellings: [string, (line: string) => string][] = [
    ["white space", (line) => line.replace('"action":', '"action": ')],
    ["white space at the end", (line) => `${line} `],
    ["a carriage return", (line) => `${line}\r`],
    ["another escape", (line) => line.replace('"file.write"', '"file.\\u0077rite"')],
    ["an escaped slash", (line) => line.replace("notes/a.md", "notes\\/a.md")],
    ["a doubled key", (line) => line.replace('"space":', '"space":"other","space":')],
    ["another order", (line) => line.replace(/("space":"team"),("target":"[^"]*")/, "$2,$1")],
    ["another order in the actor", (line) => line.replace(/("name":"[^"]*"),("role":"[^"]*")/, "$2,$1")],
    ["another way to write a number", (line) => line.replace('"version":1', '"version":1.0')],
  ];
  test("finds a record in another JSON format at its line", async () => {
    await using server = await contextServer();
    for (const path of ["notes/a.md", "notes/b.md"]) await server.admin.write(path, "one");
    const lines = linesIn(server.directory);
    const index = lines.findIndex((line) => line.includes("notes/a.md"));
    for (const [name, respell] of spellings) {
      const changed = respell(lines[index]!);
      expect([name, changed === lines[index]]).toEqual([name, false]);
      write(server.directory, lines.with(index, changed));
      const { ok, line, entries } = verifyAuditFile(fileIn(server.directory));
      expect([name, ok, line, entries]).toEqual([name, false, index + 1, index]);
      const told = await server.verifyAudit();
      expect([name, told.ok, told.line]).toEqual([name, false, index + 1]);
      write(server.directory, lines);
    }
  });

  test("a line that is not UTF-8 is not a record", async () => {
    await using server = await contextServer();
    await put(server.admin, "\uFFFD.md", "one");
    const bytes = readFileSync(fileIn(server.directory));
    const at = bytes.indexOf("\uFFFD.md");
    writeFileSync(
      fileIn(server.directory),
      Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 3)]),
    );
    expect(verifyAuditFile(fileIn(server.directory))).toMatchObject({
      ok: false,
      problem: "the line is not an audit record",
    });
  });
});
