// Goal: an approval appears in the conversation at its request, with the exact text; once decided, there or elsewhere, it becomes one line
// and the turn continues.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { bubble, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { isolatedSandbox } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";

setDefaultTimeout(90_000);
const QUERY = "default minimum TLS version";

describe.if(hasBrowser && searchable)("approvals in the chat", () => {
  test("decides a worker's search in place or elsewhere", async () => {
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
    const page = await browser.open(lab.url, `/workspaces/${lab.workspaceId}`);
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
    expect(await problemsInBothThemes(page)).toEqual([]);
    // On a phone, the state leaves room for the name.
    const wide = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    const name = worker.getByRole("button", { name: /^web_search/ }).locator(".chat-tool-name");
    expect(await name.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
    await page.setViewportSize(wide);
    await card.getByRole("button", { name: "Reject" }).click();
    await worker
      .getByText(
        /^Rejected the search “default minimum TLS version” [0-9a-f]{4}….*, admin \(this machine\), /,
      )
      .waitFor();
    await worker
      .getByRole("button", { name: /^web_search/ })
      .getByText("rejected")
      .waitFor();
    // Someone else decides the second one.
    await worker.getByText("Once more.").waitFor();
    await card.getByRole("button", { name: "Reject" }).waitFor();
    await lab.decide((await lab.pending())[0]!, "approve");
    await worker.getByText("Approved the search", { exact: false }).waitFor();
    await bubble(page, "orchestrator", "So be it.").waitFor();
    expect(await card.count()).toBe(0);
  });

  test("decides on a gear in the chat, with its code and diff; what was decided stays after a reload and a restart", async () => {
    await using lab = await searchLab({ sandbox: isolatedSandbox() });
    await using browser = await startBrowser();
    const forge = (code: string) => [
      call("gear_forge", {
        name: "word_count",
        description: "Counts the words of a text.",
        runtime: "bash",
        code,
        args_schema: JSON.stringify({ type: "object", properties: { text: { type: "string" } } }),
      }),
    ];
    lab.model.script("boss", [
      [say("I forge one."), ...forge("cat\n")],
      say("It waits."),
      [say("I change it."), ...forge("cat\nwc -w\n")],
      say("It waits again."),
    ]);
    await lab.chat("Make a gear.");
    const page = await browser.open(lab.url, `/workspaces/${lab.workspaceId}`);
    const card = page.getByRole("region", { name: "orchestrator asks to approve a gear" });
    await card.getByRole("region", { name: "Content of main.sh" }).getByText("cat").waitFor();
    await card.getByText("Counts the words of a text.").first().waitFor();
    await page.getByRole("button", { name: "Show rest" }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await card.getByRole("button", { name: /^Approve [0-9a-f]{4}…[0-9a-f]{4}$/ }).click();
    await card.waitFor({ state: "detached" });
    const [gear] = await lab.admin.get("/gears");
    const hash = (of: string) => `${of.slice(0, 4)}…${of.slice(-4)}`;
    const line = (version: number, of: string) =>
      `Approved word_count v${version} ${hash(of)}, admin (this machine), `;
    const lines = bubble(page, "orchestrator", "I forge one.").getByRole("list", { name: "Decisions" });
    await lines.getByText(line(1, gear!.content_hash)).waitFor();
    expect(gear).toMatchObject({ status: "approved" });
    // Disabled and approved again elsewhere: both are decisions, too.
    await lab.admin.patch(`/gears/${gear!.id}`, { status: "disabled" });
    await page.getByText(line(1, gear!.content_hash).replace("Approved", "Disabled")).waitFor();
    await lab.admin.patch(`/gears/${gear!.id}`, { status: "approved" });
    await eventually(() => page.getByText(line(1, gear!.content_hash)).count(), 2);
    // The next version is compared with the approved one.
    await lab.chat("Change it.");
    await card.getByText("version 1 (approved) → version 2").waitFor();
    await card.getByRole("img", { name: "1 added, 0 removed" }).waitFor();
    await lab.grant();
    await page.getByText("Allowed web search for orchestrator, admin (this machine), ").waitFor();
    await card.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Rejected word_count v2").waitFor();
    const shown = () => page.getByRole("list", { name: "Decisions" }).allTextContents();
    const before = await shown();
    expect(before).toHaveLength(4);
    await page.reload();
    await eventually(shown, before);
    await lab.restart();
    await page.goto(`${lab.url}/workspaces/${lab.workspaceId}`);
    await eventually(shown, before);
    expect(await accessibilityProblems(page)).toEqual([]);
    // The versions say the same.
    await page.goto(`${lab.url}/gears/${gear!.id}/versions`);
    const decided = page.locator(".gear-version .gear-decided");
    await eventually(
      async () => (await decided.allTextContents()).map((text) => text.split(",")[0]),
      ["Rejected", "Approved", "Disabled", "Approved"],
    );
    browser.expected(/net::ERR_|status of 50/);
  });
});
