// Goal: a node that is killed while it leads takes nothing with it that was acknowledged, and comes back as one that follows. The same proof as
// `npm run prove`, for two kills.

import { expect, test } from "bun:test";
import { killNodes } from "../prove/kill-nodes.ts";

const KILLS = 2;
const TEST_LIMIT_MS = 120_000;
const SEED = 20_261_126;

test(
  `killed ${KILLS} times while it leads`,
  async () => {
    const { kills, acknowledged, broken } = await killNodes(SEED, (count) => count < KILLS);
    expect(broken).toEqual([]);
    expect(kills).toBe(KILLS);
    expect(acknowledged).toBeGreaterThan(0);
  },
  TEST_LIMIT_MS,
);
