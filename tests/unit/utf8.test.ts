// Goal: bytes become text without loss or not at all, and a cut never breaks a character.

import { expect, test } from "bun:test";
import { assert, nat, property, string } from "fast-check";
import { brokenStart, decodeUtf8, wholeCharacters } from "../../src/kit/text/utf8.ts";

const encode = (text: string) => new TextEncoder().encode(text);

test("bytes that are not UTF-8 are undefined; a byte order mark stays", () => {
  expect(decodeUtf8(new Uint8Array([0xff]))).toBeUndefined();
  expect(decodeUtf8(new Uint8Array([0xed, 0xa0, 0x80]))).toBeUndefined();
  expect(decodeUtf8(encode("\ufeffa"))).toBe("\ufeffa");
});

test("cut anywhere into two, the whole characters of both parts and the broken one between are all of it", () => {
  assert(
    property(string({ unit: "binary", maxLength: 12 }), nat(60), (text, at) => {
      const bytes = encode(text);
      const cut = Math.min(at, bytes.length);
      const [head, tail] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const kept = wholeCharacters(head);
      const skipped = brokenStart(tail);
      const first = decodeUtf8(head.subarray(0, kept));
      const rest = decodeUtf8(tail.subarray(skipped));
      expect(first).toBeDefined();
      expect(rest).toBeDefined();
      const between = decodeUtf8(bytes.subarray(kept, cut + skipped));
      expect([...(between ?? "xx")].length).toBeLessThanOrEqual(1);
      expect(first! + between! + rest!).toBe(text);
    }),
    { numRuns: 500 },
  );
});
