// Goal: whoever edits a provider, a person, a team or a part of a workspace that someone else deletes keeps what they typed, and is told.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually, until } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { KEY } from "../kit/service/world.ts";

const side = (page: Page) => page.getByRole("complementary", { name: "Details" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

onScreen(
  "a pane",
  () => screen({ model: true }),
  (at) => {
    /** The person comes back to the tab, and what is old enough is read again. */
    const noticed = async (page: Page, name: string) => {
      const notice = side(page)
        .getByRole("alert")
        .filter({ hasText: `${name} was deleted.` });
      await until(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return notice.isVisible();
      });
    };
    const leavesWithQuestion = async (page: Page) => {
      await page.getByRole("link", { name: "Audit" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
      await page.waitForURL("**/audit");
    };
    const isDisabled = (page: Page, name: string) =>
      eventually(() => side(page).getByRole("button", { name, exact: true }).isDisabled(), true);

    test("of a provider keeps its address and key", async () => {
      const { id } = await at.admin.post("/providers", {
        name: "Doomed",
        type: "openai-compatible",
        base_url: at.model.openaiUrl,
        api_key: KEY,
      });
      await using page = await at.open(`/models?open=provider-${id}`);
      const address = side(page).getByRole("textbox", { name: "Address", exact: true });
      await address.fill("https://models.example/v1");
      const key = side(page).getByLabel("New key", { exact: true });
      await key.fill("secret");
      await at.admin.delete(`/providers/${id}`);
      await noticed(page, "Doomed");
      await eventually(() => address.inputValue(), "https://models.example/v1");
      await eventually(() => key.inputValue(), "secret");
      for (const name of ["Save", "Replace key", "Test"]) await isDisabled(page, name);
      expect(
        await side(page)
          .getByRole("button", { name: /^Delete/ })
          .count(),
      ).toBe(0);
      expect(await problemsInBothThemes(page)).toEqual([]);
      await leavesWithQuestion(page);
    });

    test("of a person keeps the new name and role", async () => {
      const { user } = await at.admin.post("/users", { name: "Doomed", role: "member" });
      await using page = await at.open(`/people?show=person-${user.id}`);
      await side(page).getByRole("button", { name: "Rename" }).click();
      const name = side(page).getByRole("textbox", { name: "Name" });
      await name.fill("Ada");
      const role = side(page).getByLabel("Role");
      await role.selectOption("Team lead");
      await at.admin.delete(`/users/${user.id}`);
      await noticed(page, "Doomed");
      await eventually(() => name.inputValue(), "Ada");
      await eventually(() => role.inputValue(), "team-lead");
      for (const action of ["Save", "Rename"]) await isDisabled(page, action);
      expect(
        await side(page)
          .getByRole("button", { name: /^Delete|token|Revoke/ })
          .count(),
      ).toBe(0);
      expect(await problemsInBothThemes(page)).toEqual([]);
      await leavesWithQuestion(page);
    });

    test("of a team keeps the new name", async () => {
      const { id } = await at.admin.post("/teams", { name: "Doomed" });
      await using page = await at.open(`/people?show=team-${id}`);
      await side(page).getByRole("button", { name: "Rename" }).click();
      const name = side(page).getByRole("textbox", { name: "Name" });
      await name.fill("Crew");
      await at.admin.delete(`/teams/${id}`);
      await noticed(page, "Doomed");
      await eventually(() => name.inputValue(), "Crew");
      await isDisabled(page, "Rename");
      expect(
        await side(page)
          .getByRole("button", { name: /^Delete|^Add/ })
          .count(),
      ).toBe(0);
      await leavesWithQuestion(page);
    });

    test("that nobody typed into says that it was deleted, and closes", async () => {
      const { id } = await at.admin.post("/teams", { name: "Idle" });
      await using page = await at.open(`/people?show=team-${id}`);
      await side(page).getByRole("button", { name: "Rename" }).waitFor();
      await at.admin.delete(`/teams/${id}`);
      await noticed(page, "Idle");
      await side(page).getByRole("button", { name: "Close" }).click();
      await side(page).waitFor({ state: "detached" });
    });

    const region = (page: Page, name: string) =>
      page.getByRole("region", { name, exact: true }).textContent();

    test("of a workspace leaves the role, the name and the limits of an agent to copy", async () => {
      const doomed = await at.place("doomed", { workers: ["scout"] });
      await using page = await at.open(`${doomed.own}?inspect=agent-${doomed.agents["scout"]}`);
      await button(page, "Rename").click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("chief");
      await page.getByRole("button", { name: /^(Add|Edit) role$/ }).click();
      await page.getByRole("textbox", { name: /^Role/ }).fill("You lead\nthe team.");
      await page.getByRole("button", { name: /^(Set|Edit) limits$/ }).click();
      await page.getByRole("textbox", { name: "Tokens per day" }).fill("5000");
      await page.getByRole("textbox", { name: "Dollars per turn" }).fill("0.50");
      await at.admin.delete(doomed.own);
      await page.getByRole("heading", { name: "Workspace not found" }).waitFor();
      await eventually(() => region(page, "Name of scout"), "chief");
      await eventually(() => region(page, "Role of scout"), "You lead\nthe team.");
      await eventually(() => region(page, "Limits of scout"), "Tokens per day: 5000\nDollars per turn: 0.50");
      await button(page, "Copy Role of scout").waitFor();
      at.browser.expected(/status of 404/);
    });

    test("of a workspace leaves its own limits to copy", async () => {
      const doomed = await at.place("finite");
      await using page = await at.open(doomed.own);
      await page.locator(".workspace-meter").click();
      await page.getByRole("button", { name: "Set limits" }).click();
      await page.getByRole("textbox", { name: "Tokens per turn" }).fill("700");
      await at.admin.delete(doomed.own);
      await page.getByRole("heading", { name: "Workspace not found" }).waitFor();
      await eventually(() => region(page, "Limits of the workspace"), "Tokens per turn: 700");
      at.browser.expected(/status of 404/);
    });
  },
);
