// Goal: in a real browser an admin creates a user, a rule and a webhook and finds them in the audit record, by mouse and by keyboard alone, on pages
// without accessibility problems that fit a telephone.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { visitor } from "../kit/context/console.ts";
import { addressesOf, CONSOLE_ROUTES } from "../kit/context/console-routes.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";
import { eventually } from "../kit/eventually.ts";

setDefaultTimeout(90_000);

const PASSWORD = "correct horse battery";
const NARROW = { width: 390, height: 800 };

describe.skipIf(!hasBrowser)("the administration in a browser", () => {
  const hooks = hookReceiver();
  let server: ContextServer;
  let web: TestBrowser;
  let page: Page;
  let context: BrowserContext;
  beforeAll(async () => {
    server = await contextServer({ outbound: hooks.outbound });
    await server.admin.put("/users/root/password", { password: PASSWORD });
    web = await startBrowser();
    page = await web.open(server.url, "/console/login");
    context = page.context();
    await page.fill("#f-name", "root");
    await page.fill("#f-password", PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  });
  afterAll(async () => {
    await web[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
  });

  const heading = (name: string) => page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
  const go = async (path: string) => void (await page.goto(server.url + path));

  test("a user, a rule, a webhook, and their records", async () => {
    await page.getByRole("link", { name: "Users" }).click();
    await page.getByRole("link", { name: "Create a user" }).click();
    await page.fill("#f-name", "ada");
    await page.selectOption("#f-role", "viewer");
    await page.getByRole("button", { name: "Create the user" }).click();
    await heading("ada");
    const token = await page.locator(".console-notice code").textContent();
    expect(await server.as(token!).get("/auth/whoami")).toMatchObject({ name: "ada", role: "viewer" });
    await page.getByRole("button", { name: "Copy" }).waitFor();
    await page.getByRole("link", { name: "Access rules" }).click();
    await heading("Access rules of ada");
    await page.getByLabel("Effect of rule 1").selectOption("deny");
    await page.getByLabel("Space of rule 1").fill("team");
    await page.getByLabel("Pattern of rule 1").fill("private/**");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved 1 rule.").waitFor();
    await page.getByRole("link", { name: "Explain access" }).click();
    await page.fill("#f-path", "private/a.md");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("row", { name: /^read Denied/ }).waitFor();
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("link", { name: "Create a webhook" }).click();
    await page.fill("#f-url", hooks.url("/a"));
    await page.getByRole("button", { name: "Create the webhook" }).click();
    await heading("Webhook 1");
    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await page.fill("#f-action", "webhook.change");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("row", { name: /webhook\.change 1 ok/ }).waitFor();
    await page.getByRole("link", { name: "Verify" }).click();
    await page.getByRole("button", { name: "Verify now" }).click();
    await page.getByText("The record is intact").waitFor();
  });

  test("by keyboard alone: a form is filled, its mistake is read, and it is sent", async () => {
    await go("/console/users/new");
    // The browser moves the focus after the page was loaded.
    await page.locator("#f-name:focus").waitFor();
    await page.keyboard.type("root");
    await page.keyboard.press("Enter");
    const name = page.locator("#f-name[aria-invalid]");
    await name.waitFor();
    expect(await name.evaluate((element) => document.activeElement === element)).toBe(true);
    const note = await name.getAttribute("aria-describedby");
    expect(await page.locator(`#${note}`).textContent()).toContain("already exists");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("bob");
    await page.keyboard.press("Enter");
    await heading("bob");
    web.expected(/409/);
  });

  test("a form shows what a choice asks for, and nothing that the choice makes meaningless", async () => {
    await go("/console/webhooks/new");
    const shown = async () => [
      await page.getByRole("group", { name: "Selected events" }).isVisible(),
      await page.getByRole("group", { name: "Selected spaces" }).isVisible(),
    ];
    expect(await shown()).toEqual([false, false]);
    await page.getByLabel("Events", { exact: true }).selectOption("no");
    expect(await shown()).toEqual([true, false]);
    await page.getByLabel("Spaces", { exact: true }).selectOption("no");
    expect(await shown()).toEqual([true, true]);
  });

  test("without scripts the same forms work", async () => {
    await using bare = await web.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    });
    const one = await web.open(server.url, "/console/users/root/access", { context: bare });
    await one.getByLabel("Space of rule 1").fill("team");
    await one.getByLabel("Pattern of rule 1").fill("x/**");
    await one.getByRole("button", { name: "Add a row" }).click();
    await one.getByLabel("Pattern of rule 2").waitFor();
    await one.getByRole("button", { name: "Save" }).click();
    await one.getByText("Saved 1 rule.").waitFor();
  });

  test.each([
    "/console/users/ada",
    "/console/users/new",
    "/console/users/ada/access",
    "/console/access?user=ada&space=team&path=a.md",
    "/console/webhooks/1",
    "/console/webhooks/new",
    "/console/audit",
    "/console/backups",
    "/console/settings",
    "/console/account",
    "/console/spaces/team/settings",
  ])("%s has no accessibility problem in both themes and fits a telephone", async (path) => {
    await go(path);
    expect(await problemsInBothThemes(page)).toEqual([]);
    const wide = page.viewportSize()!;
    await page.setViewportSize(NARROW);
    await eventually(() => page.evaluate("document.documentElement.scrollWidth"), NARROW.width);
    await page.setViewportSize(wide);
  });

  test("no page is wider than a telephone, whatever the names in it", async () => {
    const long = `${"long-name-".repeat(12)}/${"x".repeat(150)}.md`;
    for (const path of [long, "twice.md", "twice.md", "gone.md", "twice.conflict-ada-20261122T130000Z.md"])
      await server.admin.write(path, `# ${"word".repeat(60)}\n\n[[gone-too]] \`${"code".repeat(60)}\`\n`);
    await server.admin.delete("/spaces/team/files/gone.md");
    await server.admin.post("/spaces/team/snapshots", { name: "s".repeat(60) });
    const user = "u".repeat(60);
    await server.user(user, "viewer");
    await server.admin.post("/webhooks", { url: hooks.url(`/${"w".repeat(150)}`), spaces: ["team"] });
    const addresses = await oneOfEachRoute();
    // Of each route the link that comes first is followed, which is of a user with a short name.
    for (const area of ["", "edit", "access", "password", "disable", "delete"])
      addresses.push(`/console/users/${user}/${area}`.replace(/\/$/, ""));
    expect(addresses.length).toBeGreaterThan(50);
    await page.setViewportSize(NARROW);
    const wide: string[] = [];
    for (const address of [...addresses, "/console/nothing", "/console/audit?since=nonsense"]) {
      await go(address);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      if (width !== NARROW.width) wide.push(`${address}: ${String(width)}`);
      const isCut = await page.evaluate(
        "[...document.querySelectorAll('.console-table')].some((one) => one.scrollWidth > one.clientWidth)",
      );
      if (isCut === true) wide.push(`${address}: a table`);
    }
    expect(wide).toEqual([]);
    web.expected(/status of 40[04]/);
  });

  /** Follows links from the overview. Pages of one route look alike, so the links of one are enough. */
  async function oneOfEachRoute(): Promise<string[]> {
    const one = visitor(server.url);
    for (const { name, value } of await context.cookies()) one.cookies.set(name, value);
    const parameters = (path: string) => path.split(/[:*]/).length;
    const routes = CONSOLE_ROUTES.filter(({ method }) => method === "GET")
      .map(({ path }) => path)
      .toSorted((a, b) => parameters(a) - parameters(b));
    const found = new Map<string, string>();
    const queue = ["/console"];
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      const route = routes.find((path) => addressesOf(path).test(address!));
      if (route === undefined || found.has(route)) continue;
      const { title, links } = await one.get(address);
      // Downloads.
      if (title === "") continue;
      found.set(route, address);
      queue.push(...links.map((link) => link.replace(/#.*/s, "")));
    }
    return [...found.values()];
  }
});
