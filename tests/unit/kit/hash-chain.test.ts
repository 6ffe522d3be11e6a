// Goal: a record that does not follow the one before it is told apart by what does not hold, whatever was changed.

import { expect, test } from "bun:test";
import { canonicalJson } from "../../../src/kit/crypto.ts";
import {
  chainFault,
  chainHash,
  CHAIN_START,
  EMPTY_CHAIN,
  type ChainEnd,
} from "../../../src/kit/secrets/hash-chain.ts";

const textOf = (record: object) => canonicalJson(record);

function follow(end: ChainEnd, what: string) {
  const body = { seq: end.seq + 1, what, prev: end.hash };
  return { ...body, hash: chainHash(textOf(body)) };
}

function faultOf(end: ChainEnd, { hash, ...body }: ReturnType<typeof follow>) {
  return chainFault(end, { seq: body.seq, prev: body.prev, hash }, () => textOf(body));
}

test("records that were appended follow each other", () => {
  const first = follow(EMPTY_CHAIN, "one");
  const second = follow(first, "two");
  expect(first.prev).toBe(CHAIN_START);
  expect([faultOf(EMPTY_CHAIN, first), faultOf(first, second)]).toEqual([undefined, undefined]);
});

test("a removed, a moved, an edited and a forged one do not", () => {
  const first = follow(EMPTY_CHAIN, "one");
  const second = follow(first, "two");
  expect(faultOf(EMPTY_CHAIN, second)).toBe("seq");
  expect(faultOf(second, first)).toBe("seq");
  expect(faultOf({ ...first, hash: CHAIN_START }, second)).toBe("prev");
  expect(faultOf(first, { ...second, what: "three" })).toBe("hash");
  expect(faultOf(first, { ...second, hash: first.hash })).toBe("hash");
});
