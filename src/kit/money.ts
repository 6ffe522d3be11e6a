// Money as whole billionths of its unit. Sums and comparisons of whole numbers are exact; a binary fraction of a cent is not.

const NANO_PER_UNIT = 1_000_000_000;

/** Billionths of a unit, exact up to 2^50: a million units. */
export type Nano = number;

/** The nearest billionth: exact for an amount with at most nine decimals. */
export function nanoOf(amount: number): Nano {
  return Math.round(amount * NANO_PER_UNIT);
}

/** The amount in units; printed, it has the decimals of the exact amount and no more. */
export function amountOf(nano: Nano): number {
  return nano / NANO_PER_UNIT;
}

/** What `counts` of things cost, each at its price for `per` of them; rounded once, half a billionth up. */
export function costNano(
  items: readonly { readonly count: number; readonly price: number }[],
  per: number,
): Nano {
  let total = 0n;
  for (const { count, price } of items) total += BigInt(count) * BigInt(nanoOf(price));
  const divisor = BigInt(per);
  return Number((total * 2n + divisor) / (divisor * 2n));
}
