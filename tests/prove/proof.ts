// The result of a proof: how much it tried and what failed. `npm run prove` runs each proof for its share of the time and prints one line.

export interface Proof {
  /** One line: how much was tried. */
  readonly tried: string;
  /** One sentence per failure; empty if the proof passed. */
  readonly broken: readonly string[];
}

export interface Share {
  /** No new round begins after this time, in ms of `performance.now()`. */
  readonly until: number;
  /** The seed of all random choices. */
  readonly seed: number;
}

/** The linear congruential generator of Numerical Recipes: the same seed gives the same choices on every machine. Returns integers from 0. */
export function chooser(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
