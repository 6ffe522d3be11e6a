// `npm run shots [-- part of a screen's name]`: builds, fills a service with the showcase, and takes every screen at four widths in both
// themes: dist/shots/<screen>-<width>-<theme>.png, for people to look at. A fault in the browser ends it with an error.

import { mkdir, rm } from "node:fs/promises";
import type { Page } from "playwright-core";
import type { PageOptions, TestBrowser } from "../tests/kit/browser/browser.ts";
import type { Showcase } from "../tests/kit/browser/showcase.ts";
import { buildNative } from "./build.ts";
import { installDependencies } from "./install.ts";
import { ROOT, fail, seconds } from "./step.ts";

const FOLDER = `${ROOT}/dist/shots`;
const WIDTHS: readonly (readonly [width: number, height: number])[] = [
  [390, 844],
  [768, 1024],
  [1280, 860],
  [1920, 1080],
];
const THEMES = ["light", "dark"] as const;

type World = "busy" | "empty";

interface Screen {
  readonly name: string;
  readonly path: string;
  readonly world: World;
  /** Acts on the page before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** Before it is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Every screen; add a line for a state that somebody should look at. */
function screens({ workspaceId, agents, gearId, instructionId }: Showcase): Screen[] {
  const own = `/workspaces/${workspaceId}`;
  const busy = (name: string, path: string, act?: Screen["act"]): Screen => ({
    name,
    path,
    world: "busy",
    ...(act ? { act } : {}),
  });
  const press = (name: string) => (page: Page) =>
    page.getByRole("button", { name, exact: true }).first().click();
  return [
    busy("workspaces", "/workspaces"),
    busy("chat", own),
    busy("chat-inspector", `${own}?inspect=agent-${agents.scribe}`),
    busy("blueprint", `${own}/blueprint`),
    busy("blueprint-inspector", `${own}/blueprint?inspect=agent-${agents.scribe}`),
    busy("files", `${own}/files`),
    busy("file", `${own}/files?path=README.md`),
    busy("activity", `${own}/activity`),
    busy("activity-turn", `${own}/activity?turn=3`),
    busy("usage", own, (page) => page.locator(".workspace-meter").click()),
    busy("approvals", "/approvals"),
    busy("gears", "/gears"),
    busy("gear-review", `/gears/${gearId}`),
    busy("gear-code", `/gears/${gearId}/code`),
    busy("gear-runs", `/gears/${gearId}/runs`),
    busy("gear-versions", `/gears/${gearId}/versions`),
    busy("library", "/library"),
    busy("library-detail", `/library/${instructionId}`),
    busy("models", "/models"),
    busy("people", "/people"),
    busy("people-add", "/people", press("Add person")),
    busy("audit", "/audit"),
    busy("audit-record", "/audit?record=20"),
    busy("person", "/people?show=person-2"),
    busy("team", "/people?show=team-1"),
    busy("terminal", "/terminal"),
    busy("settings", "/settings"),
    busy("missing", "/nowhere"),
    { name: "login", path: "/", world: "busy", prepare: signedOut },
    { name: "first-run", path: "/workspaces", world: "empty" },
    { name: "gears-empty", path: "/gears", world: "empty" },
    { name: "approvals-empty", path: "/approvals", world: "empty" },
    { name: "library-empty", path: "/library", world: "empty" },
    { name: "models-empty", path: "/models", world: "empty" },
  ];
}

/** The page meets a server that does not know it; on this machine one is signed in without doing anything. */
async function signedOut(page: Page): Promise<void> {
  const body = { error: { message: "authentication required", code: "unauthenticated", request_id: "shot" } };
  await page.route("**/api/v1/whoami", (route) => route.fulfill({ status: 401, json: body }));
}

async function take(
  browser: TestBrowser,
  url: string,
  screen: Screen,
  options: PageOptions,
): Promise<number> {
  const { settling } = await import("../tests/kit/browser/settled.ts");
  const page = await browser.open("about:blank", "", options);
  const settled = settling(page);
  await screen.prepare?.(page);
  await page.goto(url + screen.path);
  await settled();
  let problem: unknown;
  await screen.act?.(page).catch((error: unknown) => (problem = error));
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await settled();
    await page.screenshot({ path: `${FOLDER}/${screen.name}-${options.width}-${theme}.png` });
  }
  await page.close();
  if (problem) console.log(`shots: ${screen.name}: ${String(problem).split("\n")[0]}`);
  return THEMES.length;
}

async function main(): Promise<void> {
  await installDependencies();
  await buildNative();
  const started = performance.now();
  // They bring packages, which are there only now.
  const { canShow, showcase } = await import("../tests/kit/browser/showcase.ts");
  const { hasBrowser, startBrowser } = await import("../tests/kit/browser/browser.ts");
  const { settling } = await import("../tests/kit/browser/settled.ts");
  const { runService } = await import("../tests/kit/service/running.ts");
  if (!hasBrowser || !canShow) fail("this needs chromium, and a system with a shell");
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await using busy = await showcase();
  await using empty = await runService();
  const parts = process.argv.slice(2);
  const wanted = screens(busy).filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  );
  const browser = await startBrowser();
  const takeAll = async ([width, height]: (typeof WIDTHS)[number]): Promise<number> => {
    const first = await browser.open("about:blank", "", { width, height });
    const settled = settling(first);
    await first.goto(`${busy.url}/settings`);
    await settled();
    const context = first.context();
    let taken = 0;
    for (const screen of wanted) {
      const url = screen.world === "busy" ? busy.url : empty.url;
      taken += await take(browser, url, screen, { width, height, context });
    }
    await context.close();
    return taken;
  };
  // Side by side: most of the time is waiting for the page.
  const taken = (await Promise.all(WIDTHS.map(takeAll))).reduce((sum, count) => sum + count, 0);
  browser.expected(/status of 401/);
  await browser[Symbol.asyncDispose]();
  console.log(`shots: ${taken} pictures in dist/shots  ${seconds(started)}`);
}

if (import.meta.main) {
  await main();
  process.exit(0);
}
