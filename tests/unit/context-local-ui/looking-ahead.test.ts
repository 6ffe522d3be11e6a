// Goal: the files are looked at when someone comes in, and again after a change only for what someone reads; one look at a time, with a rest.

import { expect, test } from "bun:test";
import { LookingAhead } from "../../../src/context/local-ui/looking-ahead.ts";
import type { BrowsedSpace } from "../../../src/context/space/door.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";

function desk() {
  const clock = manualClock();
  const looks: string[] = [];
  const space = {
    graph: async () => void looks.push("graph"),
    freshness: async () => void looks.push("freshness"),
    unrecorded: async () => void looks.push("unrecorded"),
  } as unknown as BrowsedSpace;
  let running: Promise<unknown> = Promise.resolve();
  const ahead = new LookingAhead({
    clock,
    use: async (work) => {
      clock.advance(100);
      return work(space);
    },
    later: (work) => (running = work()),
  });
  const taken = async () => {
    await running;
    return looks.splice(0).toSorted();
  };
  return { clock, ahead, taken };
}

test("everything is looked at once when someone comes in", async () => {
  const { ahead, taken } = desk();
  ahead.entered();
  ahead.entered();
  expect(await taken()).toEqual(["freshness", "graph", "unrecorded"]);
});

test("after a change, what someone reads is looked at again, and nothing else", async () => {
  const { ahead, clock, taken } = desk();
  ahead.changed();
  expect(await taken()).toEqual([]);
  ahead.read("graph");
  ahead.changed();
  expect(await taken()).toEqual(["graph"]);
  // A look of 100 ms is followed by 500 ms of rest.
  clock.advance(499);
  ahead.changed();
  expect(await taken()).toEqual([]);
  clock.advance(1);
  ahead.changed();
  expect(await taken()).toEqual(["graph"]);
  clock.advance(MINUTE_MS);
  ahead.changed();
  expect(await taken()).toEqual([]);
});
