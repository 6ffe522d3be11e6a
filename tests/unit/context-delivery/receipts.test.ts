// Goal: a receipt is proven against the space, also after later edits, and a difference is named with its row and with what differs.

import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doorSource } from "../../../src/context/delivery/door-source.ts";
import { inject } from "../../../src/context/delivery/inject.ts";
import { parseReceipt, verifyReceipt } from "../../../src/context/delivery/receipts.ts";
import type { Receipt, ReceiptRow } from "../../../src/context/delivery/schema.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { countTexts } from "../../../src/kit/text/token-count.ts";
import { until } from "../../kit/eventually.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { doors, type OpenedDoor, noWait } from "../../kit/context/space-doors.ts";

async function received({ space }: OpenedDoor): Promise<Receipt> {
  const commands = { read: "", search: "" };
  const query = { mode: "entry-set", format: "text", budget: 8_000, commands } as const;
  const made = await inject(doorSource(space, noWait), query, { clock: systemClock, count: countTexts });
  return parseReceipt(JSON.stringify(made.receipt));
}

const verified = ({ space }: OpenedDoor, receipt: Receipt) =>
  verifyReceipt(receipt, doorSource(space, noWait));
const statuses = async (door: OpenedDoor, receipt: Receipt) =>
  (await verified(door, receipt)).rows.map(({ path, status, current }) => `${path} ${status} now ${current}`);

/** The receipt with one row changed. */
function altered(receipt: Receipt, index: number, change: Partial<ReceiptRow>): Receipt {
  return {
    ...receipt,
    documents: receipt.documents.map((row, at) => (at === index ? { ...row, ...change } : row)),
  };
}

for (const [kind, open] of Object.entries(doors))
  test(`${kind}: what was delivered stays proven through edits, deletes, destroyed versions and adoption`, async () => {
    await using door = await open();
    const { space, tree } = door;
    await space.write("context-entry.md", bytes("# Start\n"), null);
    await space.write("identity/a.md", bytes("a\n"), null);
    await space.write("identity/b.md", bytes("b\n"), null);
    await until(() => existsSync(join(tree, "identity", "b.md")));
    writeFileSync(join(tree, "identity", "new.md"), "new\n");
    writeFileSync(join(tree, "identity", "lost.md"), "lost\n");
    const receipt = await received(door);
    const rows = async () => (await statuses(door, receipt)).toSorted();
    expect(await rows()).toEqual([
      "context-entry.md proven now 1",
      "identity/a.md proven now 1",
      "identity/b.md proven now 1",
      "identity/lost.md on_disk now null",
      "identity/new.md on_disk now null",
    ]);
    await space.write("context-entry.md", bytes("# Later\n"), 1);
    await space.remove("identity/a.md", 1);
    await space.write("identity/b.md", bytes("later\n"), 1);
    await space.destroy("identity/b.md", 1);
    writeFileSync(join(tree, "identity", "lost.md"), "another\n");
    await space.adopt();
    writeFileSync(join(tree, "identity", "new.md"), "edited again\n");
    expect(await rows()).toEqual([
      "context-entry.md proven now 2",
      "identity/a.md proven now null",
      "identity/b.md recorded now 2",
      "identity/lost.md differs now 1",
      "identity/new.md adopted now 1",
    ]);
    const found = await verified(door, receipt);
    const hash = sha256Hex("lost\n").slice(0, 12);
    expect([
      found.ok,
      found.problems,
      found.rows.filter(({ ok }) => !ok).map(({ problem }) => problem),
    ]).toEqual([
      false,
      [],
      [`was delivered without a version, and neither a version nor the file has its content (${hash}…) now`],
    ]);
  });

