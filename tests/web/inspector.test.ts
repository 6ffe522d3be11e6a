// Goal: in the inspector one sees what is in front of an agent's model and changes it: role, instructions, gears, limits, model, name; what is
// changed counts from the next turn on, and what is refused or lost is said.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ROLE_CHARACTERS_MAX } from "../../src/service/blueprint/schema.ts";
import { ROLE_CHARACTERS } from "../../web/screens/inspector/limits.ts";
import { accessibilityProblems } from "../kit/axe.ts";
import { type PageOptions } from "../kit/browser.ts";
import { chatRoom } from "../kit/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { makeGear } from "../kit/gears.ts";
import type { Place } from "../kit/place.ts";
import { call, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/screen.ts";

const side = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const button = (page: Page, name: string | RegExp) => side(page).getByRole("button", { name });

onScreen("the inspector", chatRoom, (room) => {
  const openOn = (workspace: Place, inspect: string, options?: PageOptions) =>
    room.open(`${workspace.own}/activity?inspect=${inspect}`, options);
  const agent = (id: number, workspace: Place) =>
    room.admin.get(`${workspace.own}/agents`).then((agents) => agents.find((one) => one.id === id));
  const chat = async (workspace: Place, text: string) => (await workspace.chat(text)).turn;

  test("the form knows the server's limit of a role", () => {
    expect(ROLE_CHARACTERS).toBe(ROLE_CHARACTERS_MAX);
  });

  test("a cost that is not known says why, and where prices are given", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("One.")]);
    const turn = await chat(desk, "Begin.");
    const { calls } = await room.admin.get(`/turns/${turn.id}/steps`);
    const page = await openOn(desk, `call-${calls[0]!.id}`);
    await side(page).getByText("the model had no price when it was called", { exact: false }).waitFor();
    await side(page).getByRole("link", { name: "Its prices" }).click();
    await page.waitForURL(`**/models?open=model-${calls[0]!.model_id}`);
    await page.getByRole("textbox", { name: "Output", exact: true }).waitFor();
    await page.close();
  });

  test("a role that is edited is in the next prompt, and in what stands in front of the model", async () => {
    const desk = await room.desk();
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, "See exact prompt").waitFor();
    await button(page, /^(Edit|Write a) role$/).click();
    await side(page).getByLabel("Role, sent before everything else").fill("You count sheep.");
    await button(page, "Save").click();
    await button(page, "Edit role").waitFor();
    await side(page).getByText("You count sheep.").waitFor();
    room.model.script("boss", [say("One.")]);
    await chat(desk, "Begin.");
    expect(room.model.requestsOf("boss").at(-1)!.system).toBe("You count sheep.");
    await button(page, "See exact prompt").click();
    const dialog = page.getByRole("dialog", { name: "Prompt of orchestrator" });
    await dialog.getByText("Begin.", { exact: true }).waitFor();
    await dialog.getByText("You count sheep.", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // It closed the dialog, not what was behind it.
    await button(page, "See exact prompt").waitFor();
    await page.close();
  });

  test("a role that somebody else changed meanwhile is not overwritten unasked", async () => {
    const desk = await room.desk();
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, /^(Edit|Write a) role$/).click();
    const field = side(page).getByLabel("Role, sent before everything else");
    await field.fill("Mine.");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "Theirs." });
    await side(page).getByText("Somebody else changed this role while you were writing.").waitFor();
    expect(await button(page, "Save").isDisabled()).toBe(true);
    expect(await field.inputValue()).toBe("Mine.");
    await page.keyboard.press("Escape");
    expect(await field.inputValue()).toBe("Mine.");
    await button(page, "Take theirs").click();
    expect(await field.inputValue()).toBe("Theirs.");
    await field.fill("Both.");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "Theirs again." });
    await button(page, "Keep mine").click();
    await button(page, "Save").click();
    await eventually(async () => (await agent(desk.orchestratorId, desk))!.role, "Both.");
    await page.close();
  });

  test("a limit that is set stops the next turn with its words; what is no number is said at the field", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("Hello.", { usage: { input: 900, output: 100 } })]);
    await chat(desk, "Hello?");
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await side(page).getByText("1,000 tokens, $0.00 today").waitFor();
    await button(page, "Set limits").click();
    await side(page).getByLabel("Tokens a day").fill("many");
    await button(page, "Save limits").click();
    await side(page).getByText("a whole number above 0, or nothing").waitFor();
    expect(await side(page).getByLabel("Tokens a day").inputValue()).toBe("many");
    await side(page).getByLabel("Tokens a day").fill("1000");
    await button(page, "Save limits").click();
    await side(page).getByText("1,000 of 1,000 tokens today").waitFor();
    expect((await agent(desk.orchestratorId, desk))!.budget).toEqual({ tokens_per_day: 1000 });
    const turn = await chat(desk, "Once more?");
    expect(turn.status).toBe("failed");
    expect(turn.error).toContain("budget for a day");
    await page.goto(`${room.url}${desk.own}/activity?turn=${turn.id}`);
    await page.getByText(turn.error!, { exact: true }).first().waitFor();
    await page.getByRole("heading", { name: "This turn has no steps" }).waitFor();
    await page.close();
  });

  test("an instruction is bound and unbound, and its part comes and goes; a refusal is told", async () => {
    const desk = await room.desk();
    const { admin, model } = room;
    const { id } = await admin.post("/instructions", {
      name: "tone",
      text: "Speak softly.",
    });
    await admin.patch(`/agents/${desk.orchestratorId}`, { role: "You are here." });
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await button(page, "Bind an instruction").click();
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

    // Deleted while the list still shows it.
    await button(page, "Bind an instruction").click();
    await side(page).getByRole("combobox", { name: "Instruction" }).fill("to");
    await admin.delete(`/instructions/${id}`);
    await page.getByRole("option", { name: /^tone/ }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /not found|does not exist/ })
      .first()
      .waitFor();
    room.browser.expected(/status of 404/);
    await page.close();
  });

  test("a worker is renamed, gets a gear that waits for approval, loses its wire and is removed; the orchestrator is not", async () => {
    const desk = await room.desk("scribe");
    const { admin } = room;
    const gear = await makeGear(admin, { name: "tally_up" });
    const page = await openOn(desk, `agent-${desk.agents["scribe"]}`);
    await button(page, "Rename").click();
    await side(page).getByRole("textbox", { name: "Name" }).fill("orchestrator");
    await side(page).getByRole("textbox", { name: "Name" }).press("Enter");
    await side(page).getByRole("alert").first().waitFor();
    await side(page).getByRole("textbox", { name: "Name" }).fill("writer");
    await side(page).getByRole("textbox", { name: "Name" }).press("Enter");
    await side(page).getByRole("heading", { name: "writer", exact: true }).waitFor();

    await button(page, "Bind a gear").click();
    await side(page).getByRole("combobox", { name: "Gear" }).fill("tally");
    await page.getByRole("option", { name: /^tally_up/ }).click();
    await side(page).getByText("pending v1").waitFor();
    const approve = side(page).getByRole("link", { name: "Approve" });
    expect(await approve.getAttribute("href")).toBe(`/gears/${gear.id}/review`);
    // News about the row do not take the focus from it.
    await button(page, "Unbind tally_up").focus();
    await admin.patch(`/gears/${gear.id}`, { status: "approved", content_hash: gear.content_hash });
    await side(page).getByText("approved v1").last().waitFor();
    await page.keyboard.press("Enter");
    await side(page).getByText("tally_up").waitFor({ state: "detached" });

    await button(page, "Remove the wire from orchestrator").focus();
    await page.keyboard.press("Enter");
    await side(page).getByText("Is asked by").waitFor({ state: "detached" });
    expect(await admin.get(`${desk.own}/wires`)).toEqual([]);

    await button(page, "Remove agent").click();
    await page
      .getByRole("dialog", { name: "Remove writer?" })
      .getByRole("button", { name: "Remove agent" })
      .click();
    await side(page).waitFor({ state: "detached" });
    expect(await agent(desk.agents["scribe"]!, desk)).toBe(undefined);
    await page.goto(`${room.url}${desk.own}/activity?inspect=agent-${desk.agents["scribe"]}`);
    await side(page)
      .getByText(/does not exist any more|was removed/)
      .waitFor();
    await page.goto(`${room.url}${desk.own}/activity?inspect=agent-${desk.orchestratorId}`);
    await button(page, "Edit role").or(button(page, "Write a role")).waitFor();
    expect(await button(page, "Remove agent").count()).toBe(0);
    expect(await button(page, "Rename").count()).toBe(0);
    room.browser.expected(/status of 4\d\d/);
    await page.close();
  });

  test("another model is chosen; the next call goes to it", async () => {
    const desk = await room.desk();
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    const field = side(page).getByRole("combobox", { name: "Model of this agent" });
    // It shows the present one as soon as it knows what there is to choose from.
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
    await page.close();
  });

  test("an entry is forgotten and restored; it says which call sent it", async () => {
    const desk = await room.desk();
    room.model.script("boss", [[say("I look."), call("file_list", {})], say("Nothing there.")]);
    await chat(desk, "What is there?");
    const entries = await room.admin.get(`${desk.own}/entries`);
    const first = entries.find(({ kind }) => kind === "person")!;
    const page = await openOn(desk, `entry-${first.id}`);
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
    await side(page).getByText("This entry does not exist any more.").waitFor();
    await page.goto(`${room.url}${desk.own}/activity?inspect=wire-999999`);
    await side(page).getByText("This wire does not exist any more.").waitFor();
    await page.close();
  });

  test("the meter opens use and budget of the workspace; its limit counts for all agents", async () => {
    const desk = await room.desk("scribe");
    room.model
      .script("boss", [
        call("delegate", { agent: "scribe", task: "Write." }),
        say("Written.", { usage: { input: 400, output: 20 } }),
      ])
      .script("worker", [say("Words.", { usage: { input: 100, output: 50 } })]);
    await chat(desk, "Write.");
    const page = await openOn(desk, `agent-${desk.orchestratorId}`);
    await page.getByTitle("Usage and budget").click();
    const dialog = page.getByRole("dialog", { name: "Workspace" });
    const table = dialog.getByRole("table", { name: "Use of each agent" });
    const scribe = table.getByRole("row").filter({ hasText: "scribe" });
    await eventually(
      async () => (await scribe.getByRole("cell").allTextContents()).slice(0, 6),
      ["scribe", "100", "0", "50", "1", "0"],
    );
    // Agents have no memory yet, so nothing speaks of it.
    expect(await dialog.getByText(/memory|branch/i).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Set limits" }).click();
    await dialog.getByLabel("Tokens a day").fill("10");
    await dialog.getByRole("button", { name: "Save limits" }).click();
    await dialog.getByText("Used up: until tomorrow it only ends what it has begun.").waitFor();
    expect((await chat(desk, "More.")).status).toBe("failed");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.close();
  });

  test("axe finds nothing, in both themes and as a sheet", async () => {
    const desk = await room.desk("scribe");
    await makeGear(room.admin, { name: "one_more" });
    const page = await openOn(desk, `agent-${desk.agents["scribe"]}`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await button(page, "See exact prompt").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await button(page, "Set limits").click();
    await button(page, /role$/).click();
    await button(page, "Bind a gear").click();
    await side(page).getByRole("combobox", { name: "Gear" }).press("Escape");
    await button(page, "Bind a gear").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.close();
    const narrow = await openOn(desk, `agent-${desk.agents["scribe"]}`, { width: 390, height: 844 });
    await button(narrow, "See exact prompt").click();
    await narrow.getByRole("dialog", { name: "Prompt of scribe" }).waitFor();
    expect(await accessibilityProblems(narrow)).toEqual([]);
    expect(await narrow.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await narrow.close();
  });
});
