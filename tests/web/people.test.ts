// Goal: an admin manages people and teams, and sees each token once without losing it by accident; a team lead manages only their teams;
// a member is told whom to ask.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { createClient } from "../kit/http/client.ts";
import { eventually } from "../kit/eventually.ts";
import { refusal } from "../kit/http/refusal.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const withModel = () => screen({ model: true });

onScreen("the people screen", withModel, (at) => {
  const addUser = (name: string, role = "member") => at.admin.post("/users", { name, role });
  const userNamed = async (name: string) => (await at.admin.get("/users")).find((user) => user.name === name);
  const open = (options = {}) => at.open("/people", options);
  const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
  const person = (page: Page, name: string) =>
    page
      .getByRole("table", { name: "People" })
      .locator("tbody tr")
      .filter({ has: page.getByText(name, { exact: true }) });
  const team = (page: Page, name: string) =>
    page.getByRole("table", { name: "Teams" }).locator("tbody tr").filter({ hasText: name });
  const as = async (token: string) => {
    const page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${token}` });
    await page.goto(`${at.url}/people`);
    return page;
  };

  test("adds a person and shows the token once, without accidental dismissal", async () => {
    await using page = await open();
    await page.getByText("No teams yet.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Add person" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Role").selectOption("Team lead");
    await details(page).getByRole("button", { name: "Add person" }).click();
    const dialog = page.getByRole("dialog", { name: "Token of Ada" });
    await dialog.getByText("it is not shown again.", { exact: false }).waitFor();
    const token = (await dialog.getByLabel("Token", { exact: true }).textContent())!.trim();
    expect(await createClient(at.url, token).get("/whoami")).toMatchObject({
      name: "Ada",
      role: "team-lead",
    });
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await eventually(() => dialog.isVisible(), true);
    await eventually(() => dialog.getByRole("button", { name: "Done" }).isEnabled(), false);
    await dialog.getByLabel("I have stored the token").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(token);
    expect(await person(page, "Ada").innerText()).toContain("Team lead");
  });

  test("asks before typed input is lost, and returns the focus to what opened the form", async () => {
    await addUser("Frida");
    await using page = await open();
    const add = page.getByRole("button", { name: "Add person" }).first();
    await add.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").fill("Emil");
    await person(page, "Frida").click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await eventually(() => page.getByLabel("Name").inputValue(), "Emil");
    await details(page).getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await question.waitFor({ state: "detached" });
    await details(page).waitFor({ state: "detached" });
    await add.focus();
    await page.keyboard.press("Enter");
    await details(page).getByRole("button", { name: "Cancel" }).click();
    await details(page).waitFor({ state: "detached" });
    await eventually(() => add.evaluate((button) => button === document.activeElement), true);
    await person(page, "Frida").click();
    await details(page).getByRole("button", { name: "Rename" }).click();
    await page.keyboard.press("Escape");
    // The form went with the focus in it.
    await eventually(() => details(page).evaluate((pane) => pane === document.activeElement), true);
  });

  test("closes the pane of a form by the button that every pane has", async () => {
    await using page = await open();
    for (const name of ["Add person", "Create team"]) {
      await page.getByRole("button", { name }).first().click();
      await details(page).getByRole("heading", { name }).waitFor();
      await details(page).getByRole("button", { name: "Close" }).click();
      await details(page).waitFor({ state: "detached" });
    }
  });

  test("shows refusals beside the field and keeps the input", async () => {
    await using page = await open();
    await page.getByRole("button", { name: "Add person" }).click();
    await page.getByLabel("Name").fill("ADMIN");
    await details(page).getByRole("button", { name: "Add person" }).click();
    await details(page).getByRole("alert").getByText('a user named "ADMIN" already exists').waitFor();
    await eventually(() => page.getByLabel("Name").inputValue(), "ADMIN");
    await eventually(() => page.getByLabel("Name").getAttribute("aria-invalid"), "true");
    at.browser.expected(/status of 409/);
  });

  test("edits role and name, but keeps the last admin", async () => {
    await addUser("Berta");
    await using page = await open();
    await person(page, "Berta").click();
    await details(page).getByLabel("Role").selectOption("Admin");
    await details(page).getByRole("button", { name: "Save" }).click();
    await eventually(async () => (await userNamed("Berta"))?.role, "admin");
    await details(page).getByLabel("Role").selectOption("Member");
    await details(page).getByRole("button", { name: "Save" }).click();
    await eventually(async () => (await userNamed("Berta"))?.role, "member");
    await details(page).getByRole("button", { name: "Rename" }).click();
    await details(page).getByLabel("Name").fill("Berta B.");
    await page.keyboard.press("Enter");
    await details(page).getByRole("heading", { name: "Berta B." }).waitFor();
    await person(page, "admin").click();
    await details(page).getByLabel("Role").selectOption("Member");
    await details(page).getByRole("button", { name: "Save" }).click();
    await details(page).getByText("this is the last admin", { exact: false }).waitFor();
    await details(page).getByRole("button", { name: "Cancel" }).click();
    await eventually(() => details(page).getByLabel("Role").inputValue(), "admin");
    at.browser.expected(/status of 409/);
  });

  test("creates a token and revokes all tokens and sessions; has no password field", async () => {
    const { user, token } = await addUser("Carl");
    await at.admin.put(`/users/${user.id}/password`, { password: "a long password" });
    const first = createClient(at.url, token);
    await refusal(first.get("/whoami"), "unauthenticated");
    const session = await at.admin.post("/login", { user: "Carl", password: "a long password" });
    await using page = await open();
    await person(page, "Carl").click();
    await details(page).getByText("1 token or session").waitFor();
    expect(await page.locator("input[type=password]").count()).toBe(0);
    await details(page).getByRole("button", { name: "Create token" }).click();
    const dialog = page.getByRole("dialog", { name: "Token of Carl" });
    const made = (await dialog.getByLabel("Token", { exact: true }).textContent())!.trim();
    await dialog.getByLabel("I have stored the token").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await details(page).getByRole("button", { name: "Revoke all" }).click();
    const question = page.getByRole("dialog", { name: "Revoke all tokens of Carl?" });
    await question.getByText("2 tokens and sessions end at once", { exact: false }).waitFor();
    await question.getByRole("button", { name: "Revoke all" }).click();
    await page.getByText("2 tokens and sessions of Carl revoked.").waitFor();
    for (const one of [made, session.token])
      await refusal(createClient(at.url, one).get("/whoami"), "unauthenticated");
  });

  test("deletes a person only with a new owner for their workspaces", async () => {
    const { user, token } = await addUser("Dora");
    const [model] = await at.admin.get("/models");
    const own = await createClient(at.url, token).post("/workspaces", {
      name: "Dora's desk",
      orchestrator_model_id: model!.id,
    });
    await using page = await open();
    await person(page, "Dora").click();
    await details(page).getByRole("button", { name: "Delete person" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Dora?" });
    await dialog.getByText("Dora owns 1 workspace:").waitFor();
    await dialog.getByText("Dora's desk").waitFor();
    await eventually(() => dialog.getByRole("button", { name: "Delete person" }).isEnabled(), false);
    await dialog.getByLabel("New owner").selectOption("admin");
    await dialog.getByRole("button", { name: "Delete person" }).click();
    await dialog.waitFor({ state: "detached" });
    await eventually(() => person(page, "Dora").count(), 0);
    expect(await at.admin.get(`/workspaces/${own.id}`)).toMatchObject({ owner_id: 1 });
    await refusal(at.admin.delete(`/users/${user.id}`), "not_found");
  });

  test("creates, fills, renames, empties and deletes a team", async () => {
    await addUser("Emil");
    await using page = await open();
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByLabel("Name").fill("Night shift");
    await details(page).getByRole("button", { name: "Create team" }).click();
    await details(page).getByText("No members yet.").waitFor();
    await details(page).getByRole("combobox", { name: "Add member" }).fill("Emi");
    await page.getByRole("option", { name: /Emil/ }).click();
    await details(page).getByRole("button", { name: "Add", exact: true }).click();
    await details(page).getByRole("button", { name: "Remove Emil" }).waitFor();
    expect(await team(page, "Night shift").innerText()).toContain("Emil");
    await details(page).getByRole("button", { name: "Rename" }).click();
    await details(page).getByLabel("Name").fill("Day shift");
    await details(page).getByRole("button", { name: "Rename" }).click();
    await team(page, "Day shift").waitFor();
    const [made] = await at.admin.get("/teams");
    const [workspace] = await at.admin.get("/workspaces");
    await at.admin.put(`/workspaces/${workspace!.id}/teams/${made!.id}`);
    await page.reload();
    await details(page).getByRole("button", { name: "Remove Emil" }).click();
    await details(page).getByText("No members yet.").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Members");
    // One click removes, and another one takes it back, or the keys that the settings name.
    await page.getByText("Emil removed from Day shift.").waitFor();
    await page.keyboard.press("Alt+t");
    // The message, and its button.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await details(page).getByRole("button", { name: "Remove Emil" }).click();
    await details(page).getByText("No members yet.").waitFor();
    await details(page).getByRole("button", { name: "Delete team" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Day shift?" });
    await dialog.getByText(workspace!.name, { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Delete team" }).click();
    await page.getByText("No teams yet.", { exact: false }).waitFor();
    expect(await at.admin.get("/teams")).toEqual([]);
  });

  test("shows a team lead only teams, and lets them manage their own", async () => {
    const { user, token } = await addUser("Lea", "team-lead");
    const { user: other } = await addUser("Finn");
    const own = await at.admin.post("/teams", { name: "Own" });
    const foreign = await at.admin.post("/teams", { name: "Foreign" });
    await at.admin.put(`/teams/${own.id}/members/${user.id}`);
    await at.admin.put(`/teams/${foreign.id}/members/${other.id}`);
    await using page = await as(token);
    await team(page, "Own").click();
    expect(await page.getByRole("table", { name: "People" }).count()).toBe(0);
    await eventually(() => page.getByRole("link", { name: "People" }).count(), 1);
    expect(await page.getByRole("button", { name: "Create team" }).count()).toBe(0);
    await details(page).getByRole("combobox", { name: "Add member" }).fill("Finn");
    await page.getByRole("option", { name: /Finn/ }).click();
    await details(page).getByRole("button", { name: "Add", exact: true }).click();
    await details(page).getByRole("button", { name: "Remove Finn" }).waitFor();
    await team(page, "Foreign").click();
    await details(page).getByText("Admins and its team leads manage it.", { exact: false }).waitFor();
    expect(
      await details(page)
        .getByRole("button", { name: /Remove|Rename|Add/ })
        .count(),
    ).toBe(0);
  });

  test("tells a member whom to ask", async () => {
    const { token } = await addUser("Gina");
    await using page = await as(token);
    await page.getByRole("heading", { name: "Only admins manage people" }).waitFor();
    expect(await page.getByRole("link", { name: "People" }).count()).toBe(0);
  });

  test("finds, opens and renames a person by keyboard", async () => {
    await addUser("Hanna");
    await using page = await open();
    await page.getByRole("searchbox", { name: "Search people" }).focus();
    await page.keyboard.type("hanna");
    await eventually(() => page.getByRole("table", { name: "People" }).locator("tbody tr").count(), 1);
    await person(page, "Hanna").focus();
    await page.keyboard.press("Enter");
    await details(page).getByRole("button", { name: "Rename" }).focus();
    await page.keyboard.press("Enter");
    await details(page).getByLabel("Name").waitFor();
    await details(page).locator("input:focus").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Johanna");
    await page.keyboard.press("Enter");
    await details(page).getByRole("heading", { name: "Johanna" }).waitFor();
  });

  test("passes axe in both themes", async () => {
    await using page = await open();
    await person(page, "admin").click();
    await details(page).getByRole("heading", { name: "admin" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await team(page, "Own").click();
    await details(page).getByText("2 members.", { exact: false }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await details(page).getByRole("button", { name: "Close" }).click();
    await person(page, "admin").click();
    await details(page).getByRole("button", { name: "Create token" }).click();
    const dialog = page.getByRole("dialog", { name: "Token of admin" });
    await dialog.waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await dialog.getByLabel("I have stored the token").check();
    await dialog.getByRole("button", { name: "Done" }).click();
  });
});
