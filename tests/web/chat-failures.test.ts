// Goal: a failure says what helps: the provider whose key was refused, the time to the next attempt, what Try again and Resume do, and how to
// get the rest of an answer that was cut off.

import { afterEach, expect, test } from "bun:test";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import { bubble, chatRoom, write } from "../kit/browser/chat-room.ts";
import { call, finish, httpError, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("failures in the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  test("leads to the key that the provider refused", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [httpError(401, "invalid x-api-key"), say("It works now.")]);
    await write(page, "Hello?");
    const failed = page.getByRole("group", { name: "The turn failed" });
    await failed.getByText("scripted refused its key.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const link = failed.getByRole("link", { name: "Change the key of scripted" });
    await eventually(() => link.getAttribute("href"), `/models?open=provider-${room.providerId}`);
    await failed.getByText("Resume continues after the last recorded step and repeats nothing.").waitFor();
    await failed.getByRole("button", { name: "Resume" }).click();
    await bubble(page, "orchestrator", "It works now.").waitFor();
    await failed.waitFor({ state: "detached" });
  });

  const refusals = [
    [402, "has no credit left, or has reached its spending limit."],
    [404, "has no model boss at its address."],
    [422, "refused this request, and would refuse it again."],
  ] as const;
  test.each(refusals)("says what helps after status %i", async (status, advice) => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [httpError(status, "no")]);
    await write(page, "Hello?");
    const failed = page.getByRole("group", { name: "The turn failed" });
    await failed.getByText(`scripted ${advice}`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    if (status === 404) {
      await failed.getByRole("link", { name: "Check boss" }).click();
      await page.waitForURL(/\/models\?open=model-\d+$/);
    }
    if (status === 422) {
      await failed.getByRole("button", { name: "Show what was sent" }).click();
      await page.getByRole("complementary", { name: "Inspector" }).getByText("Hello?").first().waitFor();
    }
  });

  test("resends the message with Try again, and keeps the failed attempt on its branch", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [httpError(400, "not to my taste"), say("On second thought.")]);
    await write(page, "Hello again?");
    const failed = page.getByRole("group", { name: "The turn failed" });
    await failed.getByText("Try again resends your message; this attempt stays on its branch.").waitFor();
    // The words of the failure are there after a reload, too.
    await page.reload();
    await failed.getByText("not to my taste").waitFor();
    await failed.getByRole("button", { name: "Try again" }).click();
    await bubble(page, "orchestrator", "On second thought.").waitFor();
    await failed.waitFor({ state: "detached" });
    await page.getByText("2 of 2").waitFor();
    expect(room.model.problems).toEqual([]);
  });

  test("counts down to the next attempt while the provider limits the rate, also after a reload", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [
      httpError(429, "slow down", { retryAfter: 1 }),
      say("At last."),
      httpError(429, "slow down", { retryAfter: 30 }),
    ]);
    await write(page, "Hurry.");
    await page.getByText("orchestrator is rate limited, retrying").first().waitFor();
    await bubble(page, "orchestrator", "At last.").waitFor();
    expect(await page.getByText("rate limited").count()).toBe(0);
    await write(page, "Hurry again.");
    const left = async () => {
      const text = await page.locator(".chat-doing", { hasText: "is rate limited, retrying" }).textContent();
      return Number(/in (\d+) s$/.exec(text ?? "")?.[1] ?? "NaN");
    };
    const first = await left();
    expect(first).toBeLessThanOrEqual(30);
    let later = first;
    await eventually(async () => (later = await left()) < first, true);
    await page.reload();
    const reloaded = await left();
    expect(reloaded).toBeLessThanOrEqual(later);
    expect(reloaded).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Stop" }).click();
    const stopped = page.getByText("Stopped. The conversation so far is kept.");
    await stopped.waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("says in the bubble of a worker why it failed, also after a reload", async () => {
    const desk = await room.desk("scribe");
    await using page = await room.open(desk.own);
    room.model
      .script("boss", [[call("delegate", { agent: "scribe", task: "Count it." })], say("It did not work.")])
      .script("worker", [httpError(400, "not to my taste")]);
    await write(page, "How many?");
    await bubble(page, "orchestrator", "It did not work.").waitFor();
    const failed = bubble(page, "scribe", 'Agent "scribe" failed: ').getByText("not to my taste");
    await failed.waitFor();
    await page.reload();
    await failed.waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("continues an answer that was cut off", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [[...say("One, two, "), finish("length")], say("three.")]);
    await write(page, "Count.");
    await page.getByText("The answer was cut off. Continue asks for the rest.").waitFor();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await bubble(page, "orchestrator", "three.").waitFor();
    expect(await page.getByText("The answer was cut off. Continue asks for the rest.").count()).toBe(0);
    room.model.script("boss", [[...say("Four, "), finish("filter")]]);
    await write(page, "Go on.");
    await page.getByText("The provider's content filter stopped the answer.").waitFor();
  });
});
