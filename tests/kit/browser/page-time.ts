// Processor time of a page's main thread. It tells a page that freezes from a busy machine, which time of the clock does not.

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
