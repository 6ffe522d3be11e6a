// Goal: a field that someone has edited keeps what they typed when someone else saves another value, and is asked about before it is left or closed.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { until } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { approvedGear } from "../kit/service/gears.ts";
import { KEY } from "../kit/service/world.ts";

const withModel = () => screen({ model: true });

onScreen("an edited field", withModel, (at) => {
  /** The person comes back to the tab, and what is old enough is read again. */
  const reads = (page: Page, shown: () => Promise<boolean>) =>
    until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return shown();
    });
  const leavesWithQuestion = async (page: Page) => {
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL("**/audit");
  };

  test("with the time limit of a gear", async () => {
    const { id } = await approvedGear(at.admin);
    await using page = await at.open(`/gears/${id}/review`);
    await using other = await at.open(`/gears/${id}/review`, { context: page.context() });
    const limit = page.getByLabel("Time limit (seconds)");
    await limit.fill("77");
    await other.getByLabel("Time limit (seconds)").fill("55");
    await other.getByRole("button", { name: "Save limit" }).click();
    await other.getByRole("button", { name: "Save limit" }).waitFor({ state: "detached" });
    const read = page.waitForResponse(new RegExp(`/api/v1/gears/${id}$`));
    await reads(page, () => Promise.race([read.then(() => true), Bun.sleep(10).then(() => false)]));
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await limit.inputValue()).toBe("77");
    await leavesWithQuestion(page);
  });

  test("with the purpose of a new workspace is asked about before Escape closes its dialog", async () => {
    await using page = await at.open("/workspaces?new=1");
    const creating = page.getByRole("dialog", { name: "Create workspace" });
    const description = creating.getByRole("textbox", { name: "Description" });
    await creating.getByRole("textbox", { name: "Name" }).fill("Harbour");
    await description.fill("Compares the tides of all ports.");
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    expect(await description.inputValue()).toBe("Compares the tides of all ports.");
    await creating.getByRole("button", { name: "Create workspace" }).click();
    await page.waitForURL(/\/workspaces\/\d+$/);
    await using other = await at.open("/workspaces?new=1");
    await other.getByRole("textbox", { name: "Description" }).fill("Nothing yet.");
    await other.keyboard.press("Escape");
    await other.getByRole("button", { name: "Discard changes" }).click();
    await other.getByRole("dialog", { name: "Create workspace" }).waitFor({ state: "detached" });
  });

  test("with the role of a person", async () => {
    const { user } = await at.admin.post("/users", { name: "Ada", role: "member" });
    await using page = await at.open(`/people?show=person-${user.id}`);
    const side = page.getByRole("complementary", { name: "Details" });
    const role = side.getByLabel("Role");
    await role.selectOption("Team lead");
    await at.admin.patch(`/users/${user.id}`, { role: "admin", name: "Ada Lovelace" });
    await reads(page, () => side.getByRole("heading", { name: "Ada Lovelace" }).isVisible());
    expect(await role.inputValue()).toBe("team-lead");
    await leavesWithQuestion(page);
  });

  test("with the names of new models, when the provider is renamed", async () => {
    const { id } = await at.admin.post("/providers", {
      name: "Before",
      type: "openai-compatible",
      base_url: at.model.openaiUrl,
      api_key: KEY,
    });
    await using page = await at.open("/models?open=new-models");
    const side = page.getByRole("complementary", { name: "Details" });
    await side.getByLabel("Provider").selectOption("Before");
    const name = side.getByLabel(/^(Search or type a name|Model name)$/);
    await name.fill("mine-1");
    await name.press("Enter");
    const chosen = side.getByRole("list", { name: "Chosen" });
    await chosen.getByText("mine-1").waitFor();
    await at.admin.patch(`/providers/${id}`, { name: "After" });
    await reads(page, async () => (await side.getByLabel("Provider").innerText()).includes("After"));
    await chosen.getByText("mine-1").waitFor();
    await leavesWithQuestion(page);
  });
});
