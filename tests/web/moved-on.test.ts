// Goal: an answer that arrives late moves nobody: whoever went to another page, opened another dialog or typed elsewhere meanwhile stays there.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { composer } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen({ model: true, people: { ada: "member", bo: "member" } });

onScreen("a person who has moved on", made, (at) => {
  const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const goTo = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
  const act = async (page: Page, name: string, action: string) => {
    await button(page, `Actions for ${name}`).click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
  };
  const make = (name: string) =>
    at.admin.post("/workspaces", { name, description: "", orchestrator_model_id: at.bossId });
  const instruction = (name: string) => at.admin.post("/instructions", { name, text: "Be brief." });
  /** The server answers a request of the page at once, and the page gets the answer late. */
  const answerLate = (page: Page, url: RegExp, method: string) =>
    holdRequest(page, url, { what: "answer", method });

  test("stays on the page that they went to while something was created or deleted", async () => {
    const { id } = await instruction("old");
    const steps = [
      [
        "/library",
        async (page: Page) => {
          await button(page, "Create instruction").click();
          await page.getByLabel("Name").fill("new");
          await page.getByLabel("Text").fill("Be kind.");
          await page.getByRole("complementary").getByRole("button", { name: "Create instruction" }).click();
        },
        /\/instructions$/,
        "POST",
      ],
      [
        `/library/${id}`,
        async (page: Page) => {
          await button(page, "Delete instruction").click();
          await page.getByRole("dialog").getByRole("button", { name: "Delete instruction" }).click();
        },
        /\/instructions\/\d+$/,
        "DELETE",
      ],
    ] as const;
    for (const [from, begin, url, method] of steps) {
      await using page = await at.open(from);
      const answer = await answerLate(page, url, method);
      await begin(page);
      await answer.held;
      await goTo(page, "Settings");
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      await answer.letGo();
      expect(path(page)).toBe("/settings");
    }
  });

  test("reaches the page that is still loading when the answer arrives", async () => {
    await using page = await at.open("/people?show=new-team");
    const answer = await answerLate(page, /\/teams$/, "POST");
    const loading = await holdRequest(page, /settings-[\w-]+\.js$/);
    await page.getByLabel("Name").fill("Harbour");
    await page.getByRole("complementary").getByRole("button", { name: "Create team" }).click();
    await answer.held;
    await goTo(page, "Settings");
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await loading.held;
    await answer.letGo();
    await loading.letGo();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.waitForURL("**/settings");
  });

  test("comes back to an edit of the version that was saved meanwhile", async () => {
    const { id } = await instruction("manner");
    await using page = await at.open(`/library/${id}`);
    const answer = await answerLate(page, /\/instructions\/\d+$/, "PUT");
    await button(page, "Edit").click();
    await page.getByLabel("Text").fill("Be kind.");
    await button(page, "Save new version").click();
    await answer.held;
    await page.getByLabel("Text").fill("Be kind and brief.");
    await goTo(page, "Settings");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await answer.letGo();
    await page.goBack();
    await eventually(() => page.getByLabel("Text").inputValue(), "Be kind and brief.");
    await button(page, "Save new version").click();
    await eventually(async () => (await at.admin.get(`/instructions/${id}`)).text, "Be kind and brief.");
  });

  test("keeps what they opened in the pane", async () => {
    const ours = await at.team("Ours");
    const theirs = await at.team("Theirs");
    await using page = await at.open(`/people?show=team-${ours}`);
    const answer = await answerLate(page, /\/teams\/\d+$/, "DELETE");
    await button(page, "Delete team").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete team" }).click();
    await answer.held;
    await page.getByRole("table", { name: "Teams" }).getByText("Theirs").click();
    await page.getByRole("heading", { name: "Theirs", level: 2 }).waitFor();
    await answer.letGo();
    expect(path(page)).toBe(`/people?show=team-${theirs}`);

    await page.goto(`${at.url}/models?open=new-provider`);
    const provided = await answerLate(page, /\/providers$/, "POST");
    await page.getByRole("textbox", { name: "Key" }).fill("abc");
    await page.getByRole("complementary").getByRole("button", { name: "Add provider" }).click();
    await provided.held;
    await page.getByRole("table", { name: "Models" }).getByText("boss").first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL("**/models?open=model-*");
    const there = path(page);
    await provided.letGo();
    await page.getByRole("table", { name: "Providers" }).getByText("Anthropic").first().waitFor();
    expect(path(page)).toBe(there);
  });

  test("keeps the dialog that they opened, and is not taken to what they cancelled", async () => {
    await make("one");
    await make("two");
    await using page = await at.open("/workspaces");
    const renamed = await answerLate(page, /\/workspaces\/\d+$/, "PATCH");
    await act(page, "one", "Rename");
    await page.getByRole("dialog").getByLabel("Display name").fill("first");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await renamed.held;
    await page.keyboard.press("Escape");
    await act(page, "two", "Clone");
    const dialog = page.getByRole("dialog", { name: "Clone two" });
    await dialog.waitFor();
    await renamed.letGo();
    await page.getByRole("table", { includeHidden: true }).getByText("first").first().waitFor();
    await eventually(() => dialog.isVisible(), true);

    const cloned = await answerLate(page, /\/clone$/, "POST");
    await dialog.getByRole("button", { name: "Clone" }).click();
    await cloned.held;
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await cloned.letGo();
    await page.getByRole("link", { name: "two copy" }).waitFor();
    expect(path(page)).toBe("/workspaces");
  });

  test("gets no file that they cancelled", async () => {
    await using page = await at.open(`${at.own}/files`);
    const asked = await holdRequest(page, /\/file\?path=/);
    await button(page, "Create file").first().click();
    await page.getByRole("dialog").getByLabel("Path").fill("notes.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await asked.held;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await asked.letGo();
    expect(path(page)).toBe(`${at.own}/files`);
    at.browser.expected(/status of 404/);
  });

  test("goes on typing where they are", async () => {
    const team = await at.team("Crew", at.people.ada);
    await using page = await at.open(`/people?show=team-${team}`);
    const removed = await answerLate(page, /\/members\/\d+$/, "DELETE");
    await button(page, "Remove ada").click();
    await removed.held;
    const search = page.getByRole("searchbox", { name: "Search people" });
    await search.click();
    await page.keyboard.type("b");
    await removed.letGo();
    await page.getByText("ada removed from Crew.").waitFor();
    await page.keyboard.type("o");
    await eventually(() => search.inputValue(), "bo");

    await page.goto(`${at.url}${at.own}?inspect=agent-${at.orchestratorId}`);
    const bound = await answerLate(page, /\/context$/, "POST");
    await button(page, "Bind document").click();
    await page.getByRole("combobox", { name: "Document" }).fill("team/plan.md");
    await page.keyboard.press("Enter");
    await bound.held;
    await composer(page).click();
    await page.keyboard.type("good ");
    await bound.letGo();
    await page.getByRole("listitem").filter({ hasText: "team/plan.md" }).waitFor();
    await page.keyboard.type("morning");
    await eventually(() => composer(page).inputValue(), "good morning");
    // There is no space to list documents of.
    at.browser.expected(/status of 503/);
  });

  test("makes one copy, however long its page takes to load", async () => {
    await make("heavy");
    await using page = await at.open("/workspaces");
    const loading = await holdRequest(page, /workspace-[\w-]+\.js$/);
    await act(page, "heavy", "Clone");
    const clone = page.getByRole("dialog", { name: "Clone heavy" }).getByRole("button", { name: "Clone" });
    await clone.click();
    await loading.held;
    await eventually(() => clone.isDisabled(), true);
    await loading.letGo();
    await page.waitForURL(/\/workspaces\/\d+$/);
  });
});
