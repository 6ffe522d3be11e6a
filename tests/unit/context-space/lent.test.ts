// Goal: a lent space is opened once for all that runs at the same time, given back a moment later, and opened again when it is needed.

import { expect, test } from "bun:test";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { LentSpace } from "../../../src/context/space/lent.ts";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { until } from "../../kit/eventually.ts";

function lender(clock: Clock = systemClock) {
  const events: string[] = [];
  const closing = { wait: Promise.resolve() };
  let failures = 0;
  const lent = new LentSpace(async () => {
    if (failures > 0) {
      failures -= 1;
      throw new Error("no space");
    }
    events.push("open");
    return {
      close: async () => {
        await closing.wait;
        events.push("close");
      },
    } as SpaceDoor;
  }, clock);
  return { lent, events, closing, failNext: () => (failures = 1) };
}

test("is shared by work that overlaps, and closed once nothing needs it", async () => {
  const { lent, events } = lender();
  const gate = Promise.withResolvers<void>();
  const first = lent.use(() => gate.promise);
  await lent.use(async () => events.push("work"));
  gate.resolve();
  await first;
  await lent.use(async () => events.push("more"));
  expect(events).toEqual(["open", "work", "more"]);
  await until(() => events.includes("close"));
  await lent.use(async () => events.push("again"));
  expect(events.slice(-2)).toEqual(["open", "again"]);
  await lent.close();
  expect(events.at(-1)).toBe("close");
});

test("opens only after the last close has ended", async () => {
  const { lent, events, closing } = lender();
  const gate = Promise.withResolvers<void>();
  closing.wait = gate.promise;
  await lent.use(async () => {});
  const closed = lent.close();
  const used = lent.use(async () => events.push("work"));
  expect(events).toEqual(["open"]);
  gate.resolve();
  await Promise.all([closed, used]);
  expect(events).toEqual(["open", "close", "open", "work"]);
  await lent.close();
});

test("raises why a space cannot be opened, and tries again the next time", async () => {
  const { lent, events, failNext } = lender();
  failNext();
  await expect(lent.use(async () => {})).rejects.toThrow("no space");
  await lent.use(async () => {});
  expect(events).toEqual(["open"]);
  await lent.close();
});

test("keeps the space open while work runs, whatever other work raises", async () => {
  const { lent, events } = lender();
  const gate = Promise.withResolvers<void>();
  const running = lent.use(() => gate.promise);
  await expect(lent.use(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(events).toEqual(["open"]);
  gate.resolve();
  await running;
  await lent.close();
});

test("is closed under constant use as well, once the work in progress has ended", async () => {
  const clock = manualClock();
  const { lent, events } = lender(clock);
  const gate = Promise.withResolvers<void>();
  const first = lent.use(() => gate.promise);
  clock.advance(2_001);
  const later = [1, 2].map((one) => lent.use(async () => events.push(`later ${one}`)));
  gate.resolve();
  await Promise.all([first, ...later]);
  expect(events).toEqual(["open", "close", "open", "later 1", "later 2"]);
  await lent.close();
});

test("lets work join for as long as a lease keeps the space open, and is closed after it", async () => {
  const clock = manualClock();
  const { lent, events } = lender(clock);
  const lease = await lent.lend();
  clock.advance(2_001);
  await lent.use(async () => events.push("beside the lease"));
  lease[Symbol.dispose]();
  await lent.use(async () => events.push("after it"));
  expect(events).toEqual(["open", "beside the lease", "close", "open", "after it"]);
  await lent.close();
});
