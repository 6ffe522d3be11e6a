// Goal: a gear approved to run isolated is shown as stopped when isolation is lost, until an admin approves it again, and an
// approval claims no limit that is not applied.

import type { GearDetail } from "../../src/service/gears/schema.ts";
import type { Sandbox } from "../../src/service/sandbox/sandbox.ts";
import { expect, setDefaultTimeout, test } from "bun:test";
import { shortHash } from "../../web/kit/format.ts";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { approvedGear, isolatedSandbox, makeGear, withPrograms } from "../kit/service/gears.ts";
import { world } from "../kit/service/world.ts";

setDefaultTimeout(90_000);

test.if(hasBrowser && process.platform !== "win32")(
  "reports the lost isolation under Approvals and on the gear, and lets an admin approve it again",
  async () => {
    await using data = await temporaryFolder();
    let gear: GearDetail;
    {
      await using before = await world({ data: data.path, sandbox: isolatedSandbox() });
      gear = await approvedGear(before.admin, { name: "was_isolated" });
    }
    await using after = await world({ data: data.path, environment: withPrograms.environment });
    await using browser = await startBrowser();
    const page = await browser.open(after.url, "/approvals");
    await page.getByText("A gear approved to run isolated has lost its isolation").first().waitFor();
    await page.getByRole("link", { name: "was_isolated" }).last().click();
    await page.getByText("isolation lost").first().waitFor();
    await page.getByText("It does not run until the container runtime is back", { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: `Approve ${shortHash(gear.content_hash)}` }).click();
    await page.getByRole("button", { name: "Approve without isolation" }).click();
    await page.getByText("version 1 approved").waitFor();
    expect(await after.admin.get(`/gears/${gear.id}`)).toMatchObject({
      approval: { isolated: false },
    } as never);
    await page.context().close();
  },
);

test.if(hasBrowser)(
  "claims no limit before an approval that the container daemon does not apply",
  async () => {
    const sandbox: Sandbox = { ...isolatedSandbox(), unenforced: ["memory", "processes"] };
    await using at = await world({ sandbox });
    const { id } = await makeGear(at.admin);
    await using browser = await startBrowser();
    const page = await browser.open(at.url, `/gears/${id}`);
    const meaning = page.getByText("exactly these bytes may run");
    await meaning.waitFor();
    expect(await meaning.textContent()).toContain(
      "in a throwaway container without network, with one processor. The container daemon does not limit their memory and processes.",
    );
    await page.context().close();
  },
);
