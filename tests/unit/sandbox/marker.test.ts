// Goal: a gear's bytes pass unchanged and without delay, however they are split, and only the real marker ends them.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { MarkedStream } from "../../../src/service/sandbox/marker.ts";

const SECRET = "s3cret";
const marker = (code: number) => Buffer.from(`\x1e${SECRET}:${code}\n`);

function through(pieces: readonly Uint8Array[]): { output: Buffer; codes: number[] } {
  const output: Buffer[] = [];
  const stream = new MarkedStream(SECRET, (chunk) => void output.push(Buffer.from(chunk)));
  const codes = pieces.map((piece) => stream.add(piece)).filter((code) => code !== undefined);
  stream.flush();
  return { output: Buffer.concat(output), codes };
}

/** Generates bytes that often look like markers. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom("\x1e", `\x1e${SECRET}`, "\x1es3", SECRET, ":0\n").map((text) => Buffer.from(text)),
    ),
  )
  .map((parts) => Buffer.concat(parts))
  .filter((all) => !all.includes(`\x1e${SECRET}:`));

function cut(data: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (data.length + 1)).sort((a, b) => a - b), data.length];
  return at.slice(1).map((end, index) => data.subarray(at[index], end));
}

test("passes any output, split anywhere, up to the marker", () => {
  fc.assert(
    fc.property(
      bytes,
      fc.integer({ min: 0, max: 255 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (data, code, places) => {
        expect(through(cut(Buffer.concat([data, marker(code)]), places))).toEqual({
          output: data,
          codes: [code],
        });
      },
    ),
  );
});

test("passes everything without a marker", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), (data, places) => {
      expect(through(cut(data, places))).toEqual({ output: data, codes: [] });
    }),
  );
});

test("drops bytes after the marker", () => {
  expect(through([Buffer.from("out"), marker(0), Buffer.from("late"), marker(3)])).toEqual({
    output: Buffer.from("out"),
    codes: [0],
  });
});

test("holds back only a possible marker", () => {
  const seen: string[] = [];
  const stream = new MarkedStream(SECRET, (chunk) => void seen.push(Buffer.from(chunk).toString()));
  stream.add(Buffer.from("a\x1eb"));
  stream.add(Buffer.from("c\x1es3"));
  stream.add(Buffer.from("x"));
  expect(seen).toEqual(["a\x1eb", "c", "\x1es3x"]);
});
