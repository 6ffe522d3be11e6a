// Time in a page: the processor time of its main thread, which tells a page that freezes from a busy machine, and a clock that runs slowly.

import type { Page } from "playwright-core";

/** Milliseconds of processor that the page's main thread used while `act` ran. */
export async function mainThreadMs(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const seconds = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ThreadTime")!.value;
  };
  const before = await seconds();
  await act();
  const used = (await seconds()) - before;
  await session.detach();
  return used * 1_000;
}

/** A script for a page whose time runs at a fiftieth, so that its limits do not end a wait on a busy machine. */
export const SLOW_CLOCK = `{
  const now = performance.now.bind(performance);
  performance.now = () => now() / 50;
}`;
