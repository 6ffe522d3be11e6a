// Goal: a turn's steps appear under their caller as they happen; a model call shows the exact prompt and its changes since the previous
// call; everything works by keyboard.

import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import type { PageOptions } from "../kit/browser/browser.ts";
import { chatRoom, SLOW_GEAR } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { approvedGear } from "../kit/service/gears.ts";
import type { Place } from "../kit/service/place.ts";
import { call, gate, noUsage, say } from "../kit/model/index.ts";
import { modelCall, run, stepsFrom, tool } from "../kit/service/turn-steps.ts";
import { KEY } from "../kit/service/world.ts";
import type { TurnSteps } from "../../src/service/turns/schema.ts";
import { money } from "../../web/kit/format.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const LONG_TASK = `Count the words of this list.\n${"one more line of the list\n".repeat(60)}`;

const steps = (page: Page) => page.getByRole("treegrid", { name: /^Steps of turn/ });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const step = (page: Page, name: string | RegExp) => steps(page).getByRole("row").filter({ hasText: name });

/** Each row as its level and name, without the header. */
const rowsOf = (page: Page) =>
  steps(page)
    .locator("[role=row][aria-level]")
    .evaluateAll((rows) =>
      rows.map(
        (row) => `${row.getAttribute("aria-level")} ${row.querySelector("[title]")?.getAttribute("title")}`,
      ),
    );

/** The texts of the parts in the inspector. */
const textsOf = (page: Page) =>
  inspector(page)
    .getByRole("list", { name: "Parts of the prompt" })
    .locator("pre.prompt-text:not(.scroll)")
    .evaluateAll((texts) => texts.map((text) => text.textContent));

