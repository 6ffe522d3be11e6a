// Goal: an admin uses a shell in the browser with all colours and the size of the page; if the terminal is off, the page says why and what
// to do.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, type PageOptions, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../kit/docker.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { handOver } from "../kit/service/terminal.ts";
import { shared } from "../kit/group-resource.ts";
import { runService, type RunningService } from "../kit/service/running.ts";
import { compiledWorld } from "../kit/service/world.ts";

const TEST_MS = 90_000;

setDefaultTimeout(TEST_MS);

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** The text on the screen, as screen readers find it. */
const screen = (page: Page) => page.getByRole("group", { name: "Shell" });
const status = (page: Page, text: string | RegExp) =>
  page.getByRole("status").filter({ hasText: text }).waitFor();

describe.if(hasBrowser)("a disabled terminal", () => {
  const browser = shared(startBrowser);
  const service = shared(runService);

  test("says why, without controls", async () => {
    await using page = await browser.open(service.url, "/terminal");
    await page.getByRole("heading", { name: "Terminal unavailable" }).waitFor();
    await page.getByText("Set terminal: true in the configuration", { exact: false }).waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("is hidden from non-admins", async () => {
    const { token } = await service.admin.post("/users", { name: "mia" });
    await using page = await browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${token}` });
    await page.goto(`${service.url}/terminal`);
    await page.getByRole("heading", { name: "Only admins open terminals", level: 1 }).waitFor();
  });
});

describe.if(hasBrowser)("a shell", () => {
  const stack = new AsyncDisposableStack();
  let docker: TestDocker | undefined;
  let service: RunningService;
  let browser: TestBrowser;
  let workspaceId = 0;

  beforeAll(async () => {
    docker = await startDocker();
    if (!docker) return;
    stack.defer(() => docker!.stop());
    const folder = stack.use(await temporaryFolder());
    const config = `terminal: true\nsandbox: docker\nsandbox_images:\n${Object.entries(docker.images)
      .map(([runtime, image]) => `  ${runtime}: ${image}\n`)
      .join("")}`;
    await folder.write("data/config.yaml", config);
    const { environment } = docker;
    const at = stack.use(await compiledWorld({ model: true, data: `${folder.path}/data`, environment }));
    service = at.program;
    browser = stack.use(await startBrowser());
    workspaceId = at.workspaceId;
    await at.admin.raw("PUT", `${at.own}/file?path=notes/a.txt`, { body: "hello file\n" });
    await handOver({ data: service.data }, workspaceId);
  }, DOCKER_SETUP_MS);
  afterAll(() => stack.disposeAsync());

  /** Skipped without Docker, which `startDocker` reports. */
  const dockerTest = (name: string, run: () => Promise<void>) =>
    test(name, async () => (docker ? run() : undefined));

  /** The Docker client sends the size to the shell shortly after the start. */
  const ready = async (page: Page) => {
    await status(page, "F6 leaves the terminal");
    await line(page, `while [ "$(stty size)" = "0 0" ]; do sleep 0.05; done; clear; echo rea''dy`);
    await screen(page).getByText("ready", { exact: true }).first().waitFor();
  };
  const start = async (path = "/terminal", options: PageOptions = {}) => {
    const page = await browser.open(service.url, path, options);
    await button(page, "Start shell").click();
    await ready(page);
    return page;
  };
  const line = async (page: Page, text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };

  dockerTest("runs commands over a workspace's files, in all colours, until the session ends", async () => {
    await using page = await start(`/terminal?workspace=${workspaceId}`);
    await eventually(() => page.getByLabel("Workspace files").inputValue(), String(workspaceId));
    await line(page, "cat notes/a.txt");
    await screen(page).getByText("hello file").first().waitFor();
    // Colours of single characters would be style attributes, which the CSP blocks; Unicode round-trips.
    await line(page, `printf '\\033[38;2;200;30;30mr%s\\033[0m \\033[44mb%s\\033[0m gr%s\\n' ed lue üße-漢`);
    await screen(page).getByText("red blue grüße-漢").first().waitFor();
    const red = screen(page).locator(".xterm-rows span").filter({ hasText: /^red$/ });
    expect(await red.first().getAttribute("style")).toMatch(/color: ?(#|rgb)/);
    await line(page, "exit");
    await status(page, "Session ended. The shell ended.");
    await button(page, "Restart shell").click();
    await status(page, "F6 leaves the terminal");
    await eventually(() => screen(page).getByText("hello file").count(), 0);
  });

  dockerTest("it has the size of the page, also when that changes", async () => {
    await using page = await start();
    const columns = async () => {
      await line(page, "echo size=$(stty size)=");
      const shown = await screen(page)
        .getByText(/^size=\d+ \d+=$/)
        .allTextContents();
      return Number(/^size=\d+ (\d+)=$/.exec(shown.at(-1) ?? "")?.[1]);
    };
    await eventually(async () => (await columns()) > 90, true);
    await page.setViewportSize({ width: 700, height: 600 });
    await eventually(async () => (await columns()) < 90, true);
  });

  dockerTest("the keyboard gets in and out; what is selected can be copied", async () => {
    await using page = await start();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await line(page, "echo cop''ied");
    await screen(page).getByText("copied", { exact: true }).first().waitFor();
    const row = page
      .locator(".xterm-rows > div")
      .filter({ hasText: /^copied\s*$/ })
      .first();
    const box = (await row.boundingBox())!;
    await page.mouse.dblclick(box.x + 12, box.y + box.height / 2);
    await page.keyboard.press("Control+Shift+C");
    await eventually(() => page.evaluate("navigator.clipboard.readText()"), "copied");
    await page.keyboard.press("F6");
    await eventually(() => page.evaluate("document.activeElement.textContent"), "Restart shell");
  });

  dockerTest("passes axe in both themes", async () => {
    await using page = await browser.open(service.url, "/terminal");
    await button(page, "Start shell").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await button(page, "Start shell").click();
    await ready(page);
    await line(page, 'for i in 1 2 3 4 5 6 7; do printf "\\033[3${i}mcolour $i\\033[0m "; done; echo');
    await screen(page).getByText("colour 7", { exact: false }).first().waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });
});
