// Goal: the list offers every edit of the canvas by keyboard; only an admin grants the internet, if web search is on.

import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { makeGear } from "../kit/service/gears.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { blueprintOffice, card, draw, toast } from "../kit/browser/blueprint-desk.ts";
import { eventually } from "../kit/eventually.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { say } from "../kit/model/index.ts";
import { canStandIn, standInDocker } from "../kit/service/stand-in-docker.ts";
import { onScreen } from "../kit/browser/screen.ts";

async function withSearches() {
  const folder = await temporaryFolder();
  await folder.write("data/config.yaml", "egress: true\negress_key: canary-search-key\nsandbox: docker\n");
  const environment = await standInDocker(folder);
  return blueprintOffice({ data: `${folder.path}/data`, environment, under: [folder] });
}

(canStandIn ? onScreen : () => {})("the blueprint as a list", withSearches, (office) => {
  async function openList(page: Page): Promise<void> {
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page.getByRole("list", { name: "Agents" }).waitFor();
  }

  const unfold = (page: Page, name: string) =>
    page.getByRole("list", { name: "Agents" }).getByRole("button", { name: new RegExp(`^${name}`) });

  /** By keyboard: focuses the field, types the first letters, accepts with Enter and sends with another Enter. */
  async function pick(page: Page, field: string, text: string): Promise<void> {
    await page.getByRole("combobox", { name: field }).focus();
    await page.keyboard.type(text);
    await page.getByRole("option", { name: new RegExp(text) }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("option").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Add: ${field}` }).focus();
    await page.keyboard.press("Enter");
  }

  test("adds, deletes and restores a wire by keyboard; the next turn delegates along it", async () => {
    const at = await office.desk("list wires");
    office.model.script("boss", [say("now I could")]);
    await using page = await office.open(at.path);
    await page.getByRole("button", { name: "List", exact: true }).focus();
    await page.keyboard.press("Enter");
    await unfold(page, "orchestrator").focus();
    await page.keyboard.press("Enter");
    await pick(page, "Add wire from orchestrator to", "scribe");
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    expect(await office.turn(at, "go")).toContain("delegate");
    const remove = page.getByRole("button", { name: "Delete wire from orchestrator to scribe" });
    await remove.focus();
    await page.keyboard.press("Enter");
    await eventually(() => office.wires(at), []);
    await toast(page, "Wire from orchestrator to scribe deleted.").waitFor();
    await page.keyboard.press("Control+z");
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    await remove.waitFor();
  });

  test("keeps the focus in the part of a wire that is deleted, so that Tab reaches the next one", async () => {
    const at = await office.desk("list focus");
    for (const to of [at.scribe, at.scout]) await at.wire(at.orchestratorId, to);
    await using page = await office.open(at.path);
    await openList(page);
    await unfold(page, "orchestrator").click();
    const part = page.getByRole("region", { name: "Can delegate to" });
    const isFocused = (one: Locator) => one.evaluate((element) => element === document.activeElement);
    for (const name of ["scribe", "scout"]) {
      const remove = part.getByRole("button", { name: `Delete wire from orchestrator to ${name}` });
      if (name === "scribe") await remove.focus();
      else await page.keyboard.press("Tab");
      await eventually(() => isFocused(remove), true);
      await page.keyboard.press("Enter");
      await remove.waitFor({ state: "detached" });
      await eventually(() => isFocused(part), true);
    }
    await page.keyboard.press("Tab");
    await eventually(() => isFocused(part.getByRole("combobox")), true);
  });

  test("a late answer leaves the focus where the person has moved it, so that Ctrl Z undoes", async () => {
    const at = await office.desk("late wires");
    await using page = await office.open(at.path);
    await openList(page);
    await unfold(page, "orchestrator").click();
    const late = await holdRequest(page, /\/wires$/, { what: "answer", method: "POST" });
    await pick(page, "Add wire from orchestrator to", "scribe");
    await late.held;
    const remove = page.getByRole("button", { name: "Delete wire from orchestrator to scribe" });
    await remove.focus();
    await late.letGo();
    expect(await remove.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+z");
    await eventually(() => office.wires(at), []);
  });

  test("binds gears and instructions to one or all agents, and unbinds them", async () => {
    const at = await office.desk("list bindings");
    const { admin } = office;
    const schema = '{"type":"object"}';
    await makeGear(admin, { name: "count_words", code: "wc -w\n", args_schema: schema });
    await admin.post("/instructions", { name: "manners", text: "Say please." });
    await using page = await office.open(at.path);
    await openList(page);
    await unfold(page, "scribe").click();
    await pick(page, "Bind gear to scribe", "count_words");
    await page.getByRole("button", { name: "Unbind gear count_words from scribe" }).waitFor();
    await unfold(page, "All agents").click();
    await pick(page, "Bind instruction to all agents", "manners");
    await page.getByRole("button", { name: "Unbind instruction manners from all agents" }).waitFor();
    const bound = await at.blueprint();
    expect([bound.gear_bindings[0]!.agent_id, bound.instruction_bindings[0]!.agent_id]).toEqual([
      at.scribe,
      null,
    ]);
    await page.getByRole("button", { name: "Unbind gear count_words from scribe" }).click();
    await eventually(async () => (await at.blueprint()).gear_bindings, []);
  });

  test("lets an admin grant and revoke the internet, and tells a member that only admins can", async () => {
    const at = await office.desk("internet");
    const { admin, url } = office;
    const grants = async () => (await at.blueprint()).egress_grants.map((grant) => grant.agent_id);
    const page = await office.browser.open(url, at.path);
    const gate = (of: Page) => of.getByRole("img", { name: /^The internet: / });
    await gate(page).waitFor();
    await draw(page, "scout", gate(page));
    await eventually(grants, [at.scout]);
    await openList(page);
    await unfold(page, "scout").click();
    await page.getByRole("button", { name: "Revoke internet from scout" }).click();
    const question = page.getByRole("dialog", { name: "Revoke internet access from scout?" });
    await question.getByRole("button", { name: "Revoke" }).click();
    await eventually(grants, []);
    await page.getByRole("button", { name: "Grant internet" }).click();
    await eventually(grants, [at.scout]);
    await page.close();

    const { user } = await admin.post("/users", { name: "mia", role: "member" });
    await admin.put(`/users/${user.id}/password`, { password: "a long password" });
    await at.share(user);
    await using context = await office.browser.newContext({ viewport: { width: 1280, height: 860 } });
    const login = await context.request.post(`${url}/api/v1/login`, {
      data: { user: "mia", password: "a long password" },
    });
    expect(login.status()).toBe(200);
    const other = await office.browser.open(url, at.path, { context });
    await card(other, "scribe").waitFor();
    await draw(other, "scribe", gate(other));
    await toast(other, "Only admins can grant internet access").waitFor();
    await openList(other);
    await unfold(other, "scout").click();
    await other.getByText("Asks for web searches; a person approves each").waitFor();
    expect(await other.getByRole("button", { name: /^Revoke internet|Grant internet/ }).count()).toBe(0);
    expect(await grants()).toEqual([at.scout]);
  });

  test("keeps the order of a line in which a name is written from the right", async () => {
    const at = await office.desk("list from the right");
    const { id } = await at.agent("نقاد", { model: "worker" });
    await at.wire(at.orchestratorId, id);
    await at.wire(at.orchestratorId, at.scribe);
    const page = await office.look(`${at.path}?form=list`, { width: 390, height: 800 });
    const summary = unfold(page, "orchestrator").locator(".blueprint-list-summary");
    await eventually(() => summary.textContent(), "→ نقاد, scribe");
    const arrowIsFirst = () =>
      summary.evaluate((element) => {
        const arrow = new Range();
        arrow.setStart(element.firstChild!, 0);
        arrow.setEnd(element.firstChild!, 1);
        return arrow.getBoundingClientRect().right < element.getBoundingClientRect().left + 40;
      });
    await eventually(arrowIsFirst, true);
  });

  test("is the first view on narrow screens and passes axe in both themes", async () => {
    const at = await office.desk("list axe");
    await at.wire(at.orchestratorId, at.scribe);
    await using page = await office.open(at.path, { width: 390, height: 800 });
    await unfold(page, "orchestrator").click();
    await page.getByRole("button", { name: "Delete wire from orchestrator to scribe" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    const tooWide =
      "[...document.querySelectorAll('.blueprint *')].filter((one) => one.scrollWidth > 390).length";
    expect(await page.evaluate(tooWide)).toBe(0);
  });
});
