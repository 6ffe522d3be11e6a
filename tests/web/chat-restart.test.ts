// Goal: a service that dies mid-turn loses nothing: the page reports the lost connection, reconnects, shows the interrupted turn, and a
// person resumes it.

import { afterEach, expect, test } from "bun:test";
import { bubble, chatRoom, chip, composer, write } from "../kit/browser/chat-room.ts";
import { call, gate, hang, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { eventually } from "../kit/eventually.ts";

/** In this time, a clock that runs shows another second. */
const TICKS_MS = 2_500;

onScreen("a restart during a turn", chatRoom, (room) => {
  afterEach(() => room.endTurns());
  test("shows, keeps and resumes the turn, and keeps an unsent message in the composer", async () => {
    const workspace = await room.desk("scribe");
    const page = await room.open(workspace.own);
    const hold = gate();
    room.model
      .script("boss", [
        [say("I ask."), call("delegate", { agent: "scribe", task: "Write." })],
        say("All is written."),
      ])
      .script("worker", [[...say("Half a "), hold, hang()], say("A whole sentence.")]);
    await write(page, "Write it.");
    await bubble(page, "scribe", "Half a").waitFor();
    await room.program.end("SIGKILL");
    await page.getByText("Connection lost. Reconnecting…").waitFor();
    // Nobody knows how long the turn goes on from here.
    const clock = page.locator(".chat-doing .num").first();
    const stopped = await clock.innerText();
    await Bun.sleep(TICKS_MS);
    expect([stopped, await clock.innerText()]).toEqual([expect.stringMatching(/^\d+ s$/), stopped]);
    await composer(page).fill("Are you there?");
    await composer(page).press("Enter");
    await page.getByRole("alert").getByText("The server is unreachable.").waitFor();
    await eventually(() => composer(page).inputValue(), "Are you there?");
    await room.restart();
    hold.open();
    await page.getByText("Connection lost. Reconnecting…").waitFor({ state: "detached" });
    // The message asks for no click.
    await page.getByText("The server is unreachable.").waitFor({ state: "detached" });
    await eventually(() => composer(page).inputValue(), "Are you there?");
    await composer(page).fill("");
    const interrupted = page.getByRole("group", { name: "The turn was interrupted" });
    await interrupted.getByRole("button", { name: "Resume" }).click();
    await bubble(page, "scribe", "A whole sentence.").waitFor();
    await bubble(page, "orchestrator", "All is written.").waitFor();
    await interrupted.waitFor({ state: "detached" });
    // One delegation: resuming repeats no effect.
    await eventually(() => chip(page, "delegate").count(), 1);
    expect(room.model.problems).toEqual([]);
    room.browser.expected(
      /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/,
    );
  });
});
