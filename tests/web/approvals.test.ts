// Goal: a person decides on exactly the shown search, instruction or gear, once and deliberately, also after a restart; a late decision is
// reported in place.

import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { EgressRequest } from "../../src/service/egress/schema.ts";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually, until } from "../kit/eventually.ts";
import { isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";
import { onScreen, withBrowser } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

/** The head of the list alone. */
const LOW_PX = 200;
const PASSWORD = "a long enough password";
/** Much less than the buttons of a card wait before they do anything. */
const TICK_MS = 20;
/** The clock of a page must not have passed the moment at which it is to stand still. Shorter than a stream may be silent. */
const AHEAD_MS = 20_000;
const searching = async () => withBrowser(await searchLab({ sandbox: isolatedSandbox() }));

(searchable ? onScreen : () => {})("approvals", searching, (at) => {
  beforeAll(() => at.grant());

  const open = (path = "/approvals", options = {}) => at.open(path, options);
  const card = (page: Page) => page.getByRole("region", { name: /^orchestrator asks to/ });
  const button = (page: Page, name: string) => card(page).getByRole("button", { name, exact: true });
  const ended = (turn: { id: number }) =>
    eventually(async () => (await at.admin.get(`/turns/${turn.id}`)).status, "done");

  const focused = (page: Page) => page.evaluate("document.activeElement.textContent");
  /** The lists reload when the page becomes visible. */
  const comeBack = (page: Page) => page.evaluate("dispatchEvent(new Event('visibilitychange'))");

  /** Starts a turn that requests this search and waits. */
  async function asks(query: string): Promise<{ turn: { id: number }; request: EgressRequest }> {
    at.model.script("boss", [call("web_search", { query }), say("Done.")]);
    const turn = await at.begin("Please look it up.");
    const pending = () => at.admin.get("/egress/pending");
    return { turn, request: await until(async () => (await pending()).find((one) => one.query === query)) };
  }

  test("explains the page when nothing is pending", async () => {
    await using page = await open();
    await page.getByRole("heading", { name: "Nothing pending" }).waitFor();
    await page.getByText("before they search the web", { exact: false }).waitFor();
  });

  test("shows exactly what a search would send, focuses Reject, and sends it once", async () => {
    const query = "heron migration   2026";
    const { turn, request } = await asks(query);
    await using page = await open();
    await page.getByRole("link", { name: "Approvals 1 pending" }).waitFor();
    await eventually(() => card(page).locator(".approval-text").textContent(), query);
    await card(page).getByText("Brave Search, this exact text and nothing else").waitFor();
    await card(page).getByText("you → orchestrator").waitFor();
    await card(page)
      .getByText(/^in \d+ min \d+ s\. Without a decision nothing is sent\.$/)
      .waitFor();
    await card(page).getByTitle(`SHA-256 ${request.query_hash}`).waitFor();
    await eventually(() => focused(page), "Reject");
    // Keys pressed before the card appeared, and Escape at any time, decide nothing.
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    await button(page, "Reject").and(page.locator(":not([aria-disabled])")).waitFor();
    await page.keyboard.press("Escape");
    expect(await at.pending()).toHaveLength(1);
    expect(at.service.queries).not.toContain(query);
    await button(page, "Approve").click();
    await card(page).getByText("Approved by you, for this one search.").waitFor();
    await page.getByText("Nothing else is pending.").waitFor();
    await ended(turn);
    expect(at.service.queries.filter((sent) => sent === query)).toHaveLength(1);
    const [logged] = await at.admin.get("/egress/log");
    expect(logged).toMatchObject({ query, state: "done", decided_by: "admin", auth: "loopback" });
  });

  test("ignores a key that is held down when the card appears", async () => {
    const { turn } = await asks("pressed too early");
    await using page = await open("/settings");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    // However slow the machine is, the buttons are not armed before the test says so.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + AHEAD_MS);
    await page.getByRole("link", { name: /^Approvals/ }).click();
    await until(async () => {
      await page.clock.runFor(TICK_MS);
      return (await focused(page)) === "Reject";
    });
    // A held key repeats.
    await page.keyboard.down("Enter");
    for (let repeat = 0; repeat < 30; repeat++) await page.keyboard.down("Enter");
    await page.clock.resume();
    await button(page, "Reject").and(page.locator(":not([aria-disabled])")).waitFor();
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(await at.pending()).toHaveLength(1);
    await page.keyboard.press("Enter");
    await card(page).getByText("Rejected by you. Nothing was sent.").waitFor();
    await ended(turn);
    expect(at.service.queries).not.toContain("pressed too early");
  });

  test("reports in place that someone else decided first", async () => {
    const { turn, request } = await asks("decided twice");
    const second = await at.user("Second Admin", "admin");
    await using page = await open();
    await button(page, "Approve").and(page.locator(":not([aria-disabled])")).waitFor();
    await at.decide(request, "refuse", second);
    await button(page, "Approve").click();
    await card(page)
      .getByText("this search is already rejected")
      .or(card(page).getByText("Rejected by Second Admin."))
      .first()
      .waitFor();
    await card(page).getByText("Rejected by Second Admin.").waitFor();
    await ended(turn);
    expect(at.service.queries).not.toContain("decided twice");
    at.browser.expected(/status of 409/);
  });

  test("keeps the shown approval when others arrive, and opens the next on request", async () => {
    const { turn } = await asks("looked at first");
    await using page = await open();
    await button(page, "Reject").waitFor();
    await makeGear(at.admin, { name: "late_gear" });
    const late = page.getByRole("link", { name: /^late_gear/ });
    await eventually(async () => comeBack(page).then(() => late.count()), 1);
    await page.getByText("2 pending approvals", { exact: false }).waitFor();
    // Only the shown one is marked for a screen reader.
    expect(await page.locator(".approvals-item[aria-current]").allTextContents()).toEqual([
      expect.stringContaining("looked at first"),
    ]);
    await eventually(() => card(page).locator(".approval-text").textContent(), "looked at first");
    await button(page, "Reject").click();
    await page.getByRole("button", { name: "Next" }).click();
    const gear = page.getByRole("region", { name: "admin asks to approve a gear" });
    await gear.getByText("late_gear").first().waitFor();
    // In a low window, too, the list shows the one that the address names.
    await page.setViewportSize({ width: 1280, height: LOW_PX });
    await page.reload();
    await eventually(async () => (await edgesOf(late.first())).bottom <= LOW_PX, true);
    expect(await late.first().getAttribute("aria-current")).toBe("true");
    await page.setViewportSize({ width: 1280, height: 860 });
    await gear.getByRole("region", { name: "Content of main.sh" }).getByText("cat").waitFor();
    await gear.getByRole("button", { name: "Reject" }).click();
    await gear.getByText(/^Rejected v1 [0-9a-f]{4}…[0-9a-f]{4}, admin \(this machine\)/).waitFor();
    await gear.getByRole("link", { name: "Open gear" }).click();
    await page.waitForURL("**/gears/*/review");
    await page.getByText("version 1 disabled").waitFor();
    await ended(turn);
  });

  test("shows a new instruction in full and a changed one as a diff, and approves it by hash", async () => {
    at.model.script("boss", [
      call("instruction_save", { name: "tone", text: "Be brief.\nNo jokes.\n" }),
      say("Proposed."),
      call("instruction_save", { name: "tone", text: "Be brief.\nSay why.\n" }),
      say("Proposed."),
    ]);
    await at.chat("Write it down.");
    await using page = await open();
    await card(page).getByText("No jokes.").waitFor();
    await button(page, "Approve").click();
    await card(page).getByText("Approved by you.", { exact: false }).waitFor();
    const [instruction] = await at.admin.get("/instructions");
    expect(instruction).toMatchObject({ name: "tone", version: 1 });
    await at.chat("Change it.");
    await page.reload();
    await card(page).getByText("version 1 → this proposal").waitFor();
    await card(page).getByRole("img", { name: "1 added, 1 removed" }).waitFor();
    // Someone changes it while it is on the screen.
    await at.admin.put(`/instructions/${instruction!.id}`, { text: "Be long.\n" });
    await button(page, "Approve").click();
    await card(page).getByText("has changed since this was proposed", { exact: false }).first().waitFor();
    await page.reload();
    await card(page).getByText("so it can only be rejected", { exact: false }).waitFor();
    expect(await button(page, "Approve").count()).toBe(0);
    await button(page, "Reject").click();
    await card(page).getByText("Rejected by you. Nothing was changed.").waitFor();
    expect(await at.admin.get(`/instructions/${instruction!.id}`)).toMatchObject({ text: "Be long.\n" });
    at.browser.expected(/status of 409/);
  });

  test("shows a member only approvals that they may decide", async () => {
    const { turn, request } = await asks("not for members");
    const member = await at.user("mira");
    await at.admin.put(`/users/${member.id}/password`, { password: PASSWORD });
    await using context = await at.browser.newContext({ reducedMotion: "reduce" });
    await context.request.post(`${at.url}/api/v1/login`, { data: { user: "mira", password: PASSWORD } });
    const page = await open("/approvals", { context });
    await page.getByRole("heading", { name: "Nothing pending" }).waitFor();
    await page.getByText("Admins decide on searches and gears.", { exact: false }).waitFor();
    const answer = await context.request.post(`${at.url}/api/v1/egress/requests/${request.id}/decision`, {
      data: { decision: "approve", query_hash: request.query_hash },
    });
    expect(answer.status()).toBe(403);
    await at.decide(request, "refuse");
    await ended(turn);
  });

  test("works by keyboard alone and passes axe in both themes", async () => {
    at.model.script("boss", [
      call("instruction_save", { name: "manners", text: "Say please.\n" }),
      call("web_search", { query: "keys" }),
      say("Done."),
    ]);
    const turn = await at.begin("Both, please.");
    await at.pending();
    await makeGear(at.admin, { name: "keys_by_hand" });
    await using page = await open("/approvals");
    await card(page).getByText("Say please.").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    const items = page.getByRole("complementary", { name: "Pending approvals" }).getByRole("link");
    await items.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await card(page).getByText("keys", { exact: true }).waitFor();
    await button(page, "Reject").and(page.locator(":not([aria-disabled])")).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await eventually(() => focused(page), "Reject");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await card(page).getByText("Approved by you, for this one search.").waitFor();
    await ended(turn);
    expect(at.service.queries).toContain("keys");
    await page.keyboard.press("Enter");
    await card(page).getByText("Say please.").waitFor();
    await button(page, "Reject").and(page.locator(":not([aria-disabled])")).waitFor();
    await page.keyboard.press("Enter");
    await card(page).getByText("Rejected by you. Nothing was changed.").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    const gear = page.getByRole("region", { name: "admin asks to approve a gear" });
    await gear.getByRole("button", { name: "Reject" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    const gears = await at.admin.get("/gears");
    const { id } = gears.find(({ name }) => name === "keys_by_hand")!;
    await at.admin.delete(`/gears/${id}`);
  });

  test("opens an approval and returns to the list in one column", async () => {
    const { turn, request } = await asks("narrow question");
    await using page = await open("/workspaces", { width: 360, height: 740 });
    // The rail is closed; the badge leads to what waits.
    const badge = page.getByRole("link", { name: "1 pending approval" });
    await badge.waitFor();
    await eventually(async () => {
      const { width, height } = await edgesOf(badge);
      return Math.min(width, height) >= 24;
    }, true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await badge.click();
    await page.getByRole("link", { name: /^narrow question/ }).click();
    await button(page, "Reject").waitFor();
    await page.getByRole("button", { name: "All pending" }).click();
    await page.getByRole("link", { name: /^narrow question/ }).waitFor();
    expect(await page.locator("main").evaluate((main) => [main.clientWidth, main.scrollWidth])).toEqual([
      360, 360,
    ]);
    await at.decide(request, "refuse");
    await ended(turn);
  });

  /** Records what the page would show. The browser's own are outside of the page. */
  const FAKE_NOTIFICATIONS = `window.notified = [];
    window.Notification = class extends EventTarget {
      static get permission() { return localStorage.getItem("permission") ?? "default"; }
      static async requestPermission() { localStorage.setItem("permission", "granted"); return "granted"; }
      constructor(title, { body, tag }) { super(); Object.assign(this, { title, body, tag, open: true }); notified.push(this); }
      close() { this.open = false; }
    };`;

  test("notifies about what is new while the page is hidden, once the person turned it on", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.addInitScript(FAKE_NOTIFICATIONS);
    await page.goto(`${at.url}/approvals`);
    const enable = page.getByRole("button", { name: "Enable notifications" });
    await enable.waitFor();
    // Nothing was asked on load.
    expect(await page.evaluate("Notification.permission")).toBe("default");
    await enable.click();
    await page.getByRole("button", { name: "Disable notifications" }).waitFor();
    await page.goto(`${at.url}${at.own}`);
    const first = await asks("seen as it came");
    await page.getByRole("link", { name: "Approvals 1 pending" }).waitFor();
    await at.decide(first.request, "refuse");
    await ended(first.turn);
    expect(await page.evaluate("notified.length")).toBe(0);
    await page.evaluate(
      `Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" })`,
    );
    const second = await asks("asked behind the back");
    const told = () => page.evaluate("notified.map(({ title, body, open }) => [title, body, open])");
    const words = [
      "Search the web for: asked behind the back",
      "Requested by orchestrator. Pending your decision.",
    ];
    await eventually(told, [[...words, true]]);
    await page.evaluate(`notified[0].dispatchEvent(new Event("click"))`);
    await page.waitForURL(`**/approvals?item=search-${second.request.id}`);
    await eventually(told, [[...words, false]]);
    await at.decide(second.request, "refuse");
    await ended(second.turn);
  });

  test("keeps an approval across a restart and sends the search once when the turn resumes", async () => {
    const query = "asked before the restart";
    const { turn } = await asks(query);
    await at.restart();
    await using page = await open();
    await card(page).getByText(query).waitFor();
    await button(page, "Approve").click();
    await card(page).getByText("Approved by you, for this one search.").waitFor();
    expect(at.service.queries).not.toContain(query);
    await at.admin.post(`/turns/${turn.id}/resume`);
    await ended(turn);
    expect(at.service.queries.filter((sent) => sent === query)).toHaveLength(1);
  });
});
