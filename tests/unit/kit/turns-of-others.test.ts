// Goal: however many pieces of long work run at once, together they block the event loop no longer than one of them.

import { expect, test } from "bun:test";
import { ownTurn, Stretch, turnOfOthers } from "../../../src/kit/clock.ts";

const AT_ONCE = 8;
const STEPS = 6;
/** Two or three of these steps are a stretch; on a busy machine, one. */
const STEP_MS = 2;

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** Counts the steps in each turn of the event loop while `work` runs. */
async function stepsPerTurn(work: (step: () => void) => Promise<unknown>): Promise<number[]> {
  const turns = [0];
  let isOver = false;
  const next = () => {
    turns.push(0);
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await work(() => {
    turns[turns.length - 1]! += 1;
    busy(STEP_MS);
  });
  isOver = true;
  return turns;
}

const many = (one: () => Promise<void>) => Promise.all(Array.from({ length: AT_ONCE }, one));

test("shares a stretch among all work that yields", async () => {
  const turns = await stepsPerTurn((step) =>
    many(async () => {
      const stretch = new Stretch();
      for (let count = 0; count < STEPS; count += 1) {
        step();
        if (stretch.isOver()) await turnOfOthers();
      }
    }),
  );
  expect(turns.reduce((sum, steps) => sum + steps, 0)).toBe(AT_ONCE * STEPS);
  // At the beginning, each one takes a step to find that the stretch is over.
  const [, ...later] = turns;
  expect(Math.max(...later)).toBeLessThan(AT_ONCE / 2);
});

test("lets those who ask for a turn at the same time run one after another", async () => {
  const turns = await stepsPerTurn((step) =>
    many(async () => {
      await ownTurn();
      step();
    }),
  );
  expect(turns.reduce((sum, steps) => sum + steps, 0)).toBe(AT_ONCE);
  expect(Math.max(...turns)).toBeLessThan(AT_ONCE / 2);
});

test("resumes what yielded while other work takes each stretch", async () => {
  let isOver = false;
  const greedy = () => {
    const stretch = new Stretch();
    while (!stretch.isOver()) busy(STEP_MS);
    if (!isOver) setImmediate(greedy);
  };
  greedy();
  for (let count = 0; count < STEPS; count += 1) await turnOfOthers();
  isOver = true;
});