onScreen("activity", chatRoom, (room) => {
  let desk: Place;
  let turnId: number;
  const own = () => desk.own;
  const open = (path: string, options?: PageOptions) => room.open(path, options);

  const chat = async (workspace: Place, text: string) => (await workspace.chat(text)).turn.id;
  const stepsOf = (id: number) => room.admin.get(`/turns/${id}/steps`);

  beforeAll(async () => {
    desk = await room.desk("scribe");
    // This provider does not have to report usage.
    const provider = await room.admin.post("/providers", {
      name: "plain",
      type: "openai-compatible",
      base_url: room.model.openaiUrl,
      api_key: KEY,
    });
    const plain = await room.admin.post("/models", {
      provider_id: provider.id,
      model_name: "plain",
      input_price: 1,
      output_price: 5,
    });
    await room.admin.patch(`/agents/${desk.agents["scribe"]}`, { model_id: plain.id });
    const gear = await approvedGear(room.admin);
    const binding = { gear_id: gear.id, agent_id: desk.agents["scribe"]! };
    await room.admin.post(`${own()}/gears`, binding);
    room.model
      .script("boss", [
        [say("I ask scribe."), call("delegate", { agent: "scribe", task: LONG_TASK })],
        say("It is twelve."),
      ])
      .script("plain", [
        [say("I count."), call("echo_args", { words: 12 }), call("file_read", { path: "missing.md" })],
        [noUsage(), ...say("Twelve words.")],
      ]);
    turnId = await chat(desk, "How many words are there?");
  });

  test("opens a turn from the list and shows its steps under their callers", async () => {
    await using page = await open(`${own()}/activity`);
    const row = page
      .getByRole("table", { name: "Turns" })
      .getByRole("row")
      .filter({ hasText: "How many words" });
    await row.getByText("done").waitFor();
    await row.click();
    await page.getByRole("heading", { name: `Turn ${turnId}` }).waitFor();
    await eventually(
      () => rowsOf(page),
      [
        "1 orchestrator · model call 1",
        "1 delegate → scribe",
        "2 model call 1",
        "2 echo_args v1",
        "2 file_read",
        "2 model call 2",
        "1 orchestrator · model call 2",
      ],
    );
    // One line of names at each level, whether a step has an avatar or not.
    const begins = await steps(page)
      .locator("[role=row][aria-level]")
      .evaluateAll((rows) =>
        rows.map((one) => [
          one.getAttribute("aria-level"),
          one.querySelector("[title]")!.getBoundingClientRect().left,
        ]),
      );
    expect(new Set(begins.map((begin) => begin.join(" "))).size).toBe(2);
    expect(new URL(page.url()).searchParams.get("turn")).toBe(String(turnId));
    await eventually(() => step(page, "file_read").getByText("failed").count(), 1);
    await eventually(() => step(page, "model call 2").first().getByText("not reported").count(), 1);
    const priced = (await stepsOf(turnId)).calls.find(({ cost }) => cost !== null)!;
    const costs = steps(page).locator("[aria-level] > .activity-cost");
    await eventually(
      () => costs.allTextContents(),
      ["unknown", "", money(priced.cost!), "", "", "unknown", "unknown"],
    );

    await step(page, "echo_args").click();
    const side = inspector(page);
    await side.getByRole("heading", { name: "echo_args" }).waitFor();
    await side.getByRole("link", { name: "echo_args v1" }).waitFor();
    await side.getByText('{"words":12}').first().waitFor();
    await step(page, "delegate").click();
    await side.getByRole("link", { name: "scribe" }).click();
    await side.getByRole("heading", { name: "scribe", exact: true }).waitFor();
    await eventually(() => steps(page).count(), 1);
    await page.goBack();
    await side.getByRole("heading", { name: "delegate" }).waitFor();
    await page.goBack();
    await page.getByRole("table", { name: "Turns" }).waitFor();
  });

  test("shrinks and labels minutes of waiting for a person", async () => {
    await using page = await room.browser.open("about:blank", "");
    await page.route(`**/api/v1/turns/${turnId}/steps`, async (route) => {
      const { turn } = await stepsOf(turnId);
      const waited = 4 * 60_000;
      const json: TurnSteps = stepsFrom(Date.parse(turn.started_at!), {
        turn,
        runs: [run(1, "boss")],
        calls: [modelCall(1, 1, 0, 0, 2_000), modelCall(2, 1, 1, waited + 2_000, 2_000)],
        tools: [tool("s", 1, "web_search", 2_000, waited + 2_000)],
      });
      await route.fulfill({ json });
    });
    await page.goto(`${room.url}${own()}/activity?turn=${turnId}`);
    await steps(page)
      .getByRole("columnheader", { name: "Start; waited 4 min for a person, not to scale" })
      .waitFor();
    const widths = await steps(page)
      .locator(".activity-bar-of")
      .evaluateAll((bars) => bars.map((bar) => Math.round(bar.getBoundingClientRect().width)));
    const [first = 0, wait = 0, last = 0] = widths;
    expect(first).toBe(last);
    expect(first).toBeGreaterThan(2 * wait);
    expect(await step(page, "model call 2").textContent()).toContain("at 4 min 2 s");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("shows exactly the texts that the model received", async () => {
    const calls = (await stepsOf(turnId)).calls.filter(({ agent_id: id }) => id === desk.agents["scribe"]);
    await using page = await open(`${own()}/activity?turn=${turnId}&inspect=call-${calls[1]!.id}`);
    const side = inspector(page);
    await side.getByRole("heading", { name: "scribe · model call 2" }).waitFor();
    await side.getByRole("button", { name: /^Show all [\d,]+ characters$/ }).click();
    const sent = room.model.requestsOf("plain")[1]!;
    const [task, answer, results] = sent.messages;
    const expected = [
      sent.system,
      task!.text,
      answer!.text,
      ...answer!.calls.map((asked) => JSON.stringify(asked.args, null, 2)),
      ...results!.results.map(({ text }) => text),
    ];
    await eventually(() => textsOf(page), expected);
    expect(task!.text).toBe(LONG_TASK);
    const tools = side.getByRole("list", { name: `${sent.tools.length} tools` });
    await eventually(
      () => tools.locator("summary code").allTextContents(),
      sent.tools.map(({ name }) => name),
    );
    await tools.getByText("echo_args", { exact: true }).click();
    await side.getByLabel("Arguments of echo_args").getByText('"type": "object"').waitFor();
    const figure = (name: string) =>
      side.locator("dl.inspector-figures > div").filter({ hasText: name }).locator("dd").textContent();
    expect([await figure("Tokens in"), await figure("Cached"), await figure("Tokens out")]).toEqual([
      "not reported",
      "not reported",
      "not reported",
    ]);

    await side.getByRole("tab", { name: "Answer" }).click();
    await side.getByText("Twelve words.", { exact: true }).waitFor();
  });

  test("shows added entries and a changed role as differences", async () => {
    const calls = (await stepsOf(turnId)).calls.filter(({ agent_id: id }) => id === desk.orchestratorId);
    await using page = await open(`${own()}/activity?turn=${turnId}&inspect=call-${calls[1]!.id}`);
    const side = inspector(page);
    await side.getByRole("tab", { name: "Changed since call 1" }).click();
    await side.getByText("3 unchanged parts").waitFor();
    // A summary comes first.
    const summary = side.getByText(/^\+\d messages$/);
    await summary.waitFor();
    const changes = side.getByRole("list", { name: /^Differences/ });
    const entries = await room.admin.get(`${own()}/entries`);
    const added = entries.filter(({ thread, text }) => thread === 0 && /^(I ask|Twelve)/.test(text));
    await eventually(
      () => changes.getByRole("link").allTextContents(),
      added.map(({ id }) => `entry ${id}`),
    );
    await changes.getByRole("insertion").filter({ hasText: "Twelve words." }).waitFor();

    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "You are brief and exact." });
    room.model.script("boss", [say("Good.")]);
    await chat(desk, "Thanks.");
    await room.admin.patch(`/agents/${desk.orchestratorId}`, { role: "You are brief." });
    room.model.script("boss", [say("Bye.")]);
    const last = await chat(desk, "Bye.");
    await page.goto(`${room.url}${own()}/activity?turn=${last}`);
    await step(page, "model call 1").click();
    await side.getByRole("tab", { name: `Changed since turn ${last - 1}` }).click();
    await changes.getByText("Role", { exact: true }).waitFor();
    await changes.getByRole("deletion").filter({ hasText: "and exact" }).waitFor();
    await side.getByText("+2 messages, role changed").waitFor();
    const parts = await changes.getByRole("heading").allTextContents();
    expect(parts).toEqual(["Conversation", "Conversation", "Role"]);
    // The same over the whole window.
    await side.getByRole("button", { name: "Wide view" }).click();
    const wide = page.getByRole("dialog", { name: "orchestrator · model call 1" });
    await wide.getByText("+2 messages, role changed").waitFor();
    await eventually(async () => (await edgesOf(wide)).width > 1000, true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await wide.getByRole("button", { name: "Close" }).click();
    await side.getByRole("tab", { name: "Exact prompt" }).click();
    await side.getByRole("button", { name: "Wide view" }).click();
    await wide.getByRole("list", { name: "Parts of the prompt" }).getByText("You are brief.").waitFor();
    await page.keyboard.press("Escape");
    await wide.waitFor({ state: "detached" });
  });

  test("moves through rows, folding and the inspector by keyboard", async () => {
    await using page = await open(`${own()}/activity`);
    const focused = () =>
      page.evaluate("document.activeElement?.querySelector('[title]')?.getAttribute('title') ?? null");
    const turn = page
      .getByRole("table", { name: "Turns" })
      .getByRole("row")
      .filter({ hasText: "How many words" });
    await turn.focus();
    await page.keyboard.press("Enter");
    await step(page, "delegate → scribe").waitFor();
    await page.getByRole("button", { name: "All turns" }).focus();
    while ((await focused()) === null) await page.keyboard.press("Tab");
    await eventually(() => focused(), "orchestrator · model call 1");
    await page.keyboard.press("ArrowDown");
    await eventually(() => focused(), "delegate → scribe");
    await page.keyboard.press("ArrowLeft");
    await eventually(
      () => rowsOf(page),
      ["1 orchestrator · model call 1", "1 delegate → scribe", "1 orchestrator · model call 2"],
    );
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await eventually(() => focused(), "model call 1");
    await page.keyboard.press("Enter");
    const heading = inspector(page).getByRole("heading", { name: "scribe · model call 1" });
    await heading.waitFor();
    await eventually(() => focused(), "model call 1");
    await page.keyboard.press("End");
    await eventually(() => focused(), "orchestrator · model call 2");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await heading.waitFor({ state: "detached" });
  });

  test("adds steps while a turn runs", async () => {
    const live = await room.desk("scribe");
    const hold = gate();
    room.model
      .script("boss", [
        [...say("I ask."), call("delegate", { agent: "scribe", task: "Count." })],
        say("All counted."),
      ])
      .script("worker", [call(SLOW_GEAR), [...say("Nearly "), hold, ...say("there.")]]);
    await using page = await open(`${live.own}/activity`);
    await page.getByRole("heading", { name: "No turns yet" }).waitFor();
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    const { turn } = await room.admin.post(`${live.own}/chat`, { text: "Count for me." });
    const row = page
      .getByRole("table", { name: "Turns" })
      .getByRole("row")
      .filter({ hasText: "Count for me." });
    await row.getByText("running").waitFor();
    await row.click();
    await step(page, SLOW_GEAR).click();
    await inspector(page).getByText("counting").waitFor();
    await inspector(page).getByText("No result yet.").waitFor();
    await room.letGearGo();
    await inspector(page).getByText("counted").first().waitFor();
    await step(page, "model call 2").click();
    await inspector(page).getByRole("tab", { name: "Answer" }).click();
    await inspector(page).getByText("Nearly").waitFor();
    hold.open();
    await inspector(page).getByText("Nearly there.").waitFor();
    await step(page, "orchestrator · model call 2").waitFor();
    await page.getByRole("status").getByText("done").waitFor();
    await eventually(
      () => rowsOf(page),
      [
        "1 orchestrator · model call 1",
        "1 delegate → scribe",
        "2 model call 1",
        `2 ${SLOW_GEAR} v1`,
        "2 model call 2",
        "1 orchestrator · model call 2",
      ],
    );
    expect((await stepsOf(turn.id)).turn.status).toBe("done");
  });

  test("shows a failed request and retries it; reports missing turns and calls", async () => {
    await using page = await open("/settings");
    let broken = true;
    await page.route(`**/api/v1/turns/${turnId}/steps`, (route) =>
      broken
        ? route.fulfill({
            status: 503,
            json: { error: { message: "storage does not answer", code: "unavailable", request_id: "r1" } },
          })
        : route.continue(),
    );
    await page.goto(`${room.url}${own()}/activity?turn=${turnId}`);
    await page.getByRole("alert").getByText("storage does not answer").waitFor();
    broken = false;
    await page.getByRole("button", { name: "Retry" }).click();
    await step(page, "delegate → scribe").waitFor();
    await page.goto(`${room.url}${own()}/activity?turn=999&inspect=call-999`);
    await page.getByRole("heading", { name: "Turn not found" }).waitFor();
    await inspector(page).getByText("This model call no longer exists.").waitFor();
    room.browser.expected(/status of (503|404)/);
  });

  test("filters turns by agent, status and text, with tokens and cost at every width, and exports them", async () => {
    const many = await room.desk("scribe");
    room.model
      .script("boss", [say("Plain."), call("delegate", { agent: "scribe", task: "Count." }), say("Counted.")])
      .script("worker", [say("Twelve.")]);
    await chat(many, "=1+1 is a question");
    await chat(many, "Ask the scribe.");
    await using page = await open(`${many.own}/activity`);
    const rows = page.getByRole("table", { name: "Turns" }).getByRole("row");
    await eventually(() => rows.count(), 3);
    await rows.nth(1).getByText("orchestrator, scribe").waitFor();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("scribe");
    await eventually(() => rows.count(), 2);
    await page.getByRole("combobox", { name: "Status" }).selectOption("failed");
    await page.getByRole("heading", { name: "No turns match" }).waitFor();
    await button(page, "Clear filters").click();
    await eventually(() => rows.count(), 3);
    await page.getByRole("searchbox", { name: "Filter by text" }).fill("QUESTION");
    await eventually(() => rows.count(), 2);
    await rows.nth(1).getByText("=1+1 is a question").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download CSV" }).click();
    const lines = (await Bun.file((await (await saved).path())!).text()).trimEnd().split("\r\n");
    expect([lines.length, lines[1]!.includes("'=1+1 is a question")]).toEqual([2, true]);
    await page.setViewportSize({ width: 390, height: 844 });
    const facts = page.locator(".activity-text .compact").first();
    await eventually(() => facts.isVisible(), true);
    expect(await facts.innerText()).toMatch(/\d+ tokens · .*cost|\d+ tokens · \$/);
  });

  test("passes axe in both themes and on a narrow page with the inspector as a sheet", async () => {
    const calls = (await stepsOf(turnId)).calls;
    const page = await open(`${own()}/activity`);
    await page.getByRole("table", { name: "Turns" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.goto(`${room.url}${own()}/activity?turn=${turnId}&inspect=call-${calls[2]!.id}`);
    const side = inspector(page);
    for (const tab of ["Exact prompt", /^Changed since/, "Answer"]) {
      await side.getByRole("tab", { name: tab }).click();
      await side.getByRole("tabpanel").locator("p, li, pre").first().waitFor();
      expect(await problemsInBothThemes(page)).toEqual([]);
    }
    await page.close();
    await using narrow = await open(`${own()}/activity?turn=${turnId}`, { width: 390, height: 844 });
    await step(narrow, "echo_args").click();
    await inspector(narrow).getByRole("heading", { name: "echo_args" }).waitFor();
    expect(await accessibilityProblems(narrow)).toEqual([]);
    await eventually(() => narrow.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await narrow.keyboard.press("Escape");
    await inspector(narrow).waitFor({ state: "detached" });
    await eventually(() => narrow.evaluate("document.activeElement?.getAttribute('role')"), "row");
  });
});
