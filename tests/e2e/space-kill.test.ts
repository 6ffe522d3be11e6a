// Goal: a server killed while spaces are created, changed and deleted keeps each of these changes with exactly one audit record and one event: no
// change without its record, no record without its change. The same proof as `npm run prove`, for a fixed number of kills.

import { expect, test } from "bun:test";
import { killSpaces } from "../prove/kill-spaces.ts";

const KILLS = 10;
const TEST_LIMIT_MS = 120_000;
const SEED = 20_261_125;

test(
  `killed ${KILLS} times while spaces change`,
  async () => {
    const { kills, recovered, broken } = await killSpaces(SEED, (count) => count < KILLS);
    expect(broken).toEqual([]);
    expect(kills).toBe(KILLS);
    // The kills came between a change and its record, too.
    expect(recovered).toBeGreaterThan(0);
  },
  TEST_LIMIT_MS,
);
