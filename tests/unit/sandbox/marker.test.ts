// Goal: a gear's bytes come through untouched and at once, however they are cut, and only the true marker ends them.

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

/** Bytes that look like markers more often than chance would have it. */
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

test("any output, cut anywhere, then the marker", () => {
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

test("without a marker everything comes out", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), (data, places) => {
      expect(through(cut(data, places))).toEqual({ output: data, codes: [] });
    }),
  );
});

test("what comes after the marker is not the gear's any more", () => {
  expect(through([Buffer.from("out"), marker(0), Buffer.from("late"), marker(3)])).toEqual({
    output: Buffer.from("out"),
    codes: [0],
  });
});

test("nothing that can't be the marker is held back", () => {
  const seen: string[] = [];
  const stream = new MarkedStream(SECRET, (chunk) => void seen.push(Buffer.from(chunk).toString()));
  stream.add(Buffer.from("a\x1eb"));
  stream.add(Buffer.from("c\x1es3"));
  stream.add(Buffer.from("x"));
  expect(seen).toEqual(["a\x1eb", "c", "\x1es3x"]);
});
