// Goal: a service killed while people save files keeps each content that a file has with exactly one audit record and one event, and loses no
// acknowledged save. The same proof as `npm run prove`, for a fixed number of kills.

import { expect, test } from "bun:test";
import { killSaves } from "../prove/kill-saves.ts";

const KILLS = 12;
const TEST_LIMIT_MS = 180_000;
const SEED = 20_261_125;

test(
  `killed ${KILLS} times while files are saved`,
  async () => {
    const { kills, recovered, broken } = await killSaves(SEED, (count) => count < KILLS);
    expect(broken).toEqual([]);
    expect(kills).toBe(KILLS);
    // The kills came between a file and its record, too.
    expect(recovered).toBeGreaterThan(0);
  },
  TEST_LIMIT_MS,
);
