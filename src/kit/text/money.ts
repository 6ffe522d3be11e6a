// Money in integer billionths of its unit. Integer sums and comparisons are exact; binary fractions are not.

const NANO_PER_UNIT = 1_000_000_000;

/** Billionths of a unit, exact up to 2^50: a million units. */
export type Nano = number;

/** Rounds to the nearest billionth; exact up to nine decimals. */
export function nanoOf(amount: number): Nano {
  return Math.round(amount * NANO_PER_UNIT);
}

/** Returns the amount in units. It prints with exactly the decimals of the amount. */
export function amountOf(nano: Nano): number {
  return nano / NANO_PER_UNIT;
}

/** Returns the total cost of `counts`, each priced per `per` items. Rounds once, half up. */
export function costNano(
  items: readonly { readonly count: number; readonly price: number }[],
  per: number,
): Nano {
  let total = 0n;
  for (const { count, price } of items) total += BigInt(count) * BigInt(nanoOf(price));
  const divisor = BigInt(per);
  return Number((total * 2n + divisor) / (divisor * 2n));
}