describe("a receipt that was changed", () => {
  test("names the row, and how it differs", async () => {
    await using door = await doors["a folder"]!();
    await door.space.write("context-entry.md", bytes("one\n"), null);
    await door.space.write("context-entry.md", bytes("two\n"), 1);
    await door.space.write("identity/me.md", bytes("me\n"), null);
    const receipt = await received(door);
    const [one, two] = [sha256Hex("one\n"), sha256Hex("two\n")];
    const short = (hash: string) => `${hash.slice(0, 12)}…`;
    const problemOf = async (change: Partial<ReceiptRow>) => {
      const { ok, rows } = await verified(door, altered(receipt, 0, change));
      const failed = rows.filter((row) => !row.ok);
      expect([ok, failed.length]).toEqual([false, 1]);
      return `row ${failed[0]!.row}: ${failed[0]!.status}: ${failed[0]!.problem}`;
    };
    expect(await problemOf({ hash: one })).toBe(
      `row 1: differs: v2 has the hash ${short(two)}, the receipt says ${short(one)}`,
    );
    expect(await problemOf({ version: 1 })).toBe(
      `row 1: differs: v1 has the hash ${short(one)}, the receipt says ${short(two)}`,
    );
    expect(await problemOf({ version: 9 })).toBe("row 1: missing: no v9: the document has versions up to v2");
    expect(await problemOf({ bytes: 5 })).toBe("row 1: differs: v2 has 4 bytes, the receipt says 5");
    expect(await problemOf({ path: "gone.md" })).toBe("row 1: missing: no such document in the space");
    expect(await problemOf({ path: "../../etc/passwd" })).toBe(
      "row 1: missing: no such document in the space",
    );
  });

  test("does not take the word of the history for the content", async () => {
    await using door = await doors["a folder"]!();
    await door.space.write("context-entry.md", bytes("one\n"), null);
    const receipt = await received(door);
    const damaged = {
      ...doorSource(door.space, noWait),
      read: async () => ({ path: "", version: 1, state: "live" as const, bytes: bytes("0ne\n") }),
    };
    const { ok, rows } = await verifyReceipt(receipt, damaged);
    expect([ok, rows[0]!.problem]).toEqual([
      false,
      expect.stringMatching(/^the content of v1 has the hash /),
    ]);
  });

  test("names what is wrong with it as a whole", async () => {
    await using door = await doors["a folder"]!();
    await door.space.write("context-entry.md", bytes("one\n"), null);
    const receipt = await received(door);
    const problems = async (change: Partial<Receipt>) => {
      const found = await verified(door, { ...receipt, ...change });
      expect([found.ok, found.rows.every((row) => row.ok)]).toEqual([false, true]);
      return found.problems;
    };
    const [epoch, seq] = receipt.head.split(".");
    expect(await problems({ space: "other" })).toEqual([
      "the receipt is about the space other, but this is main",
    ]);
    expect(await problems({ space: "other", head: `000000000000.${seq}` })).toEqual([
      "the receipt is about the space other, but this is main",
    ]);
    expect(await problems({ head: `000000000000.${seq}` })).toEqual([
      "the space was restored from a backup since; its history is another one",
    ]);
    expect(await problems({ head: `${epoch}.99` })).toEqual([
      `the receipt is of head ${epoch}.99, but the space is only at ${receipt.head}`,
    ]);
    const [row] = receipt.documents;
    expect(await problems({ tokens: 1 })).toEqual([
      `the rows have ${row!.tokens} tokens, more than the total of 1`,
    ]);
  });
});

test("refuses a file that is no receipt, with the first problem", async () => {
  const row = { path: "a", version: 1, hash: "0".repeat(64), bytes: 1, tokens: 1, as: "text" };
  const fine = {
    receipt: 1,
    space: "main",
    head: "0123456789ab.1",
    created_at: "2026-11-22T00:00:00Z",
    mode: "map",
    format: "text",
    budget: 4_000,
    tokens: 1,
    text_hash: "0".repeat(64),
    documents: [row],
    omitted: [],
    rest: 0,
  };
  expect(parseReceipt(JSON.stringify(fine))).toEqual(fine as Receipt);
  const cases: [string, RegExp][] = [
    ["", /^expected JSON, as cairn context inject --receipt writes it$/],
    ["[]", /^the receipt: expected/],
    ["[".repeat(1_000), /^nested deeper than 64 levels$/],
    [JSON.stringify({ ...fine, receipt: 2 }), /^receipt: expected/],
    [JSON.stringify({ ...fine, extra: 1 }), /^extra: /],
    [JSON.stringify({ ...fine, documents: [{ ...row, hash: "abc" }] }), /^documents\.0\.hash: expected/],
    [JSON.stringify({ ...fine, documents: [{ ...row, version: 0 }] }), /^documents\.0\.version: at least 1$/],
  ];
  for (const [text, message] of cases) await refusal(() => parseReceipt(text), "invalid", message);
});
