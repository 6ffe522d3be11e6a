// Goal: an answer that arrives late undoes nothing: neither what a later answer has shown, nor what a person has typed or chosen meanwhile.

import { expect, test } from "bun:test";
import type { Page, WebSocketRoute } from "playwright-core";
import { editor, stateIs, typeAtEnd } from "../kit/browser/files-screen.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen({ model: true, people: { ada: "member", bo: "member", cy: "member" } });

onScreen("an answer that arrives late", made, (at) => {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const main = (page: Page) => page.getByRole("navigation", { name: "Main" });
  const side = (page: Page) => page.getByRole("complementary");
  const answerLate = (page: Page, url: RegExp, method = "GET") =>
    holdRequest(page, url, { what: "answer", method });

  test("replaces no newer version of a file", async () => {
    const put = (body: string) => at.admin.raw("PUT", `${at.own}/file?path=plan.md`, { body });
    await put("The first.");
    await using page = await at.open(`${at.own}/files`);
    const url = /\/file\?path=plan\.md/;
    const first = await answerLate(page, url);
    await page.getByRole("treeitem", { name: "plan.md" }).click();
    await first.held;
    await put("The second.");
    await eventually(() => editor(page, "plan.md").innerText(), "The second.");
    await first.letGo();
    await eventually(() => editor(page, "plan.md").innerText(), "The second.");
  });

  test("shows no turn as running that has ended since", async () => {
    const hanging = gate();
    at.model.script("boss", [[say("One moment. "), hanging, say("Done.")]]);
    await using page = await at.open("/settings");
    const turn = await at.begin("Go.");
    await hanging.reached;
    const url = /\/workspaces\/activity/;
    const first = await answerLate(page, url);
    await main(page).getByRole("link", { name: "Workspaces" }).click();
    await first.held;
    const running = page.getByRole("table").getByText("running");
    await running.waitFor();
    hanging.open();
    await at.end(turn);
    await running.waitFor({ state: "detached" });
    await first.letGo();
    expect(await running.count()).toBe(0);
  });

  test("keeps what was typed into an instruction since it was saved or created", async () => {
    const { id } = await at.admin.post("/instructions", { name: "tone", text: "Be" });
    await using page = await at.open(`/library/${id}`);
    await button(page, "Edit").click();
    const text = side(page).getByLabel("Text", { exact: true });
    await text.fill("Be brief");
    const url = /\/instructions(?:\/\d+)?$/;
    const saved = await answerLate(page, url, "PUT");
    await page.keyboard.press("ControlOrMeta+s");
    await saved.held;
    await page.keyboard.type(" and kind");
    await saved.letGo();
    await side(page).getByText("v2", { exact: true }).first().waitFor();
    await eventually(() => text.inputValue(), "Be brief and kind");
    await page.keyboard.press("ControlOrMeta+s");
    await text.waitFor({ state: "detached" });
    expect(await at.admin.get(`/instructions/${id}`)).toMatchObject({
      version: 3,
      text: "Be brief and kind",
    });

    await button(page, "Create instruction").click();
    await side(page).getByLabel("Name").fill("manners");
    await text.fill("Say");
    const created = await answerLate(page, url, "POST");
    await page.keyboard.press("ControlOrMeta+s");
    await created.held;
    await page.keyboard.type(" please");
    await created.letGo();
    await side(page).getByRole("heading", { name: "manners" }).waitFor();
    await eventually(() => text.inputValue(), "Say please");
    await button(page, "Save new version").click();
    await text.waitFor({ state: "detached" });
    await side(page).getByLabel("Text of the instruction").getByText("Say please").waitFor();
  });

  test("saves what was typed while a save was on its way, if saving was asked for again", async () => {
    const { id } = await at.admin.post("/instructions", { name: "tempo", text: "Be" });
    await using page = await at.open(`/library/${id}`);
    await button(page, "Edit").click();
    const text = side(page).getByLabel("Text", { exact: true });
    await text.fill("Be slow");
    const first = await answerLate(page, /\/instructions\/\d+$/, "PUT");
    await page.keyboard.press("ControlOrMeta+s");
    await first.held;
    await page.keyboard.type(" and steady");
    await page.keyboard.press("ControlOrMeta+s");
    await first.letGo();
    await text.waitFor({ state: "detached" });
    expect(await at.admin.get(`/instructions/${id}`)).toMatchObject({
      version: 3,
      text: "Be slow and steady",
    });

    await at.admin.raw("PUT", `${at.own}/file?path=pace.md`, { body: "" });
    await page.goto(`${at.url}${at.own}/files?path=pace.md`);
    await typeAtEnd(page, "pace.md", "Slow");
    const file = await answerLate(page, /\/file\?path=pace\.md/, "PUT");
    await page.keyboard.press("ControlOrMeta+s");
    await file.held;
    await page.keyboard.type(" and steady");
    await page.keyboard.press("ControlOrMeta+s");
    await file.letGo();
    const saved = async () => (await at.admin.get(`${at.own}/file?path=pace.md`)).content;
    await eventually(saved, "Slow and steady");
    await stateIs(page, "Saved");
  });

  test("keeps what was typed into the settings of a model and of a provider since they were saved", async () => {
    await using page = await at.open(`/models?open=model-${at.bossId}`);
    const model = await answerLate(page, /\/models\/\d+$/, "PATCH");
    await side(page).getByLabel("Label").fill("Chief");
    await button(page, "Save").click();
    await model.held;
    await side(page).getByLabel("Context size").fill("1000");
    await model.letGo();
    await page.getByText("Chief saved.").waitFor();
    await eventually(() => side(page).getByLabel("Context size").inputValue(), "1000");
    await button(page, "Save").click();
    const stored = async () => (await at.admin.get("/models")).find(({ id }) => id === at.bossId)!;
    await eventually(async () => (await stored()).context_tokens, 1000);
    expect((await stored()).label).toBe("Chief");

    await page.goto(`${at.url}/models?open=provider-${at.providerId}`);
    const provider = await answerLate(page, /\/providers\/\d+$/, "PATCH");
    const name = side(page).getByLabel("Name", { exact: true });
    await name.fill("Ours");
    await button(page, "Save").click();
    await provider.held;
    await name.fill("Ours, too");
    await provider.letGo();
    await side(page).getByRole("heading", { name: "Ours" }).waitFor();
    await eventually(() => name.inputValue(), "Ours, too");
  });

  test("keeps what was chosen for the next binding and for the next member", async () => {
    const { id } = await at.admin.post("/instructions", { name: "pace", text: "Take your time." });
    await using page = await at.open(`/library/${id}`);
    const agent = side(page).getByLabel("Agent", { exact: true });
    const bound = await answerLate(page, /\/workspaces\/\d+\/instructions$/, "POST");
    await side(page).getByLabel("Workspace").selectOption(String(at.workspaceId));
    await button(page, "Bind").click();
    await bound.held;
    await agent.selectOption(String(at.orchestratorId));
    await bound.letGo();
    await side(page).getByRole("listitem").filter({ hasText: "all agents" }).waitFor();
    await eventually(() => agent.inputValue(), String(at.orchestratorId));

    const team = await at.team("Crew", at.people.ada);
    await page.goto(`${at.url}/people?show=team-${team}`);
    const choose = async (member: string) => {
      await side(page).getByRole("combobox", { name: "Add member" }).fill(member);
      await page.getByRole("option", { name: member }).click();
    };
    const added = await answerLate(page, /\/members\/\d+$/, "PUT");
    await choose("bo");
    await button(page, "Add").click();
    await added.held;
    await choose("cy");
    await added.letGo();
    await button(page, "Remove bo").waitFor();
    await button(page, "Add").click();
    await button(page, "Remove cy").waitFor();
  });

  test("ends no shell that was started since, and takes the focus from nobody", async () => {
    // Before the first page, which asks for the status, too.
    await using page = await at.browser.open("about:blank", "");
    await page.route(/\/terminal\/status$/, (route) =>
      route.fulfill({ json: { on: true, reason: null, sessions: 0, sessions_max: 1, ticket: null } }),
    );
    const second = Promise.withResolvers<void>();
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/terminal$/, (socket) =>
      sockets.push(socket) === 2 ? second.promise : undefined,
    );
    const whyNot = await holdRequest(page, /\/api\/v1\/terminal$/);
    await page.goto(`${at.url}/settings`);
    await main(page).getByRole("link", { name: "Terminal" }).click();
    await button(page, "Start shell").click();
    const open = page.getByText("F6 leaves the terminal", { exact: false });
    await open.waitFor();
    await sockets[0]!.close();
    await whyNot.held;
    await button(page, "Restart shell").click();
    const files = page.getByLabel("Workspace files");
    await files.focus();
    second.resolve();
    await open.waitFor();
    expect(await files.evaluate((element) => element.matches(":focus"))).toBe(true);
    await whyNot.letGo();
    expect(await page.getByText("Session ended.", { exact: false }).count()).toBe(0);
    at.browser.expected(/status of 422/);
  });
});
