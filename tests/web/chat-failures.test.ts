// Goal: a failure says what helps: the provider whose key was refused, the pause before the next attempt, what Retry and Resume do, and how to
// get the rest of an answer that was cut off.

import { afterEach, expect, test } from "bun:test";
import { accessibilityProblems } from "../kit/axe.ts";
import { bubble, chatRoom, composer, write } from "../kit/chat-room.ts";
import { finish, httpError, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/screen.ts";

onScreen("failures in the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  test("leads to the key that the provider refused", async () => {
    const desk = await room.desk();
    const page = await room.open(desk.own);
    room.model.script("boss", [httpError(401, "invalid x-api-key"), say("It works now.")]);
    await write(page, "Hello?");
    const failed = page.getByRole("group", { name: "The turn failed" });
    await failed.getByText("scripted refused its key.").waitFor();
    await failed.getByText("Resume continues after the last recorded step.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const link = failed.getByRole("link", { name: "Change the key of scripted" });
    expect(await link.getAttribute("href")).toBe(`/models?open=provider-${room.providerId}`);
    await failed.getByRole("button", { name: "Retry" }).click();
    expect(await composer(page).inputValue()).toBe("Hello?");
    await failed.getByRole("button", { name: "Resume" }).click();
    await bubble(page, "orchestrator", "It works now.").waitFor();
    await page.context().close();
  });

  test("says when the next attempt begins while the provider limits the rate", async () => {
    const desk = await room.desk();
    const page = await room.open(desk.own);
    const limited = httpError(429, "slow down", { retryAfter: 2 });
    room.model.script("boss", [limited, say("At last.")]);
    await write(page, "Hurry.");
    await page.getByText("orchestrator is rate limited, retrying in 2.0 s").first().waitFor();
    await bubble(page, "orchestrator", "At last.").waitFor();
    expect(await page.getByText("rate limited").count()).toBe(0);
    await page.context().close();
  });

  test("continues an answer that was cut off", async () => {
    const desk = await room.desk();
    const page = await room.open(desk.own);
    room.model.script("boss", [[...say("One, two, "), finish("length")], say("three.")]);
    await write(page, "Count.");
    await page.getByText("The answer is incomplete.").waitFor();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await bubble(page, "orchestrator", "three.").waitFor();
    expect(await page.getByText("The answer is incomplete.").count()).toBe(0);
    await page.context().close();
  });
});
