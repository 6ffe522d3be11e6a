// Goal: our readers of both protocols agree with the protocol packages, whatever the dialect and wherever the bytes are split.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Protocol } from "../../../src/service/catalog/schema.ts";
import { ours, piecesOf, theirs, type Failed, type Read } from "./oracle.ts";
import { streams } from "./wire.ts";

const PROTOCOLS: readonly Protocol[] = ["anthropic", "openai-compatible"];
const RUNS = 300;

/** An answer without usable content counts as a failure for both readers. */
function usable(read: Read | Failed): Read | "empty" {
  if ("failed" in read) return "empty";
  const isCut = read.finish === "length" || read.finish === "filtered";
  return read.text.trim() === "" && (isCut || read.calls.length === 0) ? "empty" : read;
}

describe.each(PROTOCOLS)("%s", (protocol) => {
  test("agrees on generated streams, split anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(streams(protocol), async ({ body, cuts }) => {
        const pieces = piecesOf(body, cuts);
        expect(usable(await ours(protocol, pieces))).toEqual(usable(await theirs(protocol, pieces)));
      }),
      { numRuns: RUNS },
    );
  });

  test("agrees on a stream split at every byte", async () => {
    const { body } = fc.sample(streams(protocol), { numRuns: 1, seed: 7 })[0]!;
    const whole = await ours(protocol, piecesOf(body));
    const { length } = new TextEncoder().encode(body);
    for (let cut = 1; cut < length; cut++) expect(await ours(protocol, piecesOf(body, [cut]))).toEqual(whole);
    const bytes = Array.from({ length }, (_, cut) => cut);
    expect(await ours(protocol, piecesOf(body, bytes))).toEqual(whole);
    expect(usable(whole)).toEqual(usable(await theirs(protocol, piecesOf(body, bytes))));
  });
});
