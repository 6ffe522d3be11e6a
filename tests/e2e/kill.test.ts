// Goal: `kill -9` at any point of a turn loses nothing that was sent to a viewer, leaves nothing half done, repeats nothing, and every turn can be
// completed afterwards. The same proof as `npm run prove`, for a fixed number of turns.

import { expect, test } from "bun:test";
import { killTurns } from "../prove/kill-service.ts";
import { protocols } from "../kit/service/world.ts";

// `npm run prove` goes on with other seeds.
const TURNS = 40;
const TEST_LIMIT_MS = 180_000;
const SEED = 20_261_121;

for (const protocol of protocols) {
  test(
    `killed at random points of ${TURNS / 2} turns (${protocol})`,
    async () => {
      const { kills, outcomes, requests, broken } = await killTurns(
        protocol,
        SEED,
        (turns) => turns < TURNS / 2,
      );
      console.log(`${protocol}: ${kills} kills; ${JSON.stringify(outcomes)}; ${requests} requests`);
      expect(broken).toEqual([]);
      expect(kills).toBeGreaterThan(TURNS / 4);
      expect(outcomes.done).toBeGreaterThan(TURNS / 4);
    },
    TEST_LIMIT_MS,
  );
}
