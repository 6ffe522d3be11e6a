// Goal: sums of money are exact, and print as the decimals that they are.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { amountOf, costNano, nanoOf } from "../../../src/kit/text/money.ts";

test("adds amounts that binary fractions get wrong", () => {
  expect(0.1 + 0.2).not.toBe(0.3);
  expect(amountOf(nanoOf(0.1) + nanoOf(0.2))).toBe(0.3);
  expect(String(amountOf(Array.from({ length: 10 }, () => nanoOf(0.1)).reduce((a, b) => a + b)))).toBe("1");
});

test("a cost is rounded once, half a billionth up", () => {
  expect(costNano([{ count: 1, price: 0.0375 }], 1_000_000)).toBe(38);
  expect(costNano([{ count: 1, price: 0.0374 }], 1_000_000)).toBe(37);
  expect(
    costNano(
      [
        { count: 3, price: 0.3 },
        { count: 1, price: 15 },
      ],
      1_000_000,
    ),
  ).toBe(15_900);
  expect(costNano([{ count: 0, price: 15 }], 1_000_000)).toBe(0);
});

test("an amount with nine decimals survives", () => {
  const amounts = fc.integer({ min: 0, max: 2 ** 50 });
  fc.assert(fc.property(amounts, (nano) => nanoOf(amountOf(nano)) === nano));
});
