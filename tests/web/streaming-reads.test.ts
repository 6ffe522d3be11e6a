// Goal: text that streams makes no part of the page read anything again: on a slow network, such reads would cancel each other and never end.

import { afterEach, expect, test } from "bun:test";
import { bubble, chatRoom } from "../kit/browser/chat-room.ts";
import { until } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

/**
 * Twice as long as any part waits before it reads again. A timer that is set later and takes longer ends later, however slow the machine is, so
 * whatever was to be read has been asked for by then.
 */
const AFTER_READS = "new Promise((done) => setTimeout(done, 800))";

onScreen("an inspector beside a stream", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  const parts = [
    ["the prompt of an agent", "agent", /\/agents\/\d+\/prompt$/],
    ["a running model call", "call", /\/calls\/\d+$/],
  ] as const;
  test.each(parts)("reads %s once", async (_, kind, address) => {
    const desk = await room.desk();
    const [more, end] = [gate(), gate()];
    room.model.script("boss", [[...say("One. "), more, ...say("Two. "), end, ...say("Three.")]]);
    const turn = await desk.begin("Count.");
    const call = await until(async () => (await desk.calls(turn.id))[0]);
    await using page = await room.browser.open("about:blank", "");
    let read = 0;
    page.on("request", (request) => void (read += Number(address.test(request.url()))));
    await page.goto(
      `${room.url}${desk.own}?inspect=${kind}-${kind === "call" ? call.id : desk.orchestratorId}`,
    );
    await bubble(page, "orchestrator", "One.").waitFor();
    await until(() => read);
    await page.evaluate(AFTER_READS);
    const before = read;
    more.open();
    await bubble(page, "orchestrator", "Two.").waitFor();
    await page.evaluate(AFTER_READS);
    expect(read).toBe(before);
    end.open();
  });
});
