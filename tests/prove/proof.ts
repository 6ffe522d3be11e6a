// What a proof reports: how much it tried and what did not hold. `npm run prove` runs each for its share of the time and prints one line.

export interface Proof {
  /** One line: how much was tried. */
  readonly tried: string;
  /** What did not hold, a sentence each; empty when everything did. */
  readonly broken: readonly string[];
}

export interface Share {
  /** Of `performance.now()`, ms: no new round begins after it. */
  readonly until: number;
  /** Of everything that is chosen at random. */
  readonly seed: number;
}

/** Numerical Recipes' linear congruential generator: the same choices for the same seed, on every machine. Returns integers from 0. */
export function chooser(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
