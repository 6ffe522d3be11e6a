// Goal: a person ends a run of a gear from its page or from the list of runs, and what it printed stays; a queued run is shown as one and can be
// taken back.

import { expect, setDefaultTimeout, test } from "bun:test";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { heldSandbox, makeGear, withPrograms } from "../kit/service/gears.ts";
import { world } from "../kit/service/world.ts";
import { GEAR_RUNS_AT_ONCE_MAX } from "../../src/service/gears/schema.ts";

setDefaultTimeout(90_000);

test.if(hasBrowser && process.platform !== "win32")(
  "stops a run, from its page or from the list of runs, and keeps what it printed",
  async () => {
    await using at = await world(withPrograms);
    await using browser = await startBrowser();
    const gear = await makeGear(at.admin, { name: "endless", code: "echo begun; sleep 300\n" });
    const page = await browser.open(at.url, `/gears/${gear.id}/review`);
    const stop = page.getByRole("button", { name: "Stop" });
    const output = page.getByRole("region", { name: "Output" });
    const dryRun = async () => {
      await page.getByRole("button", { name: "Dry run" }).click();
      await output.getByText("begun").waitFor();
    };
    await dryRun();
    expect(await accessibilityProblems(page)).toEqual([]);
    await stop.click();
    await page.getByText(/^cancelled · /).waitFor();
    await stop.waitFor({ state: "detached" });
    await dryRun();
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("row").filter({ hasText: "running" }).click();
    await stop.click();
    await stop.waitFor({ state: "detached" });
    await output.getByText("begun").waitFor();
    await eventually(() => page.getByRole("row").filter({ hasText: "cancelled" }).count(), 2);
    await page.context().close();
  },
);

test.if(hasBrowser)("shows that a run is queued, and Stop takes it back", async () => {
  const { sandbox, open, full } = heldSandbox();
  await using at = await world({ sandbox });
  await using browser = await startBrowser();
  const gear = await makeGear(at.admin);
  const before = Array.from({ length: GEAR_RUNS_AT_ONCE_MAX }, () =>
    at.admin.post(`/gears/${gear.id}/run?dry=1`),
  );
  await full();
  const page = await browser.open(at.url, `/gears/${gear.id}/review`);
  const dryRun = page.getByRole("button", { name: "Dry run" });
  const queued = page.getByText(`queued: ${GEAR_RUNS_AT_ONCE_MAX} gears are running`);
  const stop = page.getByRole("button", { name: "Stop" });
  await dryRun.click();
  await queued.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await stop.click();
  await queued.waitFor({ state: "detached" });
  await stop.waitFor({ state: "detached" });
  expect(await page.getByRole("alert").count()).toBe(0);
  await dryRun.click();
  await queued.waitFor();
  open();
  await page.getByText(/^exit 0 · /).waitFor();
  await Promise.all(before);
  expect(sandbox.requests).toHaveLength(GEAR_RUNS_AT_ONCE_MAX + 1);
  await page.context().close();
});
