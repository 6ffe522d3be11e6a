// Goal: people create, find, clone, share and delete workspaces; sharing and unsharing apply at once, even to open workspaces; controls that
// would be refused are hidden; ten thousand workspaces stay fast.

import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { composer } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { createPerson, type Person } from "../kit/service/person.ts";
import { mainThreadMs } from "../kit/browser/page-time.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const MANY = 10_000;
/** Of processor, for a search in ten thousand rows. */
const SEARCH_MS_MAX = 200;

const made = () => screen({ model: true });

onScreen("the list of workspaces", made, (at) => {
  let teamId: number;
  let lead: Person;
  let member: Person;

  beforeAll(async () => {
    await at.addModel("worker");
    lead = await createPerson(at.admin, "Lea", "team-lead");
    member = await createPerson(at.admin, "Mo");
    teamId = await at.team("Release", lead, member);
    await at.team("Others");
  });

  const make = (name: string, by = at.admin, description = "") =>
    by.post("/workspaces", { name, description, orchestrator_model_id: at.bossId });
  const names = async () => (await at.admin.get("/workspaces")).map(({ name }) => name).sort();
  const open = (path = "/workspaces") => at.open(path);
  const as = async (person: Person, path = "/workspaces") => {
    const page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${person.token}` });
    await page.goto(at.url + path);
    return page;
  };
  const row = (page: Page, name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
  };

  test("creates a workspace and opens its chat; shows refusals at the field", async () => {
    await make("Taken");
    await using page = await open();
    await page.getByRole("button", { name: "Create workspace" }).click();
    const dialog = page.getByRole("dialog", { name: "Create workspace" });
    await dialog.getByText("cannot change name and description later").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("TAKEN");
    await dialog.getByRole("combobox", { name: "Model of the orchestrator" }).fill("wor");
    await page.getByRole("option", { name: /worker/ }).click();
    await dialog.getByRole("button", { name: "Create workspace" }).click();
    await dialog.getByText('you already have a workspace named "TAKEN"').waitFor();
    at.browser.expected(/status of 409/);
    await eventually(
      () => dialog.getByRole("textbox", { name: "Name" }).getAttribute("aria-invalid"),
      "true",
    );
    // The focus is on the field to correct.
    await eventually(() => page.evaluate("document.activeElement.value"), "TAKEN");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Fresh");
    await dialog.getByRole("textbox", { name: "Description" }).fill("For a test");
    await dialog.getByRole("button", { name: "Create workspace" }).click();
    await page.waitForURL(/\/workspaces\/\d+$/);
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Fresh").waitFor();
    await eventually(() => page.title(), "Fresh · Cairn");
    await page.getByRole("link", { name: "Workspaces" }).first().click();
    await row(page, "Fresh").getByText("For a test").waitFor();
  });

  test("searches names, descriptions, owners and teams, and reports no match", async () => {
    const shared = await make("Weekly report", at.admin, "Numbers for the board");
    await at.admin.put(`/workspaces/${shared.id}/teams/${teamId}`);
    await make("Of Lea", lead.client);
    await using page = await open();
    const search = page.getByRole("searchbox", { name: "Search workspaces" });
    await row(page, "Weekly report").waitFor();
    for (const [text, found] of [
      ["report WEEK", "Weekly report"],
      ["board", "Weekly report"],
      ["release weekly", "Weekly report"],
    ] as const) {
      await search.fill(text);
      await eventually(() => page.locator("tbody tr").count(), 1);
      await row(page, found).waitFor();
    }
    await search.fill("no such thing");
    await page.getByRole("heading", { name: "No workspace matches" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, "Of Lea").getByText("Lea", { exact: true }).waitFor();
  });

  test("says what a clone copies, and makes the person its owner", async () => {
    await make("Original");
    await using page = await open();
    await act(page, "Original", "Clone");
    const dialog = page.getByRole("dialog", { name: "Clone Original" });
    await dialog.getByText("conversation, files and sharing are not copied").waitFor();
    await dialog.getByRole("button", { name: "Clone" }).click();
    await page.waitForURL(/\/workspaces\/\d+$/);
    await eventually(async () => (await names()).includes("Original copy"), true);
  });

  test("names the losses before deleting, and requires the typed name", async () => {
    await make("Doomed");
    await using page = await open();
    await act(page, "Doomed", "Delete");
    const dialog = page.getByRole("dialog", { name: "Delete Doomed?" });
    await dialog.getByText("permanently deletes its conversation").waitFor();
    const button = dialog.getByRole("button", { name: "Delete workspace" });
    await dialog.getByRole("textbox").fill("doomed");
    await eventually(() => button.isDisabled(), true);
    await page.keyboard.press("Enter");
    expect(await names()).toContain("Doomed");
    await dialog.getByRole("textbox").fill("Doomed");
    await button.click();
    await page.getByText("Doomed deleted.").waitFor();
    await eventually(() => row(page, "Doomed").count(), 0);
    expect(await names()).not.toContain("Doomed");
  });

  test("leaves the list when somebody else deletes it", async () => {
    const { id } = await make("Brief");
    await using page = await open();
    // A page that nobody looks at does not ask by itself.
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await row(page, "Brief").waitFor();
    await at.admin.delete(`/workspaces/${id}`);
    await row(page, "Brief").waitFor({ state: "detached" });
  });

  test("finds a team among many to share with; Escape clears the search before it closes the dialog", async () => {
    await make("Broad");
    for (let number = 1; number <= 10; number++) await at.team(`Team ${number}`);
    await using page = await open();
    await act(page, "Broad", "Share");
    const dialog = page.getByRole("dialog", { name: "Share Broad" });
    const search = dialog.getByRole("searchbox", { name: "Search teams" });
    await search.fill("Team 10");
    await eventually(() => dialog.getByRole("checkbox").count(), 1);
    await search.fill("Team 11");
    await dialog.getByText("No matching teams.").waitFor();
    await search.press("Escape");
    await eventually(() => search.inputValue(), "");
    await dialog.getByRole("checkbox", { name: "Team 10", exact: false }).waitFor();
    await search.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("shows a shared workspace to the team, and removes it when sharing ends while it is open", async () => {
    const workspace = await make("Together");
    await using page = await open();
    await using other = await as(member);
    await other.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
    expect(await row(other, "Together").count()).toBe(0);

    await act(page, "Together", "Share");
    const dialog = page.getByRole("dialog", { name: "Share Together" });
    await dialog.getByRole("checkbox", { name: /Release/ }).check();
    const teams = async () => (await at.admin.get(`/workspaces/${workspace.id}`)).team_ids;
    await eventually(teams, [teamId]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await row(page, "Together").getByText("Release").waitFor();

    await other.reload();
    await other.getByRole("link", { name: "Together", exact: true }).click();
    await other.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Together").waitFor();
    await act(page, "Together", "Share");
    await dialog.getByRole("checkbox", { name: /Release/ }).uncheck();
    await eventually(teams, []);
    await other.getByRole("heading", { name: "Workspace not found" }).waitFor();
    // The page does not retry or say so, and offers a way out.
    await eventually(() => other.getByText("Connection lost").count(), 0);
    await other.getByRole("button", { name: "All workspaces" }).click();
    await other.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
    at.browser.expected(/status of 404/);
  });

  test("hides sharing and deleting from people without the right, and says who has it", async () => {
    const workspace = await make("Borrowed");
    await at.admin.put(`/workspaces/${workspace.id}/teams/${teamId}`);
    await using page = await as(member);
    await row(page, "Borrowed").getByText("someone else").waitFor();
    await page.getByRole("button", { name: "Actions for Borrowed" }).click();
    await eventually(() => page.getByRole("menuitem").allInnerTexts(), ["Clone", "Shared with"]);
    await page.getByRole("menuitem", { name: "Shared with" }).click();
    const dialog = page.getByRole("dialog", { name: "Share Borrowed" });
    await dialog.getByText("Only admins, and owners who lead a team, can change this.").waitFor();
    await eventually(() => dialog.getByRole("checkbox", { name: /Release/ }).isDisabled(), true);
    await eventually(() => dialog.getByRole("checkbox", { name: /Release/ }).isChecked(), true);
  });

  test("lets a team lead share their own workspaces with the teams they lead only", async () => {
    const workspace = await make("Of the lead", lead.client);
    await using page = await as(lead);
    await act(page, "Of the lead", "Share");
    const dialog = page.getByRole("dialog", { name: "Share Of the lead" });
    await eventually(() => dialog.getByRole("checkbox", { name: /Others/ }).isDisabled(), true);
    await dialog.getByRole("checkbox", { name: /Release/ }).check();
    await eventually(async () => (await lead.client.get(`/workspaces/${workspace.id}`)).team_ids, [teamId]);
  });

  test("opens and closes the dialog, moves through names and uses a row's menu by keyboard", async () => {
    await make("Key 1");
    await make("Key 2");
    await using page = await open();
    await row(page, "Key 1").waitFor();
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    await page.getByRole("button", { name: "Create workspace" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("typed at once");
    await eventually(() => page.getByRole("textbox", { name: "Name" }).inputValue(), "typed at once");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await eventually(focused, "Create workspace");
    await page.getByRole("searchbox", { name: "Search workspaces" }).focus();
    await page.keyboard.type("Key");
    await eventually(() => page.locator("tbody tr").count(), 2);
    // The last one that was active comes first.
    await page.getByRole("link", { name: "Key 2" }).focus();
    await page.keyboard.press("ArrowDown");
    await eventually(() => focused(), "Key 1");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await eventually(focused, "Rename");
    for (const next of ["Clone", "Share"]) {
      await page.keyboard.press("ArrowDown");
      await eventually(focused, next);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Share Key 1" }).waitFor();
  });

  test("shows while it is open what runs, what is spent, and who was active last", async () => {
    const place = await at.place("Busy");
    await make("Idle");
    await using page = await open();
    const first = () => page.locator("tbody tr").first().getByRole("link").innerText();
    await eventually(first, "Idle");
    const hanging = gate();
    at.model.script("boss", [[say("One moment. "), hanging, say("Done.")]]);
    const turn = await place.begin("Go.");
    await hanging.reached;
    await row(page, "Busy").getByText("Running").waitFor();
    await eventually(first, "Busy");
    await place.begin("Then this.", { queue: true });
    await row(page, "Busy").getByText("1 queued").waitFor();
    at.model.script("boss", [say("And that.")]);
    hanging.open();
    await place.end(turn);
    await eventually(() => row(page, "Busy").getByText("Running").count(), 0);
    await row(page, "Busy").getByText("just now").waitFor();
    // The model has no price, so its cost is not zero but unknown.
    await row(page, "Busy").getByRole("cell", { name: "unknown cost" }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await row(page, "Busy").getByText("Cost today: unknown cost").waitFor();
  });

  test("renames a workspace everywhere, and keeps its name for memory", async () => {
    const { id } = await make("Plain");
    await using page = await open();
    await act(page, "Plain", "Rename");
    const dialog = page.getByRole("dialog", { name: "Rename Plain" });
    await dialog.getByText("Its memory stays under Plain").waitFor();
    await dialog.getByRole("textbox", { name: "Display name" }).fill("a\u202eb");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("must not contain control or invisible characters").waitFor();
    at.browser.expected(/status of 400/);
    await dialog.getByRole("textbox", { name: "Display name" }).fill("Fancy ✨");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row(page, "Fancy ✨").waitFor();
    await page.getByRole("link", { name: "Fancy ✨" }).click();
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Fancy ✨").waitFor();
    await eventually(() => page.title(), "Fancy ✨ · Cairn");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or run a command" }).fill("fancy");
    await page
      .getByRole("option", { name: /Fancy ✨/ })
      .first()
      .waitFor();
    // A person who has it open sees the change.
    await at.admin.patch(`/workspaces/${id}`, { display_name: null });
    await page.keyboard.press("Escape");
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Plain").waitFor();
  });

  test("archives and unarchives a workspace, which stays readable", async () => {
    await make("Old");
    await using page = await open();
    await act(page, "Old", "Archive");
    const dialog = page.getByRole("dialog", { name: "Archive Old?" });
    await dialog.getByText("nobody can chat in it or change it").waitFor();
    await dialog.getByRole("button", { name: "Archive" }).click();
    await page.getByText("Old archived.").waitFor();
    await eventually(() => row(page, "Old").count(), 0);
    await page.getByRole("link", { name: "Archived" }).click();
    await row(page, "Old").getByRole("link", { name: "Old" }).click();
    await page.getByText("This workspace is archived.").waitFor();
    await page.reload();
    await page.getByText("This workspace is archived.").waitFor();
    // It takes no messages, so it suggests none.
    await page.getByRole("heading", { name: "No messages" }).waitFor();
    expect(await page.getByRole("list", { name: "Suggested messages" }).count()).toBe(0);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Unarchive" }).click();
    await eventually(() => page.getByText("This workspace is archived.").count(), 0);
    await page.getByRole("link", { name: "Workspaces" }).first().click();
    await row(page, "Old").waitFor();
  });

  test("keeps a message in sight that was not sent before someone archived the workspace", async () => {
    const { id } = await make("Shelved");
    await using page = await open(`/workspaces/${id}`);
    await composer(page).fill("Compare both databases.");
    await at.admin.post(`/workspaces/${id}/archive`);
    const unsent = page.getByRole("region", { name: "Your unsent message" });
    await eventually(() => unsent.textContent(), "Compare both databases.");
    await page.getByRole("button", { name: "Copy Your unsent message" }).waitFor();
    await page.getByRole("button", { name: "Unarchive" }).click();
    await eventually(() => composer(page).inputValue(), "Compare both databases.");
  });

  test("exports a workspace to a file, imports it, and asks for models that are missing", async () => {
    const place = await at.place("Travelling", { workers: ["scout"] });
    at.model.script("boss", [say("Ready.")]);
    await place.chat("Are you ready?");
    await using page = await open();
    await act(page, "Travelling", "Export");
    const saving = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("link", { name: "Export" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/\.jsonl$/);
    const text = await Bun.file((await saved.path())!).text();
    // As from a server with other models.
    const lines = text
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((line) => line.replace('"name":"scout","label"', '"name":"elsewhere","label"'));
    const body = lines.map((line) => `${line}\n`).join("");
    const sha256 = new Bun.CryptoHasher("sha256").update(body).digest("hex");
    const buffer = Buffer.from(`${body}${JSON.stringify({ type: "end", lines: lines.length, sha256 })}\n`);

    await page.getByRole("button", { name: "Import", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Import workspace" });
    const button = dialog.getByRole("button", { name: "Import" });
    await button.click();
    await dialog.getByText("Choose a file.").waitFor();
    await dialog
      .getByLabel("File")
      .setInputFiles({ name: "broken.jsonl", mimeType: "text/plain", buffer: Buffer.from("{}\n") });
    await button.click();
    await dialog.getByText("the file is not an exported workspace").waitFor();
    await dialog.getByLabel("File").setInputFiles({ name: "lab.jsonl", mimeType: "text/plain", buffer });
    await button.click();
    await dialog.getByText("This server lacks models").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await dialog.getByRole("combobox", { name: /elsewhere/ }).fill("scout");
    await page.getByRole("option", { name: /scout/ }).click();
    await button.click();
    await dialog.getByText("Travelling copy is imported.").waitFor();
    await dialog.getByRole("button", { name: "Open workspace" }).click();
    await page.getByText("Ready.").waitFor();
    await page.getByRole("article", { name: "Imported; originally from admin said" }).waitFor();
    expect(await page.getByRole("article", { name: "You said" }).count()).toBe(0);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Travelling copy").waitFor();
    expect(await names()).toContain("Travelling copy");
    at.browser.expected(/status of 4(00|22)/);
  });

  test("passes axe in the list, its menu and its dialogs, in both themes", async () => {
    await make("Seen by axe", at.admin, "With a description");
    await using page = await open();
    await row(page, "Seen by axe").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const [action, title] of [
      ["Rename", "Rename Seen by axe"],
      ["Export", "Export Seen by axe"],
      ["Archive", "Archive Seen by axe?"],
      ["Clone", "Clone Seen by axe"],
      ["Share", "Share Seen by axe"],
      ["Delete", "Delete Seen by axe?"],
    ] as const) {
      await act(page, "Seen by axe", action);
      await page.getByRole("dialog", { name: title }).waitFor();
      expect(await problemsInBothThemes(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    for (const [button, title] of [
      ["Import", "Import workspace"],
      ["Create workspace", "Create workspace"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      expect(await problemsInBothThemes(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("shows part of ten thousand workspaces, and searches them at once", async () => {
    await using page = await at.browser.open("about:blank", "");
    const records = Array.from({ length: MANY }, (_, index) => ({
      id: index + 1,
      name: `Project ${index + 1}`,
      display_name: `Project ${index + 1}`,
      description: "",
      branch: "b",
      shared_branch: "b/shared",
      owner_id: 1,
      team_ids: [],
      budget: null,
      created_at: "2026-01-01T00:00:00.000Z",
      archived_at: null,
    }));
    await page.route("**/api/v1/workspaces", (route) => route.fulfill({ json: records }));
    await page.goto(`${at.url}/workspaces`);
    await page.getByText("10,000 workspaces").waitFor();
    await eventually(() => page.locator("tbody tr").count(), 200);
    const search = page.getByRole("searchbox", { name: "Search workspaces" });
    const enter = (field: unknown) => {
      const input = field as { value: string; dispatchEvent(event: unknown): void };
      input.value = "project 9999";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const used = await mainThreadMs(page, () => search.evaluate(enter));
    await eventually(() => page.locator("tbody tr").count(), 1);
    expect(used).toBeLessThan(SEARCH_MS_MAX);
  });
});
