// Goal: a running server whose audit file is moved or replaced writes its records where people read them, says so once, and loses none.

import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditRecord } from "../../src/context/audit/schema.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";

const fileIn = (directory: string) => join(directory, "audit", "audit.jsonl");
const linesIn = (directory: string) => readFileSync(fileIn(directory), "utf8").split("\n").slice(0, -1);

describe("a file that is replaced under a running server", () => {
  const REPLACED = "the audit file was replaced or moved; records continue in the file of its name";
  const wasTold = (server: ContextServer) => server.log.filter(({ message }) => message === REPLACED).length;
  const paths = (directory: string) =>
    linesIn(directory).map((line) => (JSON.parse(line) as AuditRecord).target);

  test("by a copy: the records go on in the copy, and the chain holds", async () => {
    await using server = await contextServer();
    const file = fileIn(server.directory);
    await server.admin.write("a.md", "a");
    await eventually(() => paths(server.directory).at(-1), "a.md");
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    await server.admin.write("b.md", "b");
    await eventually(() => paths(server.directory).at(-1), "b.md");
    expect(wasTold(server)).toBe(1);
    expect(await server.verifyAudit()).toMatchObject({ ok: true });
  });

  test("by nothing, or by an edited file without its last line break: no record is lost, and verification says what is missing", async () => {
    await using server = await contextServer();
    const file = fileIn(server.directory);
    await server.admin.write("a.md", "a");
    await eventually(() => paths(server.directory).at(-1), "a.md");
    const before = linesIn(server.directory);
    renameSync(file, `${file}.1`);
    await server.admin.write("b.md", "b");
    await eventually(() => existsSync(file) && paths(server.directory).at(-1), "b.md");
    expect(await server.verifyAudit()).toMatchObject({ ok: false });
    const after = linesIn(server.directory);
    writeFileSync(`${file}.new`, [...before, ...after].join("\n"));
    renameSync(`${file}.new`, file);
    await server.admin.write("c.md", "c");
    await eventually(() => paths(server.directory).at(-1), "c.md");
    expect(wasTold(server)).toBeGreaterThan(0);
    expect(paths(server.directory).slice(before.length)).toContain("b.md");
  });

  test.skipIf(process.platform !== "linux")(
    "with the whole data directory: the records go with it, and no new directory takes its place",
    async () => {
      await using server = await contextServer();
      await server.admin.write("a.md", "a");
      await eventually(() => paths(server.directory).at(-1), "a.md");
      const moved = `${server.directory}-moved`;
      renameSync(server.directory, moved);
      await server.admin.write("b.md", "b");
      await eventually(() => paths(moved).at(-1), "b.md");
      expect(existsSync(server.directory)).toBe(false);
      renameSync(moved, server.directory);
      await server.admin.write("c.md", "c");
      await eventually(() => paths(server.directory).at(-1), "c.md");
      expect(wasTold(server)).toBe(0);
      expect(await server.verifyAudit()).toMatchObject({ ok: true });
    },
  );
});
