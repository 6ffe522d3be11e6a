// Goal: the frame around every screen works: the rail, collapsed and as a sheet, the skip link, titles, unknown addresses, lost connections
// and long names.

import { expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { say } from "../kit/model/index.ts";
import { createPerson } from "../kit/service/person.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { compiledWorld } from "../kit/service/world.ts";
import { edgesOf } from "../kit/browser/edges.ts";

/** The longest pause between two attempts, plus slack for a busy machine. */
const RECONNECT_MS_MAX = 20_000;
/** The padding of a table cell. */
const CELL_PX = 12;
const NARROW = { width: 390, height: 800 };
/** More than a low window shows. */
const ROWS = 12;
/** Of the list of workspaces. */
const ROW_PX = 52;

const made = () => screen({ model: { boss: [say("Good day.")] } });

onScreen("the frame", made, (at) => {
  const rail = (page: Page) => page.locator("nav[aria-label=Main]");
  const focused = (page: Page) => page.evaluate("document.activeElement.textContent.trim()");
  const overflow = (page: Page) =>
    page.evaluate(`(() => {
      const beyond = (element) => element.scrollWidth - element.clientWidth;
      return { page: beyond(document.documentElement), screen: beyond(document.querySelector("main")) };
    })()`);

  test("marks one part of the breadcrumbs as the current page", async () => {
    await using page = await at.open("/context?path=team/guide.md");
    const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" });
    await crumbs.getByText("guide.md").waitFor();
    expect(await crumbs.locator("[aria-current]").allInnerTexts()).toEqual(["guide.md"]);
    await crumbs.getByRole("link", { name: "Context" }).click();
    await eventually(() => crumbs.locator("[aria-current]").allInnerTexts(), ["Context"]);
  });

  test("titles every place and marks it in the rail; reports unknown addresses", async () => {
    await using page = await at.open("/settings");
    for (const place of ["Workspaces", "Models", "Settings"]) {
      await rail(page).getByRole("link", { name: place }).click();
      await page.getByRole("heading", { name: place, level: 1 }).waitFor();
      await eventually(() => page.title(), `${place} · Cairn`);
      await eventually(() => rail(page).locator("[aria-current=page]").innerText(), place);
    }
    await page.goto(`${at.url}/no/such/page`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await eventually(() => page.title(), "Not found · Cairn");
    expect(await problemsInBothThemes(page)).toEqual([]);
    // More digits than an id may have.
    await page.goto(`${at.url}/workspaces/99999999999999999999`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Workspaces" }).click();
    await page.getByRole("heading", { name: "Workspaces" }).waitFor();
  });

  test("moves nothing while a screen loads", async () => {
    await using page = await at.browser.open("about:blank", "");
    for (const path of [
      at.own,
      `${at.own}/blueprint`,
      `${at.own}/activity`,
      "/workspaces",
      "/gears",
      "/models",
      "/settings",
    ]) {
      await page.goto("about:blank");
      await page.goto(at.url + path);
      await page.locator("h1").first().waitFor({ state: "attached" });
      // A page may have several.
      await eventually(() => page.locator(".skeleton").count(), 0);
      const moved = (await page.evaluate(`new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve([])));
      }).then((entries) => entries.reduce((sum, { value }) => sum + value, 0))`)) as number;
      expect({ path, moved: moved > 0.05 }).toEqual({ path, moved: false });
    }
  });

  test("reads a screen again by itself once the server answers", async () => {
    await using page = await at.open("/settings");
    const refused = (url: URL) => /\/api\/v1\/(?:gears|health)$/.test(url.pathname);
    await page.route(refused, (route) => route.abort());
    await rail(page).getByRole("link", { name: "Gears" }).click();
    await page.getByText("The server is unreachable.").waitFor();
    await page.unroute(refused);
    await page.getByText("The server is unreachable.").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "No gears yet" }).waitFor();
    at.browser.expected(/net::ERR_FAILED/);
  });

  test("closes a sheet with Back, on the step of the history that opened it", async () => {
    const sheets = [
      ["/people", "Details", "row", /^admin/],
      ["/audit", "Record", "row", /workspace\.create/],
      [`${at.own}/activity?turn=1`, "Inspector", "row", /model call 1/],
    ] as const;
    await at.chat("Hello.");
    for (const [path, name, role, row] of sheets) {
      await using page = await at.open("/settings", NARROW);
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      await page.goto(at.url + path);
      const sheet = page.getByRole("complementary", { name });
      const opener = page.getByRole(role, { name: row }).first();
      const address = page.url();
      await opener.click();
      await sheet.waitFor();
      await page.goBack();
      await sheet.waitFor({ state: "detached" });
      expect(page.url()).toBe(address);
      await opener.click();
      await sheet.waitFor();
      await page
        .getByRole("button", { name: /^Close/ })
        .last()
        .click();
      await sheet.waitFor({ state: "detached" });
      await page.goBack();
      await page.getByRole("heading", { name: "Settings" }).waitFor();
    }
  });

  test("gives a screen that could not be read, and one for others, its heading", async () => {
    await using page = await at.browser.open("about:blank", "");
    const down = /\/api\/v1\/(?!whoami|health)/;
    await page.route(down, (route) => route.fulfill({ status: 500, json: { error: { code: "internal" } } }));
    const own = "/workspaces/1";
    const paths = [
      "/workspaces",
      "/approvals",
      "/gears",
      "/gears/1",
      "/library",
      "/models",
      "/people",
      "/audit",
    ];
    const headings: (readonly [string, string])[] = [];
    for (const path of [...paths, "/context", "/terminal", own]) {
      await page.goto(at.url + path);
      await page.getByRole("alert").first().waitFor();
      headings.push([path, (await page.getByRole("heading", { level: 1 }).allTextContents()).join(", ")]);
    }
    expect(headings).toEqual([
      ["/workspaces", "Workspaces"],
      ["/approvals", "Approvals"],
      ["/gears", "Gears"],
      ["/gears/1", "Gear"],
      ["/library", "Library"],
      ["/models", "Models"],
      ["/people", "People"],
      ["/audit", "Audit"],
      ["/context", "Context"],
      ["/terminal", "Terminal"],
      [own, "Workspace"],
    ]);
    at.browser.expected(/status of 500/);
  });

  test("gives buttons and fields one height", async () => {
    await using page = await at.browser.open("about:blank", "");
    const heights = new Set<number>();
    for (const path of [
      "/people?show=new-person",
      "/people?show=team-1",
      "/gears",
      "/gears?new=1",
      "/library",
      "/models?open=new-provider",
      "/audit?action=login",
    ]) {
      await page.goto(at.url + path);
      await page.locator("h1").first().waitFor({ state: "attached" });
      // A page may have several.
      await eventually(() => page.locator(".skeleton").count(), 0);
      await page.locator(".btn:not(.small), .input").first().waitFor();
      for (const control of await page
        .locator(".btn:not(.small):visible, .input:not(textarea):visible")
        .all())
        heights.add((await control.boundingBox())!.height);
    }
    expect([...heights]).toEqual([32]);
  });

  test("aligns every page at the same position on a wide screen, and tables with their buttons", async () => {
    await using page = await at.open("/settings", { width: 1920, height: 1080 });
    const places = new Set<string>();
    for (const place of ["Workspaces", "Gears", "Library", "Models", "People", "Audit", "Settings"]) {
      await rail(page).getByRole("link", { name: place }).click();
      const heading = page.getByRole("heading", { name: place, level: 1 });
      await heading.waitFor();
      const box = (await page.locator(".body .title").first().boundingBox())!;
      const { x, y } = (await heading.boundingBox())!;
      places.add(`${x} ${Math.round(y + (await heading.boundingBox())!.height / 2)} ${box.width}`);
      for (const table of await page.locator(".body table").all())
        // Its text aligns with the heading on the left and the buttons on the right.
        expect((await table.boundingBox())!.width).toBe(box.width + 2 * CELL_PX);
    }
    expect([...places]).toEqual(["224 84 1672"]);
  });

  test("prints the whole screen without the frame", async () => {
    const page = await at.open("/settings", { width: 900, height: 300 });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    const height = () => page.evaluate<number>("document.documentElement.scrollHeight");
    await eventually(height, 300);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await eventually(() => rail(page).isVisible(), false);
    await eventually(() => page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light");
    await eventually(async () => (await height()) > 600, true);
    await page.close();
  });

  test("a dropped file replaces no page, and text can be dragged", async () => {
    await using page = await at.open("/people");
    await page.getByRole("heading", { name: "People" }).waitFor();
    const isPrevented = (what: "file" | "text") =>
      page.evaluate((kind) => {
        const dataTransfer = new DataTransfer();
        if (kind === "file") dataTransfer.items.add(new File(["x"], "x.txt"));
        else dataTransfer.setData("text/plain", "x");
        const event = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector("nav")!.dispatchEvent(event);
        return event.defaultPrevented;
      }, what);
    expect([await isPrevented("file"), await isPrevented("text")]).toEqual([true, false]);
  });

  test("offers a skip link as the first stop, which keeps the address", async () => {
    await using page = await at.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("Tab");
    await eventually(() => focused(page), "Skip to content");
    await page.keyboard.press("Enter");
    await eventually(() => page.evaluate("document.activeElement.id"), "main");
    expect(page.url()).toBe(`${at.url}/settings`);
  });

  test("collapses the rail to labelled icons, and remembers it", async () => {
    await using page = await at.open("/settings");
    const { width: wide } = await edgesOf(rail(page));
    await rail(page).getByRole("button", { name: "Collapse sidebar" }).click();
    await eventually(async () => (await edgesOf(rail(page))).width < wide / 2, true);
    await page.reload();
    await rail(page).getByRole("button", { name: "Expand sidebar" }).waitFor();
    await eventually(async () => (await edgesOf(rail(page))).width < wide / 2, true);
    await rail(page).getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("shows the rail as a sheet in one column, which traps and restores the focus", async () => {
    await using page = await at.open("/settings", NARROW);
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    await menu.waitFor();
    const shown = async () => (await edgesOf(rail(page))).left >= 0;
    await eventually(shown, false);
    expect(await page.getByRole("link", { name: "Library" }).count()).toBe(0);
    await menu.focus();
    await page.keyboard.press("Enter");
    await eventually(() => focused(page), "Settings");
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (let step = 0; step < 14; step++) {
      await page.keyboard.press("Tab");
      await eventually(() => page.evaluate("document.activeElement.closest('.page') === null"), true);
    }
    await rail(page).getByRole("link", { name: "Library" }).focus();
    await page.keyboard.press("Escape");
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')"), "Menu");
    await eventually(shown, false);
    await menu.click();
    await rail(page).getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
    await eventually(shown, false);
  });

  test("keeps the sheet open that is opened while the screen before is still loading", async () => {
    await using page = await at.open("/settings", NARROW);
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    const loading = await holdRequest(page, /models-[\w-]+\.js$/);
    await menu.click();
    await rail(page).getByRole("link", { name: "Models" }).click();
    await loading.held;
    await menu.click();
    await loading.letGo();
    await page.getByRole("heading", { name: "Models", level: 1, includeHidden: true }).waitFor();
    await page.waitForURL("**/models");
    await eventually(() => menu.getAttribute("aria-expanded"), "true");
  });

  test("fits names of maximum length at any width", async () => {
    const name = `Wilhelmina${"-von-und-zu".repeat(8)}`.slice(0, 100);
    const person = await createPerson(at.admin, name);
    const workspace = await person.client.post("/workspaces", {
      name: "W".repeat(100),
      description: "d".repeat(500),
      orchestrator_model_id: 1,
    });
    await using page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${person.token}` });
    for (const path of ["/workspaces", `/workspaces/${workspace.id}`, "/settings", "/models"]) {
      await page.goto(at.url + path);
      await page.getByRole("navigation", { name: "Breadcrumbs" }).waitFor();
      for (const width of [360, 760, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually(() => overflow(page), { page: 0, screen: 0 });
      }
    }
  });

  test("reports a lost server and recovers by itself", async () => {
    await using other = await compiledWorld({ model: true });
    await using page = await at.browser.open(other.url, other.own);
    // Wait for the whole view: nothing can load without a server.
    await page.getByRole("textbox", { name: "Message the orchestrator" }).waitFor();
    await other.restart(async () => {
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      await page.evaluate("window.untouched = true");
    });
    await page
      .getByText("Connection lost. Reconnecting…")
      .waitFor({ state: "detached", timeout: RECONNECT_MS_MAX });
    await other.agent("newcomer");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /newcomer/ }).waitFor();
    expect(await page.evaluate("window.untouched")).toBe(true);
    at.browser.expected(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
    );
  });

  test("reports a screen that fails to load, without blocking the others", async () => {
    await using page = await at.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.route(/\/assets\/library-.*\.(js|css)$/, (route) => route.abort());
    await rail(page).getByRole("link", { name: "Library" }).click();
    await page.getByRole("alert").getByText("This part of the interface could not be loaded").waitFor();
    await rail(page).getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
    at.browser.expected(/ERR_FAILED/);
  });

  test("keeps the other views when one fails to load", async () => {
    await using page = await at.open(at.own);
    const box = page.getByRole("textbox", { name: "Message" });
    await box.fill("not sent yet");
    await page.route(/\/assets\/files-.*\.(js|css)$/, (route) => route.abort());
    const views = page.getByRole("navigation", { name: "Workspace views" });
    await views.getByRole("link", { name: "Files" }).click();
    await page.getByRole("alert").getByText("This part of the interface could not be loaded").waitFor();
    await views.getByRole("link", { name: "Chat" }).click();
    await eventually(() => box.inputValue(), "not sent yet");
    at.browser.expected(/ERR_FAILED/);
  });

  test("still contacts a local server when the browser is offline", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }); addEventListener('load', () => dispatchEvent(new Event('offline')))",
    );
    await page.goto(`${at.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await rail(page).getByRole("link", { name: "Models" }).click();
    await page.getByRole("table", { name: "Providers" }).waitFor();
  });

  test("reports a failed session request and retries it", async () => {
    await using page = await at.browser.open("about:blank", "");
    let answer = (route: Route) => route.abort();
    await page.route("**/api/v1/whoami", (route) => answer(route));
    await page.goto(`${at.url}${at.own}`);
    await page.getByRole("alert").getByText("The server is unreachable.").waitFor();
    // A server that answers is not asked again until somebody wants it.
    const error = { message: "storage does not answer", code: "unavailable", request_id: "r1" };
    answer = (route) => route.fulfill({ status: 503, json: { error } });
    await page.getByRole("alert").getByText("Storage does not answer").waitFor();
    at.browser.expected(/ERR_FAILED|status of 503/);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("link", { name: "Chat" }).waitFor();
  });

  test("returns to the same rows with Back and a reload, and shows the row that an address names", async () => {
    for (let index = 1; index <= ROWS; index++) await at.workspace(`place ${index}`);
    await using page = await at.open("/workspaces", { width: 1000, height: 400 });
    const main = page.getByRole("main");
    const heading = (name: string) => page.getByRole("heading", { name, level: 1 });
    const scrolled = () => main.evaluate((element) => element.scrollTop);
    // A row that moves up, above the first one in sight, takes the others with it.
    const isKept = async () => Math.abs((await scrolled()) - 200) <= ROW_PX;
    await page.getByRole("link", { name: `place ${ROWS}` }).waitFor();
    await main.evaluate((element) => element.scrollTo(0, 200));
    await eventually(() => page.evaluate("history.state?.scrolled?.px"), 200);
    await page.reload();
    await eventually(isKept, true);
    await rail(page).getByRole("link", { name: "Settings" }).click();
    await heading("Settings").waitFor();
    await page.goBack();
    await heading("Workspaces").waitFor();
    await eventually(isKept, true);
    // A link leads to the top.
    await rail(page).getByRole("link", { name: "Settings" }).click();
    await heading("Settings").waitFor();
    await rail(page).getByRole("link", { name: "Workspaces" }).click();
    await heading("Workspaces").waitFor();
    await page.getByRole("link", { name: `place ${ROWS}` }).waitFor();
    await eventually(scrolled, 0);
    for (let index = 1; index <= ROWS; index++)
      await at.admin.post("/users", { name: `row ${String(index).padStart(2, "0")}`, role: "member" });
    await page.goto(`${at.url}/people?show=person-${(await at.admin.get("/users")).at(-1)!.id}`);
    const row = page.getByRole("row", { name: `row ${ROWS}` });
    await eventually(async () => (await edgesOf(row)).bottom <= 400, true);
  });
});
