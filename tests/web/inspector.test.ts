// Goal: the inspector shows an agent's prompt and edits role, instructions, gears, limits, model and name; edits apply from the next turn;
// refusals and losses are reported.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ROLE_CHARACTERS_MAX } from "../../src/service/blueprint/schema.ts";
import { ROLE_CHARACTERS } from "../../web/screens/inspector/limits.ts";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { type PageOptions } from "../kit/browser/browser.ts";
import { chatRoom } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { makeGear } from "../kit/service/gears.ts";
import type { Place } from "../kit/service/place.ts";
import { call, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const side = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const button = (page: Page, name: string | RegExp) => side(page).getByRole("button", { name });

onScreen("the inspector", chatRoom, (room) => {
  const openOn = (workspace: Place, inspect: string, options?: PageOptions) =>
    room.open(`${workspace.own}/activity?inspect=${inspect}`, options);
  const agent = (id: number, workspace: Place) =>
    room.admin.get(`${workspace.own}/agents`).then((agents) => agents.find((one) => one.id === id));
  const chat = async (workspace: Place, text: string) => (await workspace.chat(text)).turn;

  test("uses the server's limit for roles", () => {
    expect(ROLE_CHARACTERS).toBe(ROLE_CHARACTERS_MAX);
  });

  test("explains an unknown cost and links to the prices", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("One.")]);
    const turn = await chat(desk, "Begin.");
    const { calls } = await room.admin.get(`/turns/${turn.id}/steps`);
    await using page = await openOn(desk, `call-${calls[0]!.id}`);
    await side(page).getByText("the model had no price at the time", { exact: false }).waitFor();
    await side(page).getByRole("link", { name: "Prices" }).click();
    await page.waitForURL(`**/models?open=model-${calls[0]!.model_id}`);
    await page.getByRole("textbox", { name: "Output", exact: true }).waitFor();
  });

  test("sends an edited role with the next prompt", async () => {
    const desk = await room.desk();
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, "Show exact prompt").waitFor();
    await button(page, /^(Edit|Add) role$/).click();
    await side(page).getByLabel("Role (system prompt)").fill("You count sheep.");
    await button(page, "Save").click();
    await button(page, "Edit role").waitFor();
    await side(page).getByText("You count sheep.").waitFor();
    room.model.script("boss", [say("One.")]);
    await chat(desk, "Begin.");
    expect(room.model.requestsOf("boss").at(-1)!.system).toBe("You count sheep.");
    await button(page, "Show exact prompt").click();
    const dialog = page.getByRole("dialog", { name: "Prompt of orchestrator" });
    await dialog.getByText("Begin.", { exact: true }).waitFor();
    await dialog.getByText("You count sheep.", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // Escape closed the dialog, not the inspector behind it.
    await button(page, "Show exact prompt").waitFor();
  });

  test("does not silently overwrite a role that someone else changed", async () => {
    const desk = await room.desk();
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, /^(Edit|Add) role$/).click();
    const field = side(page).getByLabel("Role (system prompt)");
    await field.fill("Mine.");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "Theirs." });
    await side(page).getByText("Someone else changed this role while you were editing.").waitFor();
    await eventually(() => button(page, "Save").isDisabled(), true);
    await eventually(() => field.inputValue(), "Mine.");
    await page.keyboard.press("Escape");
    await eventually(() => field.inputValue(), "Mine.");
    await button(page, "Discard mine").click();
    await eventually(() => field.inputValue(), "Theirs.");
    await field.fill("Both.");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "Theirs again." });
    await button(page, "Keep mine").click();
    await button(page, "Save").click();
    await eventually(async () => (await agent(desk.orchestratorId, desk))!.role, "Both.");
  });

  /** The role of an agent, typed and not saved. */
  async function typedRole() {
    const desk = await room.desk("poet");
    const page = await openOn(desk, `agent-${desk.agents["poet"]}`);
    await button(page, /^(Edit|Add) role$/).click();
    const field = side(page).getByLabel("Role (system prompt)");
    await field.fill("You write odes.");
    return { desk, page, field };
  }

  test("asks before a role that was typed is lost", async () => {
    const { page, field } = await typedRole();
    await using _ = page;
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    for (const name of ["Close", "Cancel"]) {
      await side(page).getByRole("button", { name, exact: true }).click();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      await eventually(() => field.inputValue(), "You write odes.");
    }
    await button(page, "Cancel").click();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await field.waitFor({ state: "detached" });
    await side(page).getByRole("button", { name: "Close", exact: true }).click();
    await side(page).waitFor({ state: "detached" });
  });

  test("asks before a name or limits that were typed are lost", async () => {
    const desk = await room.desk("poet");
    await using page = await openOn(desk, `agent-${desk.agents["poet"]}`);
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    for (const [open, label] of [
      ["Rename", "Name"],
      ["Set limits", "Tokens per day"],
    ] as const) {
      await button(page, open).click();
      const field = side(page).getByRole("textbox", { name: label });
      await field.fill("7");
      await side(page).getByRole("button", { name: "Close", exact: true }).click();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      await eventually(() => field.inputValue(), "7");
      await button(page, "Cancel").click();
      await field.waitFor({ state: "detached" });
    }
    await side(page).getByRole("button", { name: "Close", exact: true }).click();
    await side(page).waitFor({ state: "detached" });
  });

  test("saves a limit beside one that someone else has set meanwhile", async () => {
    const desk = await room.desk();
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, "Set limits").click();
    await side(page).getByLabel("Tokens per day").fill("5000");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { budget: { cost_per_day: 2 } });
    await eventually(() => side(page).getByLabel("Dollars per day").inputValue(), "2");
    await button(page, "Save limits").click();
    const budget = async () => (await agent(desk.orchestratorId, desk))!.budget;
    await eventually(budget, { tokens_per_day: 5000, cost_per_day: 2 });
  });

  test("keeps the role that someone is typing when another person deletes the agent", async () => {
    const { desk, page, field } = await typedRole();
    await using _ = page;
    await room.admin.delete(`/agents/${desk.agents["poet"]}`);
    await side(page).getByText("poet was deleted while you were editing.").waitFor();
    await eventually(() => button(page, "Delete agent").count(), 0);
    await eventually(() => button(page, "Save").isDisabled(), true);
    // The field is the same one, and has the focus.
    await page.keyboard.press("End");
    await page.keyboard.type(" Short ones.");
    await eventually(() => field.inputValue(), "You write odes. Short ones.");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.evaluate(
      "navigator.clipboard.writeText = (text) => ((window.copied = text), Promise.resolve())",
    );
    await button(page, "Copy your text").click();
    await eventually(() => page.evaluate("window.copied"), "You write odes. Short ones.");
    await button(page, "Cancel").click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await side(page).getByText("poet was deleted. Its messages are still in the conversation.").waitFor();
    await field.waitFor({ state: "detached" });
  });

  test("keeps the name and the limits that someone is typing when another person deletes the agent", async () => {
    const desk = await room.desk("poet");
    await using page = await openOn(desk, `agent-${desk.agents["poet"]}`);
    await button(page, "Rename").click();
    const name = side(page).getByRole("textbox", { name: "Name" });
    await name.fill("bard");
    await button(page, "Set limits").click();
    const limit = side(page).getByLabel("Tokens per day");
    await limit.fill("5000");
    await room.admin.delete(`/agents/${desk.agents["poet"]}`);
    await side(page)
      .getByText("poet was deleted while you were editing. Its name cannot be saved.")
      .waitFor();
    await side(page)
      .getByText("poet was deleted while you were editing. Its limits cannot be saved.")
      .waitFor();
    // The field is the same one, and has the focus.
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await eventually(() => limit.inputValue(), "50000");
    expect(await name.inputValue()).toBe("bard");
    for (const save of ["Rename", "Save limits"])
      await eventually(() => button(page, save).isDisabled(), true);
    expect(await accessibilityProblems(page)).toEqual([]);
    const form = side(page).locator("form");
    await form.first().getByRole("button", { name: "Cancel" }).click();
    await name.waitFor({ state: "detached" });
    await eventually(() => limit.inputValue(), "50000");
    await form.first().getByRole("button", { name: "Cancel" }).click();
    await side(page).getByText("poet was deleted. Its messages are still in the conversation.").waitFor();
  });

  test("stops the next turn at a limit; reports invalid numbers at the field", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("Hello.", { usage: { input: 900, output: 100 } })]);
    await chat(desk, "Hello?");
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await side(page).getByText("1,000 tokens, unknown cost today").waitFor();
    await button(page, "Set limits").click();
    await side(page).getByLabel("Tokens per day").fill("many");
    await button(page, "Save limits").click();
    await side(page).getByText("a whole number above 0, or nothing").waitFor();
    await eventually(() => side(page).getByLabel("Tokens per day").inputValue(), "many");
    await side(page).getByLabel("Tokens per day").fill("1000");
    await button(page, "Save limits").click();
    await side(page).getByText("1,000 of 1,000 tokens today").waitFor();
    expect((await agent(desk.orchestratorId, desk))!.budget).toEqual({ tokens_per_day: 1000 });
    const turn = await chat(desk, "Once more?");
    expect(turn.status).toBe("failed");
    expect(turn.error).toContain("budget for a day");
    await page.goto(`${room.url}${desk.own}/activity?turn=${turn.id}`);
    await page.getByText(turn.error!, { exact: true }).first().waitFor();
    await page.getByRole("heading", { name: "No steps" }).waitFor();
  });

  test("adds and removes an instruction's part with its binding; reports a refusal", async () => {
    const desk = await room.desk();
    const { admin, model } = room;
    const { id } = await admin.post("/instructions", { name: "tone", text: "Speak softly." });
    await admin.patch(`/agents/${desk.orchestratorId}`, { role: "You are here." });
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, "Bind instruction").click();
    await side(page).getByRole("combobox", { name: "Instruction" }).fill("to");
    await page.getByRole("option", { name: /^tone/ }).click();
    const drop = button(page, "Unbind tone");
    await drop.waitFor();
    await side(page).getByText("v1", { exact: true }).waitFor();
    model.script("boss", [say("Yes."), say("No.")]);
    await chat(desk, "Is it bound?");
    expect(model.requestsOf("boss").at(-1)!.system).toContain("Speak softly.");
    await drop.focus();
    await page.keyboard.press("Enter");
    await drop.waitFor({ state: "detached" });
    await chat(desk, "Is it bound now?");
    expect(model.requestsOf("boss").at(-1)!.system).toBe("You are here.");

    // Deleted, but still in the list.
    await button(page, "Bind instruction").click();
    await side(page).getByRole("combobox", { name: "Instruction" }).fill("to");
    await admin.delete(`/instructions/${id}`);
    await page.getByRole("option", { name: /^tone/ }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /not found|does not exist/ })
      .first()
      .waitFor();
    room.browser.expected(/status of 404/);
  });

  test("renames a worker, binds a pending gear, deletes a wire and the worker, but never the orchestrator", async () => {
    const desk = await room.desk("scribe");
    const { admin } = room;
    const gear = await makeGear(admin, { name: "tally_up" });
    await using page = await openOn(desk, `agent-${desk.agents["scribe"]}`);
    await button(page, "Rename").click();
    await side(page).getByRole("textbox", { name: "Name" }).fill("orchestrator");
    await side(page).getByRole("textbox", { name: "Name" }).press("Enter");
    await side(page).getByRole("alert").first().waitFor();
    await side(page).getByRole("textbox", { name: "Name" }).fill("writer");
    await side(page).getByRole("textbox", { name: "Name" }).press("Enter");
    await side(page).getByRole("heading", { name: "writer", exact: true }).waitFor();

    await button(page, "Bind gear").click();
    await side(page).getByRole("combobox", { name: "Gear" }).fill("tally");
    await page.getByRole("option", { name: /^tally_up/ }).click();
    await side(page).getByText("pending v1").waitFor();
    const approve = side(page).getByRole("link", { name: "Review" });
    await eventually(() => approve.getAttribute("href"), `/gears/${gear.id}/review`);
    // Updates of the row keep its focus.
    await button(page, "Unbind tally_up").focus();
    await admin.patch(`/gears/${gear.id}`, { status: "approved", content_hash: gear.content_hash });
    await side(page).getByText("approved v1").last().waitFor();
    await page.keyboard.press("Enter");
    await side(page).getByText("tally_up").waitFor({ state: "detached" });

    await button(page, "Delete wire from orchestrator").focus();
    await page.keyboard.press("Enter");
    await side(page).getByText("Called by", { exact: true }).waitFor({ state: "detached" });
    expect(await admin.get(`${desk.own}/wires`)).toEqual([]);

    await button(page, "Delete agent").click();
    await page
      .getByRole("dialog", { name: "Delete writer?" })
      .getByRole("button", { name: "Delete agent" })
      .click();
    // The open dialog hides the pane, so its absence says nothing.
    await eventually(() => agent(desk.agents["scribe"]!, desk), undefined);
    await eventually(() => side(page).count(), 0);
    await page.goto(`${room.url}${desk.own}/activity?inspect=agent-${desk.agents["scribe"]}`);
    await side(page)
      .getByText(/no longer exists|was deleted/)
      .waitFor();
    await page.goto(`${room.url}${desk.own}/activity?inspect=agent-${desk.orchestratorId}`);
    await button(page, "Edit role").or(button(page, "Add role")).waitFor();
    expect(await button(page, "Delete agent").count()).toBe(0);
    expect(await button(page, "Rename").count()).toBe(0);
    room.browser.expected(/status of 4\d\d/);
  });

  test("sends the next call to the selected model", async () => {
    const desk = await room.desk();
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    const field = side(page).getByRole("combobox", { name: "Model of this agent" });
    // It shows the current model once the models are loaded.
    await eventually(() => field.inputValue(), "boss");
    await field.fill("work");
    await page.getByRole("option", { name: /^worker/ }).click();
    const models = await room.admin.get("/models");
    const id = models.find((one) => one.model_name === "worker")!.id;
    await eventually(
      async () => ((await agent(desk.orchestratorId, desk)) as unknown as { model_id: number }).model_id,
      id,
    );
    room.model.script("worker", [say("It is me.")]);
    expect((await chat(desk, "Who is it?")).status).toBe("done");
  });

  test("forgets and restores an entry, and names the call that sent it", async () => {
    const desk = await room.desk();
    room.model.script("boss", [[say("I look."), call("file_list", {})], say("Nothing there.")]);
    await chat(desk, "What is there?");
    const entries = await room.admin.get(`${desk.own}/entries`);
    const first = entries.find(({ kind }) => kind === "person")!;
    await using page = await openOn(desk, `entry-${first.id}`);
    await side(page)
      .getByRole("heading", { name: `Message · entry ${first.id}` })
      .waitFor();
    await side(page)
      .getByText(/^≈ \d+$/)
      .waitFor();
    await button(page, "Forget").click();
    await button(page, "Restore").waitFor();
    await side(page).getByText("forgotten", { exact: true }).waitFor();
    await button(page, "Restore").click();
    await button(page, "Forget").waitFor();
    await side(page)
      .getByRole("link", { name: /^a model call of turn/ })
      .click();
    await side(page).getByRole("heading", { name: "orchestrator · model call 1" }).waitFor();
    await side(page)
      .getByRole("link", { name: `entry ${first.id}` })
      .waitFor();
    await button(page, "Close").click();
    await side(page).waitFor({ state: "detached" });
    await page.goto(`${room.url}${desk.own}/activity?inspect=entry-999999`);
    await side(page).getByText("This entry no longer exists.").waitFor();
    await page.goto(`${room.url}${desk.own}/activity?inspect=wire-999999`);
    await side(page).getByText("This wire no longer exists.").waitFor();
  });

  test("opens the workspace's usage and budget from the meter; its limit applies to all agents", async () => {
    const desk = await room.desk("scribe");
    room.model
      .script("boss", [
        call("delegate", { agent: "scribe", task: "Write." }),
        say("Written.", { usage: { input: 400, output: 20 } }),
      ])
      .script("worker", [say("Words.", { usage: { input: 100, output: 50 } })]);
    await chat(desk, "Write.");
    await using page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await page.getByTitle("Usage and budget").click();
    const dialog = page.getByRole("dialog", { name: "Usage and budget" });
    const table = dialog.getByRole("table", { name: "Usage by agent" });
    const scribe = table.getByRole("row").filter({ hasText: "scribe" });
    await eventually(
      async () => (await scribe.getByRole("cell").allTextContents()).slice(0, 6),
      ["scribe", "100", "0", "50", "1", "0"],
    );
    // The same by day, as a chart with a table behind it.
    await dialog.getByRole("img", { name: /^Tokens by day\. Most on / }).waitFor();
    // However long it is, its button stays in view.
    await page.setViewportSize({ width: 1280, height: 480 });
    await eventually(() => page.evaluate("document.querySelector('.dialog').scrollTop"), 0);
    const close = dialog.getByRole("button", { name: "Close" });
    await eventually(async () => (await edgesOf(close)).bottom < 480, true);
    await page.setViewportSize({ width: 1280, height: 860 });
    await dialog.getByLabel("Show", { exact: true }).selectOption("Cost");
    await dialog.getByText("? the cost of some calls of the day is unknown").waitFor();
    await dialog.getByText("Show as table").click();
    const days = dialog.getByRole("table", { name: "Usage by day" }).locator("tbody tr");
    await eventually(
      async () => (await days.filter({ hasText: "scribe" }).getByRole("cell").allTextContents()).slice(1),
      ["scribe", "100", "50", "1", "unknown cost"],
    );
    await dialog.getByLabel("By", { exact: true }).selectOption("Model");
    await days.filter({ hasText: "boss" }).waitFor();
    // Agents have no memory yet, so no text mentions it.
    expect(await dialog.getByText(/memory|branch/i).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Set limits" }).click();
    await dialog.getByLabel("Tokens per day").fill("10");
    await dialog.getByRole("button", { name: "Save limits" }).click();
    await dialog.getByText("Used up. Running work finishes; new work starts after midnight UTC.").waitFor();
    // Its models have no prices: a limit in dollars would never be reached.
    expect(await dialog.getByText("had no price").count()).toBe(0);
    await dialog.getByRole("button", { name: "Edit limits" }).click();
    await dialog.getByLabel("Dollars per day").fill("2");
    await dialog.getByRole("button", { name: "Save limits" }).click();
    await dialog.getByText("calls today had no price, so the limits in dollars do not count them.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await chat(desk, "More.")).status).toBe("failed");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("passes axe in both themes and as a sheet", async () => {
    const desk = await room.desk("scribe");
    await makeGear(room.admin, { name: "one_more" });
    const page = await openOn(desk, `agent-${desk.agents["scribe"]}`);
    await button(page, "Show exact prompt").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await button(page, "Set limits").click();
    await button(page, /role$/).click();
    await button(page, "Bind gear").click();
    await side(page).getByRole("combobox", { name: "Gear" }).press("Escape");
    await button(page, "Bind gear").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.close();
    await using narrow = await openOn(desk, `agent-${desk.agents["scribe"]}`, { width: 390, height: 844 });
    await button(narrow, "Show exact prompt").click();
    await narrow.getByRole("dialog", { name: "Prompt of scribe" }).waitFor();
    expect(await accessibilityProblems(narrow)).toEqual([]);
    await eventually(() => narrow.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  });
});
