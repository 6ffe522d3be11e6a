// Goal: an approval appears in the conversation at its request, with the exact text; once decided, there or elsewhere, it becomes one line
// and the turn continues.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { accessibilityProblems } from "../kit/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser.ts";
import { bubble, write } from "../kit/chat-room.ts";
import { call, say } from "../kit/model/index.ts";
import { searchable, searchLab } from "../kit/searching.ts";

setDefaultTimeout(90_000);
const QUERY = "default minimum TLS version";

describe.if(hasBrowser && searchable)("approvals in the chat", () => {
  for (const theme of ["light", "dark"] as const) {
    test(`decides a worker's search in place or elsewhere (${theme})`, async () => {
      await using lab = await searchLab();
      await using browser = await startBrowser();
      const scout = await lab.addWorker("scout");
      await lab.grant(scout);
      const search = call("web_search", { query: QUERY });
      lab.model
        .script("boss", [
          [say("I ask."), call("delegate", { agent: "scout", task: "Look it up." })],
          say("So be it."),
        ])
        .script("scout", [
          [say("I look outside."), search],
          [say("Once more."), search],
          say("Nothing found."),
        ]);
      const page = await browser.open(lab.url, `/workspaces/${lab.workspaceId}`, { theme });
      await write(page, "What is the default?");
      const worker = bubble(page, "scout", "I look outside.");
      const card = worker.getByRole("region", { name: "scout asks to search the web" });
      await card.getByText(QUERY, { exact: true }).waitFor();
      await card.getByRole("button", { name: "Reject" }).waitFor();
      await page.getByText("scout is waiting for approval").first().waitFor();
      await page
        .getByRole("button", { name: /^delegate/ })
        .getByText("waiting for approval")
        .waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await card.getByRole("button", { name: "Reject" }).click();
      await worker.getByText("Rejected by admin").waitFor();
      // Someone else decides the second one.
      await worker.getByText("Once more.").waitFor();
      await card.getByRole("button", { name: "Reject" }).waitFor();
      await lab.decide((await lab.pending())[0]!, "approve");
      await worker.getByText("Approved by admin").waitFor();
      await bubble(page, "orchestrator", "So be it.").waitFor();
      expect(await card.count()).toBe(0);
    });
  }
});
