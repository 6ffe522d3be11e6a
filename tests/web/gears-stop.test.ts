// Goal: a person ends a run of a gear from its page or from the list of runs, and what it printed stays.

import { expect, setDefaultTimeout, test } from "bun:test";
import { accessibilityProblems } from "../kit/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { makeGear, withPrograms } from "../kit/gears.ts";
import { world } from "../kit/world.ts";

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
