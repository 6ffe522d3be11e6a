// Goal: a person talks to the orchestrator and sees its workers, tools and their output live; cancels, queues, retries, forgets and
// restores; no input is lost.

import { afterEach, expect, test } from "bun:test";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { belowSight, bubble, chatRoom, chip, composer, SLOW_GEAR, write } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { call, gate, hang, httpError, say, think, times } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());
  test("shows a turn with a worker and a gear live, the same after a reload and to someone else", async () => {
    const workspace = await room.desk("scribe");
    await using page = await room.open(workspace.own);
    const hold = gate();
    const end = gate();
    room.model
      .script("boss", [
        [
          think("It is for scribe."),
          say("I ask **scribe**."),
          call("delegate", { agent: "scribe", task: "Count it." }),
        ],
        [...say("All of it "), end, ...say("is counted.")],
      ])
      .script("worker", [
        [say("I count."), call(SLOW_GEAR, { from: 1 })],
        [...say("It is "), hold, ...say("twelve.")],
      ]);
    await write(page, "How many are there?");
    await page.getByRole("article", { name: "You said" }).getByText("How many are there?").waitFor();
    await eventually(() => composer(page).inputValue(), "");
    await bubble(page, "orchestrator", "I ask scribe.").getByText("boss").waitFor();
    const worker = bubble(page, "scribe", "I count.");
    await worker.getByText("called by orchestrator").waitFor();
    await page.getByText("scribe is running slow_count").first().waitFor();

    await chip(page, SLOW_GEAR).click();
    await worker.getByRole("region", { name: "Arguments" }).getByText('"from": 1').waitFor();
    await worker.getByRole("region", { name: "Output" }).getByText("counting").waitFor();
    // Someone else, and the same person after a reload, see all of it.
    await using other = await room.open(workspace.own, { theme: "dark" });
    await page.reload();
    for (const viewer of [page, other]) {
      await chip(viewer, SLOW_GEAR).click();
      await bubble(viewer, "scribe", "I count.")
        .getByRole("region", { name: "Output" })
        .getByText("counting")
        .waitFor();
    }
    await room.letGearGo();
    for (const viewer of [page, other]) {
      const result = bubble(viewer, "scribe", "I count.").getByRole("region", { name: "Result" });
      await result.getByText("counted").waitFor();
      await bubble(viewer, "scribe", "It is").waitFor();
    }
    // In mid-sentence.
    await page.reload();
    await bubble(page, "scribe", "It is").waitFor();
    hold.open();
    await bubble(page, "scribe", "It is twelve.").waitFor();
    await bubble(other, "orchestrator", "All of it").waitFor();
    end.open();
    for (const viewer of [page, other])
      await bubble(viewer, "orchestrator", "All of it is counted.").waitFor();

    await chip(page, SLOW_GEAR).click();
    const gear = worker.getByRole("link", { name: `Gear ${SLOW_GEAR}, version 1` });
    expect(await gear.getAttribute("href")).toMatch(/^\/gears\/\d+$/);
    await worker.getByRole("button", { name: "scribe", exact: true }).click();
    await page.waitForURL(`**${workspace.own}?inspect=agent-${workspace.agents["scribe"]}`);
    await page.getByRole("button", { name: "Reasoning" }).click();
    await page.getByText("It is for scribe.").last().waitFor();
    expect(room.model.problems).toEqual([]);
  });

  test("cancels a turn and keeps and marks its text; Escape cancels nothing", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    room.model.script("boss", [[...say("This is how "), hang()]]);
    await write(page, "Tell me everything.");
    await bubble(page, "orchestrator", "This is how").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped. The conversation so far is kept.").waitFor();
    await bubble(page, "orchestrator", "This is how").getByText("interrupted").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    const turns = await room.admin.get(`${workspace.own}/turns`);
    expect(turns.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  test("queues messages while a turn runs, cancels one and sends the next; reports a full queue and keeps the text", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    const hold = gate();
    room.model.script("boss", [[...say("First "), hold, ...say("done.")], say("Second done.")]);
    await write(page, "first");
    await bubble(page, "orchestrator", "First").waitFor();
    await write(page, "second");
    await write(page, "third");
    const queued = page.getByRole("article", { name: "Queued message" });
    await eventually(() => queued.count(), 2);
    await queued.filter({ hasText: "third" }).getByRole("button", { name: "Cancel", exact: true }).click();
    await eventually(() => composer(page).inputValue(), "third");
    await eventually(() => queued.count(), 1);
    for (let index = 0; index < 15; index++)
      await room.admin.post(`${workspace.own}/chat`, { text: `more ${index}`, queue: true });
    await composer(page).press("Enter");
    await page.getByRole("alert").getByText("16 turns are already queued").waitFor();
    await eventually(() => composer(page).inputValue(), "third");
    room.browser.expected(/status of 422/);
    room.model.script("boss", [times(15, say("One more done."))]);
    hold.open();
    await eventually(
      async () =>
        (await room.admin.get(`${workspace.own}/turns`)).filter(({ status }) => status === "done").length,
      17,
    );
    const said = await room.admin.get(`${workspace.own}/entries`);
    expect(said.filter(({ kind }) => kind === "person").map(({ text }) => text)).toEqual([
      "first",
      "second",
      ...Array.from({ length: 15 }, (_, index) => `more ${index}`),
    ]);
  });

  test("shows a provider's failure verbatim, and resumes the turn", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    const broken = httpError(500, "our racks are on fire", { retryAfter: 0 });
    room.model.script("boss", [times(3, broken), say("Works again.")]);
    await write(page, "Are you there?");
    const failed = page.getByRole("group", { name: "The turn failed" });
    await failed.getByText("our racks are on fire").waitFor();
    await failed.getByRole("button", { name: "Resume" }).click();
    await bubble(page, "orchestrator", "Works again.").waitFor();
    await eventually(() => failed.count(), 0);
    room.model.problems.length = 0;
  });

  test("stops sending a forgotten entry and marks it; sends it again once restored", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    room.model.script("boss", [say("Noted."), say("Which one?"), say("That one.")]);
    await write(page, "The word is plum.");
    await bubble(page, "orchestrator", "Noted.").waitFor();
    const first = page.getByRole("article", { name: "You said" }).filter({ hasText: "plum" });
    const act = async (action: string) => {
      await first.getByRole("button", { name: "Actions for the message of You" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Forget");
    await first.getByText("not sent to the model").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await write(page, "What is the word?");
    await bubble(page, "orchestrator", "Which one?").waitFor();
    await act("Restore");
    await eventually(() => first.getByText("not sent to the model").count(), 0);
    await write(page, "And now?");
    await bubble(page, "orchestrator", "That one.").waitFor();
    const sent = room.model.requestsOf("boss").slice(-2);
    expect(sent.map(({ messages }) => messages.some(({ text }) => text.includes("plum")))).toEqual([
      false,
      true,
    ]);
    // An answer links to the exact prompt of its call.
    const last = bubble(page, "orchestrator", "That one.");
    await last.getByRole("button", { name: "Actions for this answer by orchestrator" }).click();
    await page.getByRole("menuitem", { name: "Show exact prompt" }).click();
    await page.waitForURL(/inspect=call-\d+$/);
  });

  test("writes two lines, sends, opens a tool and its menu by keyboard, and keeps the focus", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    room.model.script("boss", [[say("I look."), call("file_list", {})], say("Nothing there.")]);
    await eventually(() => composer(page).evaluate((element) => element.matches(":focus")), true);
    await page.keyboard.type("What files");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("are there?");
    await eventually(() => composer(page).inputValue(), "What files\nare there?");
    await page.keyboard.press("Enter");
    await bubble(page, "orchestrator", "Nothing there.").waitFor();
    const focused = () =>
      page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent");
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 15; presses++) {
        if ((await focused())?.includes(name)) return;
        await page.keyboard.press("Shift+Tab");
      }
      throw new Error(`no way to ${name}, now at ${await focused()}`);
    };
    await tabTo("file_list");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Result" }).waitFor();
    await eventually(() => chip(page, "file_list").getAttribute("aria-expanded"), "true");
    await tabTo("Actions for this answer by orchestrator");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Copy as Markdown" }).waitFor();
    await page.keyboard.press("Escape");
    await eventually(focused, "Actions for this answer by orchestrator");
  });

  test("a menu that loads late takes no key from a person who has begun to type", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("Good day.")]);
    await using page = await room.open(desk.own);
    await write(page, "Hello");
    await bubble(page, "orchestrator", "Good day.").waitFor();
    const loading = await holdRequest(page, /\/entry-actions-[\w-]+\.js$/);
    const menu = page.getByRole("button", { name: "Actions for this answer by orchestrator" });
    await menu.click();
    await loading.held;
    await composer(page).click();
    await page.keyboard.type("How ");
    await loading.letGo();
    await page.keyboard.type("are you?");
    await eventually(() => composer(page).inputValue(), "How are you?");
    expect(await page.getByRole("menu").count()).toBe(0);
    await menu.click();
    await page.getByRole("menuitem", { name: "Quote" }).waitFor();
  });

  test("keeps a draft across a reload; keeps the scroll position and counts new entries", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own, { height: 520 });
    await composer(page).fill("half a thou");
    await page.reload();
    await eventually(() => composer(page).inputValue(), "half a thou");
    const long = `${"A line of the answer.\n\n".repeat(30)}The end.`;
    const hold = gate();
    room.model.script("boss", [say(long), [...say("New "), hold, ...say("words. ".repeat(60))]]);
    await write(page, "Speak at length.");
    await page.getByText("The end.").waitFor();
    // At the end it follows new entries.
    await eventually(() => belowSight(page), 0);
    await page.getByRole("group", { name: "Conversation" }).hover();
    // Even the smallest scroll stops following.
    await page.mouse.wheel(0, -12);
    await eventually(() => belowSight(page), 12);
    await page.mouse.wheel(0, -388);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const place = () =>
      page.getByRole("group", { name: "Conversation" }).evaluate((element) => element.scrollTop);
    const before = await place();
    await room.admin.post(`${workspace.own}/chat`, { text: "Speak again." });
    await page.getByRole("button", { name: "Jump to latest 2 new" }).waitFor();
    await eventually(() => place(), before);
    // Switching views and back moves nothing.
    await page.getByRole("link", { name: "Files" }).click();
    await page.waitForURL("**/files");
    await page.getByRole("link", { name: "Chat" }).click();
    await eventually(() => place(), before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    hold.open();
    await page.getByText("words. words. words.").first().waitFor();
    await eventually(() => page.getByText("is answering").count(), 0);
    await eventually(() => belowSight(page), 0);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor({ state: "detached" });
    // A person who sends a message wants to see it, wherever they were.
    await page.getByRole("group", { name: "Conversation" }).hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    room.model.script("boss", [say("Heard.")]);
    await write(page, "Do you hear me?");
    await bubble(page, "orchestrator", "Heard.").waitFor();
    await eventually(() => belowSight(page), 0);
  });

  test("keeps the end of the conversation visible when a refusal appears above the composer", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own, { height: 520 });
    room.model.script("boss", [say(`${"A line of the answer.\n\n".repeat(30)}The end.`)]);
    await write(page, "Speak at length.");
    await page.getByText("The end.").waitFor();
    await eventually(() => page.getByText("is answering").count(), 0);
    await eventually(() => belowSight(page), 0);
    await page.route("**/api/**", (route) => route.abort());
    await composer(page).fill("This will not arrive.");
    await composer(page).press("Enter");
    await page.getByText("The server is unreachable.").waitFor();
    await eventually(() => belowSight(page), 0);
    await eventually(() => composer(page).inputValue(), "This will not arrive.");
    room.browser.expected(/ERR_FAILED/);
  });

  test("suggests messages in an empty conversation; passes axe in a full one", async () => {
    const workspace = await room.desk("scribe");
    await using page = await room.open(workspace.own);
    await page.getByRole("heading", { name: "Talk to the orchestrator" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Write a gear that counts" }).click();
    await eventually(() => composer(page).inputValue(), "Write a gear that counts the words in a text.");
    const hold = gate();
    room.model
      .script("boss", [
        [
          think("Hm."),
          say(
            "# One\n\n### Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n\n- [x] done",
          ),
          call("delegate", { agent: "scribe", task: "Go." }),
          call("file_read", { path: "nothing.txt" }),
        ],
      ])
      .script("worker", [[...say("I am on it"), hold]]);
    await composer(page).press("Enter");
    await bubble(page, "scribe", "I am on it").waitFor();
    await page.locator(".tok-keyword").first().waitFor();
    await chip(page, "file_read").click();
    await page.getByRole("region", { name: "Result, failed" }).waitFor();
    await composer(page).fill("next");
    await composer(page).press("Enter");
    await page.getByRole("article", { name: "Queued message" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    hold.open();
  });
});
