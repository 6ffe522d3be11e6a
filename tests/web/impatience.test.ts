// Goal: an impatient person breaks nothing: a second click while the server works sends nothing, the button says that it works, and Back
// leaves no question behind.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { approvedGear } from "../kit/service/gears.ts";
import { eventually } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen({ model: "silent", people: { ada: "member" } });

onScreen("an impatient person", made, (at) => {
  /** Holds what would change something until it is let go. */
  async function hold(page: Page) {
    const sent: string[] = [];
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/api/v1/**", async (route) => {
      const request = route.request();
      if (request.method() !== "GET") {
        sent.push(`${request.method()} ${new URL(request.url()).pathname.replace("/api/v1", "")}`);
        await open;
      }
      await route.continue();
    });
    return { sent, letGo };
  }

  test("creates one token with two clicks, and sees that it is being created", async () => {
    const { id } = at.people.ada;
    await using page = await at.open(`/people?show=person-${id}`);
    const create = page.getByRole("button", { name: "Create token" });
    await create.waitFor();
    const { sent, letGo } = await hold(page);
    await create.dblclick();
    await page.locator("button[aria-busy=true]", { hasText: "Create token" }).waitFor();
    letGo();
    await page.getByRole("dialog", { name: "Token of ada" }).waitFor();
    expect(sent).toEqual([`POST /users/${id}/tokens`]);
  });

  test("removes a member and unbinds an instruction with two clicks, without an error", async () => {
    const team = await at.team("Release", at.people.ada);
    const { id } = await at.admin.post("/instructions", { name: "tone", text: "Be brief." });
    const workspace = await at.workspace("desk");
    await at.admin.post(`/workspaces/${workspace.id}/instructions`, { instruction_id: id });
    const places = [
      [`/people?show=team-${team}`, "Remove ada", "ada removed from Release."],
      [`/library/${id}`, "Unbind from desk, all agents", "No bindings yet."],
    ] as const;
    for (const [path, name, done] of places) {
      await using page = await at.open(path);
      const button = page.getByRole("button", { name });
      await button.waitFor();
      const { sent, letGo } = await hold(page);
      await button.dblclick();
      await page.getByRole("button", { name, disabled: true }).waitFor();
      letGo();
      await page.getByText(done, { exact: false }).first().waitFor();
      expect([sent.length, await page.locator(".toast.bad").count()]).toEqual([1, 0]);
    }
  });

  test("is asked before a gear is deleted while its uses are read, and cannot answer before that", async () => {
    const { id } = await approvedGear(at.admin, { name: "used_often" });
    const workspace = await at.workspace("many uses");
    await at.admin.post(`/workspaces/${workspace.id}/gears`, { gear_id: id });
    await using page = await at.open(`/gears/${id}/review`);
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/api/v1/workspaces", async (route) => {
      await open;
      await route.continue();
    });
    await page.getByRole("button", { name: "More about this gear" }).click();
    await page.getByRole("menuitem", { name: "Delete gear" }).click();
    const question = page.getByRole("dialog", { name: "Delete used_often?" });
    await question.getByRole("status").getByText("Finding the agents that can call it…").waitFor();
    const remove = question.getByRole("button", { name: "Delete gear" });
    await eventually(() => remove.isDisabled(), true);
    letGo();
    await question.getByText("all agents in many uses").waitFor();
    await remove.click();
    await page.getByText("used_often deleted.").waitFor();
    await page.unrouteAll();

    // A refusal of what it reads ends the question, and says so.
    const other = await approvedGear(at.admin, { name: "used_seldom" });
    await page.goto(`${at.url}/gears/${other.id}/review`);
    await page.route("**/api/v1/workspaces", (route) => route.fulfill({ status: 503, body: "busy" }));
    await page.getByRole("button", { name: "More about this gear" }).click();
    await page.getByRole("menuitem", { name: "Delete gear" }).click();
    await page.locator(".toast.bad").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Also the page of the deleted gear may ask for it once more.
    at.browser.expected(/status of (?:404|503)/);
  });

  test("reads at every form how long the server refuses attempts, and then sends what was typed", async () => {
    const { id } = await approvedGear(at.admin, { name: "limited" });
    await using page = await at.open(`/gears/${id}/code`);
    await page.getByLabel("Description").fill("typed before the wait");
    const error = { code: "rate_limited", message: "too many", details: { retry_after_seconds: 1 } };
    await page.route("**/api/v1/gears/*", async (route) => {
      if (route.request().method() === "GET") await route.continue();
      else await route.fulfill({ status: 429, json: { error } });
    });
    const save = page.getByRole("button", { name: "Save version 2" });
    await save.click();
    await page.getByText("Too many attempts. Try again in").first().waitFor();
    await eventually(() => page.getByLabel("Description").inputValue(), "typed before the wait");
    await page.unrouteAll();
    await page.getByText("Too many attempts. Try again in").first().waitFor({ state: "detached" });
    await save.click();
    await eventually(async () => (await at.admin.get(`/gears/${id}`)).description, "typed before the wait");
    at.browser.expected(/status of 429/);
  });

  test("takes a question and the palette away with the page they belong to", async () => {
    const { id } = await approvedGear(at.admin, { name: "count" });
    await using page = await at.open("/gears");
    await page.getByRole("link", { name: "count" }).click();
    await page.getByRole("button", { name: "More about this gear" }).click();
    await page.getByRole("menuitem", { name: "Delete gear" }).click();
    const question = page.getByRole("dialog", { name: "Delete count?" });
    await question.waitFor();
    await page.goBack();
    await question.waitFor({ state: "detached" });
    expect((await at.admin.get(`/gears/${id}`)).name).toBe("count");
    await page.getByRole("link", { name: "count" }).click();
    await page.getByRole("button", { name: "More about this gear" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).toBe(`${at.url}/gears`);
  });
});
