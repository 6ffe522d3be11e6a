// Goal: an admin reads, pages, filters, inspects and verifies the audit; a broken chain is named.

import { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { runService } from "../kit/service/running.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const TEAMS = 120;
/** More than one line of text, less than two. */
const LINE_PX = 24;

onScreen("the audit screen", screen, (at) => {
  let member = "";

  beforeAll(async () => {
    for (let index = 1; index <= TEAMS; index++) await at.admin.post("/teams", { name: `team ${index}` });
    const boss = await at.user("Second Admin", "admin");
    await boss.post("/teams", { name: "by token" });
    member = (await at.user("Guest")).token;
    await at.admin.post("/instructions", { name: "tone", text: "Be brief." });
  });

  const rows = (page: Page) => page.getByRole("table", { name: "Decisions" }).locator("tbody tr");

  test("lists the newest records first, with the kind of sign-in, and loads earlier ones", async () => {
    await using page = await at.open("/audit", { width: 1400 });
    await rows(page).first().waitFor();
    expect(await rows(page).first().textContent()).toContain("instruction.create");
    await eventually(() => rows(page).count(), 100);
    const byToken = rows(page).filter({ has: page.locator(".audit-who", { hasText: "Second Admin" }) });
    expect(await byToken.textContent()).toContain("token");
    await page.getByRole("button", { name: "Load earlier records" }).click();
    await rows(page).nth(100).waitFor();
    expect(await rows(page).last().textContent()).toContain("user.create");
    expect(await page.getByRole("button", { name: "Load earlier records" }).count()).toBe(0);
  });

  test("names targets, filters by day, reports an impossible period, and downloads all that match as CSV", async () => {
    await using page = await at.open("/audit");
    const created = rows(page).filter({ hasText: "instruction.create" });
    const target = created.getByRole("link", { name: "tone" });
    expect(await target.getAttribute("href")).toMatch(/^\/library\/\d+$/);
    await page.getByLabel("From").fill("2020-01-01");
    await page.getByLabel("To").fill("2020-12-31");
    await page.getByRole("heading", { name: "No matching records" }).waitFor();
    expect(new URL(page.url()).search).toBe("?from=2020-01-01&to=2020-12-31");
    await page.getByLabel("To").fill("2019-12-31");
    await page.getByText("From is after To.").waitFor();
    await page.getByLabel("To").fill("");
    await page.getByLabel("Action").fill("instruction.create");
    await page.getByLabel("Action").press("Enter");
    await eventually(() => rows(page).count(), 1);
    expect(await accessibilityProblems(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("audit.csv");
    const lines = (await Bun.file(await download.path()).text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(",instruction.create,instruction:");
  });

  test("filters by action and actor in the address, and shows every field of a record", async () => {
    await using page = await at.open("/audit");
    await page.getByLabel("Action").fill("user.create");
    await page.getByLabel("Action").press("Enter");
    await rows(page).nth(2).waitFor();
    await eventually(() => rows(page).count(), 3);
    await page.getByLabel("Who").fill("service");
    await page.getByLabel("Who").press("Enter");
    await eventually(() => rows(page).count(), 1);
    expect(new URL(page.url()).search).toBe("?action=user.create&actor=service");
    await page.getByLabel("Who").fill("nobody");
    await page.getByLabel("Who").press("Enter");
    await page.getByRole("heading", { name: "No matching records" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await rows(page).first().click();
    const record = page.getByRole("complementary", { name: "Record" });
    const text = (await record.innerText()).replace(/\s+/g, " ");
    const [newest] = await at.admin.get("/audit?limit=1");
    for (const value of ["target", "address", "content_hash", "hash", "prev", "request_id"] as const)
      expect(text).toContain(newest![value]!);
    await record.getByRole("button", { name: "Show only instruction.create" }).click();
    await eventually(() => rows(page).count(), 1);
  });

  test("moves, opens and closes records by keyboard", async () => {
    await using page = await at.open("/audit");
    await rows(page).first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const record = page.getByRole("complementary", { name: "Record" });
    await record.getByRole("heading", { name: "user.create" }).waitFor();
    await record.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await record.waitFor({ state: "detached" });
  });

  test("reports a failing server and retries", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.route("**/api/v1/audit?*", (route) =>
      route.fulfill({
        status: 503,
        json: { error: { message: "storage does not answer", code: "unavailable", request_id: "r1" } },
      }),
    );
    await page.goto(`${at.url}/audit`);
    await page.getByRole("alert").getByText("storage does not answer").waitFor();
    await page.unroute("**/api/v1/audit?*");
    await page.getByRole("button", { name: "Retry" }).click();
    await rows(page).first().waitFor();
    at.browser.expected(/status of 503/);
  });

  test("tells a member whom to ask", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member}` });
    await page.goto(`${at.url}/audit`);
    await page.getByRole("heading", { name: "Only admins see the audit" }).waitFor();
    expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0);
  });

  test("names targets on a small screen, and the person that a detail numbers", async () => {
    const guest = (await at.admin.get("/users")).find(({ name }) => name === "Guest")!;
    await at.admin.put(`/teams/1/members/${guest.id}`);
    await using page = await at.open("/audit", { width: 390 });
    const added = rows(page).filter({ hasText: "team.member.add" });
    await added.locator(".audit-under").getByText("team 1").waitFor();
    await added.click();
    const record = page.getByRole("complementary", { name: "Record" });
    await record.getByText(`Guest (${guest.id})`).waitFor();
  });

  test("keeps an action on its line beside a target of maximum length", async () => {
    await using page = await at.browser.open("about:blank", "", { width: 900 });
    const saved = { action: "file.save", target_name: "lab", detail: { path: "folder/".repeat(140) } };
    await page.route(/\/api\/v1\/audit\?/, async (route) => {
      const response = await route.fetch();
      const [first, ...others] = await response.json();
      await route.fulfill({ response, json: [{ ...first, ...saved }, ...others] });
    });
    await page.goto(`${at.url}/audit`);
    const action = rows(page).first().locator("code").first();
    await eventually(() => action.textContent(), "file.save");
    await eventually(async () => (await edgesOf(action)).height < LINE_PX, true);
  });

  test("verifies an intact chain; passes axe in both themes", async () => {
    await using page = await at.open("/audit?record=2");
    await page.getByRole("complementary", { name: "Record" }).waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("The chain is intact.").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("keeps the records that a new one moves out of the newest page", async () => {
    await using page = await at.open("/audit", { width: 1400 });
    await page.getByRole("button", { name: "Load earlier records" }).click();
    await rows(page).nth(100).waitFor();
    const before = await rows(page).count();
    await at.admin.post("/teams", { name: "one more" });
    // As when the window gets the focus again: what is not new any more is read again.
    const looked = () => page.evaluate(() => void window.dispatchEvent(new Event("visibilitychange")));
    await eventually(async () => {
      await looked();
      return rows(page).count();
    }, before + 1);
    const numbers = (await rows(page).locator("td:first-child").allTextContents()).map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => before + 1 - index));
  });

  test("names the first broken record after an edit of the database", async () => {
    await using folder = await temporaryFolder();
    const data = `${folder.path}/data`;
    {
      await using before = await runService({ data });
      for (const name of ["a", "b", "c"]) await before.admin.post("/teams", { name });
      await before.end("SIGTERM");
    }
    {
      using db = new Database(`${data}/service.db`);
      db.run("UPDATE audit SET record = 'no JSON any more' WHERE seq = 2");
    }
    await using after = await runService({ data });
    await using page = await at.browser.open(after.url, "/audit");
    await rows(page).first().waitFor();
    expect(await rows(page).nth(2).textContent()).toContain("unreadable");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("The chain is broken at record 2:").waitFor();
    await page.getByRole("button", { name: "Show record 2" }).click();
    const record = page.getByRole("complementary", { name: "Record" });
    await record.getByText("Unreadable: this record was changed").waitFor();
  });
});
