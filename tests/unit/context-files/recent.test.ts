// Goal: recently read or written contents are decompressed once, and the cache is bounded, however small they are.

import { expect, test } from "bun:test";
import { RecentContents } from "../../../src/context/versioned-store/sqlite/content-cache.ts";

const never = () => {
  throw new Error("it is known");
};

test("decompresses a read content once and a written content never", () => {
  const recent = new RecentContents();
  const content = Uint8Array.of(1, 2, 3);
  let unpacked = 0;
  for (let count = 0; count < 3; count++)
    expect(
      recent.get("read", () => {
        unpacked += 1;
        return content;
      }),
    ).toBe(content);
  recent.add("written", content);
  expect([unpacked, recent.get("written", never)]).toEqual([1, content]);
  recent.forget("written");
  expect(recent.get("written", () => Uint8Array.of(4))).toEqual(Uint8Array.of(4));
});

test("caches no large content, no view of a large buffer, and a bounded number of small contents", () => {
  const recent = new RecentContents();
  const isKept = (hash: string) => {
    let kept = true;
    recent.get(hash, () => {
      kept = false;
      return new Uint8Array(1024 * 1024);
    });
    return kept;
  };
  recent.add("large", new Uint8Array(65 * 1024));
  recent.add("part", new Uint8Array(1024 * 1024).subarray(0, 10));
  for (let count = 0; count < 20_000; count++) recent.add(`${count}`, Uint8Array.of(count));
  const kept = Array.from({ length: 20_000 }, (_, count) => `${count}`).filter(isKept);
  expect([isKept("large"), isKept("part"), kept.at(-1)]).toEqual([false, false, "19999"]);
  expect(kept.length).toBeLessThan((4 * 1024 * 1024) / 256);
});
