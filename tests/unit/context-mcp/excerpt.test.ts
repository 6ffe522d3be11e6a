// Goal: a long text can be read in parts of any size, and the parts are the text: nothing is lost, doubled, or cut within a character.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { excerptOf } from "../../../src/context/mcp/excerpt.ts";

const texts = fc
  .array(fc.oneof(fc.constant("\n"), fc.string({ unit: "binary" }), fc.constant("👍🏽")))
  .map((parts) => parts.join(""));

test("the parts add up, whatever their size", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), (whole, limit) => {
      let text = "";
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const part = excerptOf(whole, { offset, limit });
        expect(part.text.isWellFormed()).toBe(true);
        expect(part.lines[0]).toBe(text.split("\n").length);
        expect(part.lines[1]).toBeLessThanOrEqual(part.totalLines);
        // One character of two halves is the only part that may be longer.
        expect(part.text.length).toBeLessThanOrEqual(Math.max(limit, 2));
        if (part.next !== undefined) expect(part.next).toBeGreaterThan(offset);
        text += part.text;
        offset = part.next;
      }
      expect(text).toBe(whole);
    }),
  );
});

test("a line is where a reader would count it", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (whole, line) => {
      const part = excerptOf(whole, { line, limit: 1_000_000 });
      expect(part.text).toBe(
        whole
          .split("\n")
          .slice(line - 1)
          .join("\n"),
      );
    }),
  );
});

test.each([0, 1, 5])("an offset of %d, within a character or beyond the end, is moved to one", (offset) => {
  const { text } = excerptOf("🇿b", { offset });
  expect(text.isWellFormed()).toBe(true);
  expect("🇿b".endsWith(text)).toBe(true);
});

test("an empty text is whole", () => {
  expect(excerptOf("", {})).toEqual({
    text: "",
    lines: [1, 1],
    totalLines: 1,
    totalCharacters: 0,
    next: undefined,
    isWhole: true,
  });
});
