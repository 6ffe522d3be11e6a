// Goal: a service that dies in the middle of a turn loses nothing of it: the page says that the connection is gone, comes back by itself,
// shows what there was, and the turn goes on when a person says so.

import { afterEach, expect, test } from "bun:test";
import { bubble, chatRoom, chip, composer, write } from "../kit/chat-room.ts";
import { call, gate, hang, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/screen.ts";

onScreen("a restart in mid-turn", chatRoom, (room) => {
  afterEach(() => room.endTurns());
  test("is seen, kept and resumed, and a message that could not be sent stays in the composer", async () => {
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
    await page.getByText("Connection lost, trying again").waitFor();
    await composer(page).fill("Are you there?");
    await composer(page).press("Enter");
    await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
    expect(await composer(page).inputValue()).toBe("Are you there?");
    await composer(page).fill("");
    await room.restart();
    hold.open();
    await page.getByText("Connection lost, trying again").waitFor({ state: "detached" });
    const interrupted = page.getByRole("group", { name: "The turn was interrupted" });
    await interrupted.getByRole("button", { name: "Resume" }).click();
    await bubble(page, "scribe", "A whole sentence.").waitFor();
    await bubble(page, "orchestrator", "All is written.").waitFor();
    await interrupted.waitFor({ state: "detached" });
    // One delegation, once: what was done is not done again.
    expect(await chip(page, "delegate").count()).toBe(1);
    expect(room.model.problems).toEqual([]);
    room.browser.expected(
      /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/,
    );
  });
});
