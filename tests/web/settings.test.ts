// Goal: a person sets the theme and sees their session and the server's switches; an admin disables web search.

import { mkdirSync } from "node:fs";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { makeGear } from "../kit/service/gears.ts";
import { createPerson } from "../kit/service/person.ts";
import { shared } from "../kit/group-resource.ts";
import { runService } from "../kit/service/running.ts";
import { canStandIn, standInDocker } from "../kit/service/stand-in-docker.ts";

setDefaultTimeout(90_000);

describe.if(hasBrowser && canStandIn)("the settings", () => {
  const stack = new AsyncDisposableStack();
  const browser = shared(startBrowser);
  const plain = shared(runService);
  afterAll(() => stack.disposeAsync());

  /** A server with search, terminal and containers. */
  const equipped = async () => {
    const folder = stack.use(await temporaryFolder());
    await folder.write(
      "data/config.yaml",
      "egress: true\negress_key: test-search-key\nsandbox: docker\nterminal: true\n",
    );
    const environment = await standInDocker(folder);
    return stack.use(await runService({ data: `${folder.path}/data`, environment }));
  };

  test("reports images that gears need and the server does not have", async () => {
    const folder = stack.use(await temporaryFolder());
    await folder.write("data/config.yaml", "sandbox: docker\nsandbox_images:\n  python: own-python\n");
    const environment = await standInDocker(folder, { missing: ["own-python"] });
    const service = stack.use(await runService({ data: `${folder.path}/data`, environment }));
    await using page = await browser.open(service.url, "/settings");
    await page.getByText("images missing", { exact: true }).waitFor();
    const missing = page.getByRole("list", { name: "Missing images" });
    await missing.getByText("Gears for python cannot run:").waitFor();
    await missing.getByText("docker pull own-python", { exact: true }).waitFor();
    await missing.getByRole("button", { name: "Copy docker pull own-python" }).waitFor();
    await eventually(() => missing.getByRole("listitem").count(), 1);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await makeGear(service.admin);
    await page.goto(`${service.url}/gears`);
    await missing.getByText("docker pull own-python", { exact: true }).waitFor();
  });

  test("backs the server up on request, and shows the schedule", async () => {
    const folder = stack.use(await temporaryFolder());
    await folder.write(
      "data/config.yaml",
      `backup: { directory: ${folder.path}/backups, every_hours: 24, copy_to: { bucket: far-away } }\n`,
    );
    const environment = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
    const service = stack.use(await runService({ data: `${folder.path}/data`, environment }));
    await using page = await browser.open(service.url, "/settings");
    await page.getByText("Every 24 hours; the newest 7 are kept.").waitFor();
    await page.getByText("None to include", { exact: true }).waitFor();
    await page.getByText("In the bucket far-away. None has been made yet.").waitFor();
    await page.getByText("Cannot read the directory: no such file.").waitFor();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText(/no such directory; create it first/).waitFor();
    browser.expected(/status of 400/);
    mkdirSync(`${folder.path}/backups`);
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText("The latest backup is complete:").waitFor();
    const archives = page.getByRole("table", { name: "Backup archives, newest first" });
    await eventually(() => archives.getByText(/^service-backup-.*Z\.tar\.zst$/).count(), 1);
    await eventually(() => page.getByText(/no such (?:file|directory)/).count(), 0);
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("applies the theme at once and after a reload, by keyboard", async () => {
    await using page = await browser.open(plain.url, "/settings", { theme: "light" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("radio", { name: "System" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.getByRole("radio", { name: "Dark" }).isChecked(), true);
    await eventually(async () => (await ground()) === light, false);
    const dark = await ground();
    await page.reload();
    await page.getByRole("radio", { name: "Dark" }).waitFor();
    await eventually(() => ground(), dark);
    await eventually(() => page.getByRole("radio", { name: "Dark" }).isChecked(), true);
  });

  test("shows the session, the version, the shortcuts and the API description", async () => {
    await using page = await browser.open(plain.url, "/settings");
    await page.getByText("you are its admin without signing in").waitFor();
    const { version } = await plain.admin.get("/health");
    await page.getByText(version, { exact: true }).waitFor();
    await page.getByText("Search and run commands").waitFor();
    const link = page.getByRole("link", { name: "API description" });
    const answer = await page.request.get(new URL((await link.getAttribute("href"))!, plain.url).href);
    expect(await answer.json()).toHaveProperty("openapi");
    expect(await page.getByText(/password/i).count()).toBe(0);
  });

  test("says why a switch is off, and offers no way to enable it", async () => {
    await using page = await browser.open(plain.url, "/settings");
    await page.getByText("Web search is off for this installation").waitFor();
    await page.getByText("The terminal is off").waitFor();
    expect(await page.getByRole("button", { name: /enable|disable/i }).count()).toBe(0);
  });

  test("lets an admin disable web search after confirmation; Escape changes nothing", async () => {
    const service = await equipped();
    await makeGear(service.admin, { name: "count_words", code: "wc -w" });
    await using page = await browser.open(service.url, "/settings");
    await page.getByText("approval of its exact words").waitFor();
    await page.getByText("0 of 8 in use").waitFor();
    await page.getByText("Gear isolation").getByText("on").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog", { name: "Disable web search?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await service.admin.get("/egress/status")).toMatchObject({ on: true });
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Disable web search" }).click();
    await page.getByText("Web search disabled.").waitFor();
    await page.getByRole("button", { name: "Disable" }).waitFor({ state: "detached" });
    expect(await service.admin.get("/egress/status")).toMatchObject({ on: false });
  });

  test("shows a member the switches without controls", async () => {
    const service = await equipped();
    const member = await createPerson(service.admin, "Mia");
    await using page = await browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member.token}` });
    await page.goto(`${service.url}/settings`);
    await page.getByText("approval of its exact words").waitFor();
    expect(await page.getByRole("button", { name: "Disable" }).count()).toBe(0);
    expect(await page.getByRole("heading", { name: "Backups" }).count()).toBe(0);
  });

  test("reports an unreadable status; passes axe in both themes", async () => {
    await using page = await browser.open("about:blank", "");
    await page.route("**/api/v1/egress/status", (route) =>
      route.fulfill({
        status: 503,
        json: { error: { message: "the database does not answer", code: "unavailable" } },
      }),
    );
    await page.goto(`${plain.url}/settings`);
    await page.getByRole("alert").getByText("the database does not answer").waitFor();
    browser.expected(/status of 503/);
    await page.unrouteAll();
    await page.reload();
    await page.getByText("Web search is off").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });
});
