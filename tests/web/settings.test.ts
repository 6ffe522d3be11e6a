// Goal: in the browser one sets the theme, sees who one is and what of this server is on, in words, and an admin can turn web search off.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { problemsInBothThemes } from "../kit/axe.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { createPerson } from "../kit/person.ts";
import { runService, type RunningService } from "../kit/running.ts";
import { canStandIn, standInDocker } from "../kit/stand-in-docker.ts";

setDefaultTimeout(30_000);

describe.if(hasBrowser && canStandIn)("the settings", () => {
  const stack = new AsyncDisposableStack();
  let plain: RunningService;
  let browser: TestBrowser;

  beforeAll(async () => {
    plain = stack.use(await runService());
    browser = stack.use(await startBrowser());
  });
  afterAll(() => stack.disposeAsync());

  /** With search, terminal and containers. */
  const equipped = async () => {
    const folder = stack.use(await temporaryFolder());
    await folder.write(
      "data/config.yaml",
      "egress: true\negress_key: test-search-key\nsandbox: docker\nterminal: true\n",
    );
    const environment = await standInDocker(folder);
    return stack.use(await runService({ data: `${folder.path}/data`, environment }));
  };

  test("the theme holds at once and after a reload, by keys", async () => {
    const page = await browser.open(plain.url, "/settings", { theme: "light" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("radio", { name: "As the system" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
    await eventually(async () => (await ground()) === light, false);
    const dark = await ground();
    await page.reload();
    await page.getByRole("radio", { name: "Dark" }).waitFor();
    expect(await ground()).toBe(dark);
    expect(await page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
    await page.close();
  });

  test("who one is, the version, the keys, and the description of the API", async () => {
    const page = await browser.open(plain.url, "/settings");
    await page.getByText("makes you its admin without signing in").waitFor();
    const { version } = await plain.admin.get("/health");
    await page.getByText(version, { exact: true }).waitFor();
    await page.getByText("Search everything, run a command").waitFor();
    const link = page.getByRole("link", { name: "Description of the API" });
    const answer = await page.request.get(new URL((await link.getAttribute("href"))!, plain.url).href);
    expect(await answer.json()).toHaveProperty("openapi");
    expect(await page.getByText(/password/i).count()).toBe(0);
    await page.close();
  });

  test("what is off says why, and nothing can turn it on", async () => {
    const page = await browser.open(plain.url, "/settings");
    await page.getByText("Web search is off for this installation").waitFor();
    await page.getByText("The terminal is off").waitFor();
    expect(await page.getByRole("button", { name: /turn/i }).count()).toBe(0);
    await page.close();
  });

  test("an admin turns web search off for good, after a question; Escape changes nothing", async () => {
    const service = await equipped();
    await service.admin.post("/gears", {
      name: "count_words",
      runtime: "bash",
      code: "wc -w",
      args_schema: '{"type":"object"}',
    });
    const page = await browser.open(service.url, "/settings");
    await page.getByText("approved its exact words").waitFor();
    await page.getByText("0 of 8 in use").waitFor();
    await page.getByText("Isolation of gears").getByText("on").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("dialog", { name: "Turn web search off?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await service.admin.get("/egress/status")).toMatchObject({ on: true });
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("button", { name: "Turn it off" }).click();
    await page.getByText("Web search is off.").waitFor();
    await page.getByRole("button", { name: "Turn off" }).waitFor({ state: "detached" });
    expect(await service.admin.get("/egress/status")).toMatchObject({ on: false });
    await page.close();
  });

  test("a member sees the switches and has none of them", async () => {
    const service = await equipped();
    const member = await createPerson(service.admin, "Mia");
    const page = await browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member.token}` });
    await page.goto(`${service.url}/settings`);
    await page.getByText("approved its exact words").waitFor();
    expect(await page.getByRole("button", { name: "Turn off" }).count()).toBe(0);
    await page.close();
  });

  test("a status that can't be read says so; axe finds nothing, in both themes", async () => {
    const page = await browser.open("about:blank", "");
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
    await page.close();
  });
});
