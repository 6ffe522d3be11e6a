// Goal: a gear is deleted in the knowledge of who calls it, and nobody loses an edit by it.

import { expect, test } from "bun:test";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { ANY_ARGS, approvedGear, makeGear } from "../kit/service/gears.ts";
import { eventually } from "../kit/eventually.ts";

onScreen(
  "a gear that is deleted",
  () => screen({ model: true }),
  (at) => {
    test("names the callers before deleting; afterwards its address is not found", async () => {
      await makeGear(at.admin, { name: "stays" });
      const gear = await approvedGear(at.admin, { name: "to_delete", args_schema: ANY_ARGS });
      await at.admin.post(`${at.own}/gears`, { gear_id: gear.id });
      await using page = await at.open(`/gears/${gear.id}/review`);
      await page.getByRole("button", { name: "More about this gear" }).click();
      await page.getByRole("menuitem", { name: "Delete gear" }).click();
      const question = page.getByRole("dialog", { name: "Delete to_delete?" });
      await question.getByText("all agents in lab").waitFor();
      await question.getByRole("button", { name: "Delete gear" }).click();
      await page.waitForURL("**/gears");
      await page.getByText("to_delete deleted.").waitFor();
      await page.getByRole("link", { name: "stays" }).waitFor();
      expect(await page.getByRole("link", { name: "to_delete" }).count()).toBe(0);
      await page.goto(`${at.url}/gears/${gear.id}/review`);
      await page.getByRole("heading", { name: "Gear not found" }).waitFor();
      at.browser.expected(/status of 404/);
    });

    test("leaves the page of its review without a decision, and says that it was deleted", async () => {
      const gear = await makeGear(at.admin, { name: "gone_in_review" });
      await using page = await at.open(`/gears/${gear.id}/review`);
      const approve = page.getByRole("button", { name: /^Approve / });
      await approve.waitFor();
      await at.admin.delete(`/gears/${gear.id}`);
      await page.getByRole("heading", { name: "Gear deleted" }).waitFor();
      await page.getByText("gone_in_review was deleted.").waitFor();
      await approve.waitFor({ state: "detached" });
      await page.getByRole("navigation", { name: "Views of the gear" }).waitFor({ state: "detached" });
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "All gears" }).click();
      await page.waitForURL("**/gears");
      at.browser.expected(/status of 404/);
    });

    test("can no longer be decided under Approvals", async () => {
      const gear = await makeGear(at.admin, { name: "gone_in_approvals" });
      await using page = await at.open(`/approvals?item=gear-${gear.id}`);
      const approve = page.getByRole("button", { name: /^Approve / });
      await approve.waitFor();
      await at.admin.delete(`/gears/${gear.id}`);
      await page.getByText("This gear was deleted.").waitFor();
      await approve.waitFor({ state: "detached" });
      at.browser.expected(/status of 404/);
    });

    test("keeps an edit of a gear that was deleted meanwhile, and says why it cannot be saved", async () => {
      const gear = await makeGear(at.admin, { name: "gone_meanwhile" });
      await using page = await at.open(`/gears/${gear.id}/code`);
      await page.getByLabel("Description").fill("typed");
      await at.admin.delete(`/gears/${gear.id}`);
      await page.getByText("gone_meanwhile was deleted.").waitFor();
      await page.getByRole("button", { name: "Save version 2" }).click();
      const problem = page.getByRole("alert").filter({ hasText: `gear ${gear.id}: not found` });
      await problem.getByText("It may have been deleted, or it is not shared with you.").waitFor();
      await eventually(() => page.getByLabel("Description").inputValue(), "typed");
      at.browser.expected(/status of 404/);
    });
  },
);
