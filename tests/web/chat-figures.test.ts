// Goal: figures and places in the chat are true: tokens of each answer also after a reload, an unknown cost is no zero, and what a click
// unfolds stays where it was clicked.

import { afterEach, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { belowSight, bubble, chatRoom, chip, write } from "../kit/browser/chat-room.ts";
import { edgesOf } from "../kit/browser/edges.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { call, gate, say, usage } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

const TALL = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");

onScreen("the chat's figures", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  test("shows the tokens of each answer, the same after a reload", async () => {
    const desk = await room.desk("scribe");
    room.model
      .script("boss", [
        [
          say("I ask."),
          call("delegate", { agent: "scribe", task: "Go." }),
          usage({ input: 100, output: 20 }),
        ],
        [say("All done."), usage({ input: 150, output: 5 })],
      ])
      .script("worker", [[say("Written."), usage({ input: 40, output: 2 })]]);
    await using page = await room.open(desk.own);
    await desk.chat("go");
    for (const visit of ["live", "after a reload"]) {
      if (visit !== "live") await page.reload();
      await bubble(page, "orchestrator", "I ask.").getByText("120 tokens").waitFor();
      await bubble(page, "orchestrator", "All done.").getByText("155 tokens").waitFor();
      await bubble(page, "scribe", "Written.").getByText("42 tokens").waitFor();
      expect(await page.getByText("275 tokens").count()).toBe(0);
    }
  });

  test("keeps the time of an answer in sight on a narrow screen, and shortens what is before it", async () => {
    const desk = await room.desk();
    const { model_id: modelId } = await desk.orchestrator();
    const label = "a model with a name that is longer than a phone";
    await room.admin.patch(`/models/${modelId}`, { label });
    const hold = gate();
    room.model.script("boss", [[hold, ...say("Here.")]]);
    await using page = await room.open(desk.own, { width: 360, height: 740 });
    const right = async (part: Locator) => (await edgesOf(part)).right;
    const isIn = async (part: Locator, whole: Locator) => (await right(part)) <= (await right(whole));
    await write(page, "go");
    const thinking = bubble(page, "orchestrator", label);
    await eventually(() => isIn(thinking.getByText(label), thinking), true);
    hold.open();
    const answer = bubble(page, "orchestrator", "Here.");
    await answer.getByText(label).waitFor();
    await eventually(() => isIn(answer.locator("time"), answer), true);
    await room.admin.patch(`/models/${modelId}`, { label: "boss" });
  });

  test("says that a cost is unknown, and that a sum is at least so much", async () => {
    const desk = await room.desk("scribe");
    await room.admin.patch(desk.own, { budget: { cost_per_day: 5 } });
    room.model.script("boss", [[say("One."), usage({ input: 100_000, output: 0 })]]);
    await desk.chat("go");
    await using page = await room.open(desk.own);
    const meter = page.getByTitle("Usage and budget");
    await meter.getByText("unknown cost").waitFor();
    await meter.click();
    await page.getByRole("dialog").getByText("unknown cost of $5.00 today").waitFor();
    expect(await page.getByText("$0.00").count()).toBe(0);
    await page.keyboard.press("Escape");
    const { model_id: modelId } = await desk.orchestrator();
    await room.admin.patch(`/models/${modelId}`, { input_price: 1, output_price: 1 });
    room.model.script("boss", [[say("Two."), usage({ input: 100_000, output: 0 })]]);
    await desk.chat("again");
    await meter.getByText("at least $0.10").waitFor();
    await room.admin.patch(`/models/${modelId}`, { input_price: null, output_price: null });
  });

  test("an older answer never replaces the newest sum", async () => {
    const desk = await room.desk();
    const spending = (text: string) =>
      room.model.script("boss", [[say(text), usage({ input: 1_000, output: 0 })]]);
    await using page = await room.open(desk.own);
    const meter = page.getByTitle("Usage and budget");
    await meter.getByText("0 tokens").waitFor();
    const late = await holdRequest(page, new RegExp(`${desk.own}/usage$`), { what: "answer" });
    spending("One.");
    await desk.chat("go");
    await late.held;
    spending("Two.");
    await desk.chat("again");
    await meter.getByText("2,000 tokens").waitFor();
    await late.letGo();
    expect(await meter.innerText()).toContain("2,000 tokens");
  });

  test("writes figures as the reader's locale does", async () => {
    const desk = await room.desk();
    room.model.script("boss", [[say("One."), usage({ input: 12_000, output: 345 })]]);
    await desk.chat("go");
    await using context = await room.browser.newContext({
      locale: "de-DE",
      timezoneId: "Asia/Tokyo",
    });
    const page = await room.open(desk.own, { context });
    await bubble(page, "orchestrator", "One.").getByText("12.345 tokens").waitFor();
    const { created_at: time } = (await desk.entries()).at(-1)!;
    const local = new Intl.DateTimeFormat("de-DE", { timeStyle: "short", timeZone: "Asia/Tokyo" });
    await bubble(page, "orchestrator", "One.")
      .getByText(local.format(new Date(time)))
      .waitFor();
  });

  test("shows each agent with the same colour and initials everywhere", async () => {
    const desk = await room.desk("scribe", "scout");
    room.model
      .script("boss", [
        [
          call("delegate", { agent: "scribe", task: "Go." }),
          call("delegate", { agent: "scout", task: "Go." }),
        ],
        say("All done."),
      ])
      .script("worker", [say("Written."), say("Seen.")]);
    const { turn } = await desk.chat("go");
    await using page = await room.open(desk.own);
    const looks = async (avatars: Locator) => {
      await avatars.first().waitFor();
      const all = await avatars.evaluateAll((found) =>
        found.map((one) => `${one.textContent} ${/agent-\d/.exec(one.className)![0]}`),
      );
      return [...new Set(all)].toSorted();
    };
    const three = ["OR agent-1", "SC agent-2", "SO agent-3"];
    await bubble(page, "orchestrator", "All done.").waitFor();
    expect(await looks(page.locator(".chat-message .avatar:not(.person)"))).toEqual(three);
    await page.goto(`${room.url}${desk.own}/blueprint`);
    expect(await looks(page.locator(".blueprint-card .avatar"))).toEqual(three);
    await page.goto(`${room.url}${desk.own}/activity?turn=${turn.id}&inspect=agent-${desk.agents["scout"]}`);
    expect(await looks(page.locator(".activity-row .avatar"))).toEqual(three);
    expect(await looks(page.getByRole("complementary", { name: "Inspector" }).locator(".avatar"))).toEqual([
      "SO agent-3",
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("keeps a tool call where it was clicked, at the end of the conversation and above it", async () => {
    const desk = await room.desk();
    room.model.script("boss", [
      [say("First."), call("file_write", { path: "tall.txt", content: TALL })],
      [say("Second."), call("file_list", {})],
      say("The end."),
    ]);
    await desk.chat("go");
    await using page = await room.open(desk.own, { height: 700 });
    await page.getByText("The end.").waitFor();
    await eventually(() => belowSight(page), 0);
    for (const tool of ["file_write", "file_list"]) {
      const header = chip(page, tool);
      const top = async () => Math.round((await header.boundingBox())!.y);
      const before = await top();
      await header.click();
      await page.getByRole("region", { name: "Result" }).waitFor();
      // The row has been measured again, and the page painted.
      await page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))",
      );
      expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
      await header.click();
      await page.getByRole("region", { name: "Result" }).waitFor({ state: "detached" });
    }
  });
});
