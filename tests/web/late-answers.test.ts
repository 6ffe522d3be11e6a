// Goal: an answer that arrives late undoes nothing: neither what a later answer has shown, nor what a person has typed or chosen meanwhile.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { holdRequest } from "../kit/browser/hold.ts";
import { gate, say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen({ model: true });

onScreen("an answer that arrives late", made, (at) => {
  const main = (page: Page) => page.getByRole("navigation", { name: "Main" });
  const answerLate = (page: Page, url: RegExp, method = "GET") =>
    holdRequest(page, url, { what: "answer", method });

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
});
