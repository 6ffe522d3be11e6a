// Goal: an entry is read as it was written or not at all, and changes that wait together are worth the same as one after another.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeEntry, encodeEntry, type Entry, type Part } from "../../../src/kit/replication/entry.ts";
import { Outbox } from "../../../src/kit/replication/outbox.ts";
import { applyEntries } from "../../../src/kit/replication/replica-files.ts";
import { temporaryFolder, pictureOf } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";

const PAGE = 512;

const page = (value: number) => Buffer.alloc(PAGE, value);
const pages = (file: string, size: number, contents: Record<number, number>): Part => ({
  kind: "pages",
  file,
  pageSize: PAGE,
  size,
  pages: new Map(Object.entries(contents).map(([number, value]) => [Number(number), page(value)])),
});
const append = (file: string, at: number, text: string): Part => ({
  kind: "append",
  file,
  at,
  content: Buffer.from(text),
});
const remove = (file: string): Part => ({ kind: "remove", file });

const ENTRY: Entry = {
  seq: 7,
  kind: "changes",
  node: "a",
  previous: "hash",
  parts: [pages("a/x.db", 3, { 3: 3, 1: 1 }), append("b.jsonl", 10, "text"), remove("c"), append("d", 0, "")],
};

/** The head of an entry as JSON, with its content after it. */
function packed(head: unknown, content: Uint8Array = Buffer.alloc(0)): Promise<Uint8Array> {
  const text = Buffer.from(typeof head === "string" ? head : JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Bun.zstdCompress(Buffer.concat([length, text, content]));
}

const HEAD = { format: 1, seq: 7, kind: "changes", node: "a", previous: "", parts: [] as unknown[] };

test("an entry is what was written", async () => {
  const read = await decodeEntry(await encodeEntry(ENTRY), 7);
  const shown = ({ parts, ...rest }: Entry) => ({
    ...rest,
    parts: parts.map((part) =>
      part.kind === "pages"
        ? {
            ...part,
            pages: [...part.pages].map(([number, bytes]) => [number, Buffer.from(bytes).toString("hex")]),
          }
        : part.kind === "append"
          ? { ...part, content: Buffer.from(part.content).toString() }
          : part,
    ),
  });
  expect(shown(read)).toEqual(shown(ENTRY));
});

test("an entry that is damaged, cut, longer than it says, or of another number is none", async () => {
  const whole = await encodeEntry(ENTRY);
  const part = { kind: "append", file: "a", at: 0, bytes: 4 };
  const damaged = [
    new Uint8Array(),
    Buffer.from("no entry"),
    whole.subarray(0, whole.length - 5),
    await Bun.zstdCompress(""),
    await Bun.zstdCompress("abc"),
    await packed("no JSON"),
    await packed("null"),
    await packed({ ...HEAD, seq: 8 }),
    await packed({ ...HEAD, kind: "other" }),
    await packed({ ...HEAD, more: 1 }),
    await packed({ ...HEAD, format: 0 }),
    await packed({ ...HEAD, parts: [part] }, Buffer.from("abc")),
    await packed({ ...HEAD, parts: [part] }, Buffer.from("abcde")),
    await packed({ ...HEAD, parts: [{ ...part, at: -1 }] }, Buffer.from("abcd")),
    await packed({ ...HEAD, parts: [{ kind: "pages", file: "a", page_size: 511, size: 1, numbers: [] }] }),
    await packed(
      { ...HEAD, parts: [{ kind: "pages", file: "a", page_size: 512, size: 1, numbers: [0] }] },
      page(1),
    ),
  ];
  for (const bytes of damaged)
    await refusal(decodeEntry(bytes, 7), "invalid", "entry 7 of the replication log is damaged", {
      reason: "damaged",
    });
  await refusal(decodeEntry(whole, 8), "invalid", "entry 8 of the replication log is damaged", {
    reason: "damaged",
  });
});

test("an entry that unpacks to far more than it is worth is none, and is not unpacked to its end", async () => {
  const bytesMax = 2 * 1024 * 1024;
  const bomb = await packed(HEAD, Buffer.alloc(16 * bytesMax));
  expect(bomb.length).toBeLessThan(bytesMax / 100);
  const message = `entry 7 of the replication log unpacks to more than ${bytesMax} bytes, more than nodes write; check who else writes into the bucket`;
  await refusal(decodeEntry(bomb, 7, bytesMax), "invalid", message, { reason: "damaged" });
});

test("an entry with a path that leads out of the directory is none", async () => {
  for (const file of [
    "..",
    "../a",
    "a/../../b",
    "/a",
    "a//b",
    "a/",
    ".",
    "a/./b",
    "a\\..\\b",
    "C:/a",
    "a\0",
    "",
  ])
    await expect(
      decodeEntry(await packed({ ...HEAD, parts: [{ kind: "remove", file }] }), 7),
    ).rejects.toThrow("damaged");
});

test("an entry of a newer version says that this node must be updated", async () => {
  const message =
    "entry 7 of the replication log has format 2, from a newer version; this version reads format 1, so update this node first";
  await refusal(decodeEntry(await packed({ ...HEAD, format: 2, more: 1 }), 7), "refused", message);
});

test("changes of a page are merged, a file that is removed is forgotten, and made again it is new", () => {
  const outbox = new Outbox();
  outbox.add(pages("s/x.db", 3, { 1: 1, 3: 3 }));
  outbox.add(append("a", 0, "one"));
  outbox.add(pages("s/x.db", 2, { 1: 9, 2: 2 }));
  outbox.add(append("a", 3, "two"));
  expect(outbox.bytes).toBe(3 * PAGE + 6);
  outbox.add(remove("s"));
  outbox.add(pages("s/x.db", 1, { 1: 7 }));
  outbox.add(pages("sx/x.db", 1, { 1: 8 }));
  // Another place than the end: after the file was cut.
  outbox.add(append("a", 4, "three"));
  expect(outbox.take().map(textOf)).toEqual([
    "a 0 onetwo",
    "- s",
    "s/x.db 1: 1=7",
    "sx/x.db 1: 1=8",
    "a 4 three",
  ]);
  expect(outbox.isEmpty).toBe(true);
  expect(outbox.bytes).toBe(0);
});

test("parts that were taken do not change when more is added", () => {
  const outbox = new Outbox();
  outbox.add(pages("x", 1, { 1: 1 }));
  const taken = outbox.take();
  outbox.add(pages("x", 2, { 2: 2 }));
  expect(taken.map(textOf)).toEqual(["x 1: 1=1"]);
});

function textOf(part: Part): string {
  switch (part.kind) {
    case "pages":
      return `${part.file} ${part.size}: ${[...part.pages].map(([number, bytes]) => `${number}=${bytes[0]}`).join(" ")}`;
    case "append":
      return `${part.file} ${part.at} ${Buffer.from(part.content).toString()}`;
    case "remove":
      return `- ${part.file}`;
  }
}

/** Repeatable: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
}

test("applied together, one by one, or again from the middle, entries make the same files", async () => {
  const random = randomOf(7);
  const files = ["s/a/x.db", "s/b/x.db", "s/a/y.db"];
  const sizes = new Map<string, number>();
  let end = 0;
  const parts = Array.from({ length: 300 }, (): Part => {
    const file = files[random(3)]!;
    switch (random(8)) {
      case 0: {
        const place = ["s/a", "s/b", "s/a/y.db"][random(3)]!;
        for (const known of files) if (known.startsWith(place)) sizes.delete(known);
        return remove(place);
      }
      case 1:
      case 2: {
        const text = "x".repeat(random(50));
        const at = end;
        end += text.length;
        return append("log", at, text);
      }
      default: {
        const before = sizes.get(file) ?? 0;
        const size = Math.max(1, before + random(4) - 1);
        sizes.set(file, size);
        const grown = Array.from({ length: Math.max(0, size - before) }, (_, index) => before + 1 + index);
        return pages(
          file,
          size,
          Object.fromEntries([...grown, 1 + random(size)].map((number) => [number, random(256)])),
        );
      }
    }
  });
  const entries = parts.map((part, index): Entry => ({ ...ENTRY, seq: index + 1, parts: [part] }));
  const shown = async (apply: (directory: string) => Promise<void>) => {
    await using folder = await temporaryFolder();
    await apply(folder.path);
    return pictureOf(folder.path).map((line) => line.replace(/ \d+ [\d.]+ [\d.]+ /, " "));
  };
  const together = await shown((directory) => applyEntries(directory, entries));
  const single = await shown(async (directory) => {
    for (const entry of entries) await applyEntries(directory, [entry]);
  });
  const again = await shown(async (directory) => {
    await applyEntries(directory, entries.slice(0, 250));
    await applyEntries(directory, entries.slice(120));
  });
  expect(single).toEqual(together);
  expect(again).toEqual(together);
});

test("files are private, folders are made, and a folder is removed with everything in it", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(join(folder.path, "s/old/deep"), { recursive: true });
  writeFileSync(join(folder.path, "s/old/deep/file"), "");
  await applyEntries(folder.path, [
    { ...ENTRY, parts: [remove("s/old"), remove("s/none"), append("s/new/a", 0, "a")] },
  ]);
  expect(existsSync(join(folder.path, "s/old"))).toBe(false);
  expect(readFileSync(join(folder.path, "s/new/a"), "utf8")).toBe("a");
});
