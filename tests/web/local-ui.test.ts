// Goal: in a real browser, `cairn ui` shows the space to the person who opened its address and to no other page or browser; the graph can be panned and
// read without scripts; stale documents are validated by a click.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, renameSync } from "node:fs";
import type { Page } from "playwright-core";
import { attackerPage, ATTACKS_FAIL } from "../kit/http/attacker.ts";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { eventually, until } from "../kit/eventually.ts";
import { localUi, type TestUi } from "../kit/context/local-ui.ts";

const SETUP_LIMIT_MS = 30_000;
const SPACE = "/console/spaces/main";
const FILES: Record<string, string> = {
  "context-entry.md": "# Start\n\n[plan](plan.md) [[notes/a]]",
  "plan.md": "---\nstale-after: 1d\nlast-validated: 2020-01-01\n---\n# Plan\n\n[[context-entry]] [[gone]]",
  "odd.md": "---\nstale-after: soon\n---\n",
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `notes/${String.fromCharCode(97 + (index % 26))}${index}.md`,
      "[[plan]]",
    ]),
  ),
  "notes/a.md": "[[plan]]",
};

describe.if(hasBrowser)("cairn ui in a browser", () => {
  let ui: TestUi;
  let web: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    [ui, web] = await Promise.all([localUi({ files: FILES }), startBrowser()]);
    const address = ui.newAddress();
    page = await web.open(address, "");
  }, SETUP_LIMIT_MS);
  afterAll(async () => {
    await ui[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  test("goes to the overview, keeps the key in no address, and refuses another browser", async () => {
    expect(page.url()).toBe(`${ui.url}/console`);
    await page.goto(`${ui.url}${SPACE}/graph`);
    await page.goBack();
    expect(page.url()).toBe(`${ui.url}/console`);
    expect(await page.evaluate("document.cookie + document.referrer + history.length")).not.toContain("key");
    await using other = await web.newContext();
    const stranger = await other.newPage();
    const answer = await stranger.goto(`${ui.url}/console`);
    expect(answer!.status()).toBe(401);
    expect(await stranger.textContent("main")).toContain("Open the address that cairn ui printed");
    expect(await accessibilityProblems(stranger)).toEqual([]);
  });

  test("gives nothing to a page of another origin, though the browser has the cookie", async () => {
    await using attacker = attackerPage();
    const before = await ui.inSpace((space) => space.record());
    const foreign = await page.context().newPage();
    try {
      for (const host of ["127.0.0.1", "localhost"]) {
        await foreign.goto(`http://${host}:${attacker.port}/`);
        expect(await foreign.evaluate(`run(${JSON.stringify(ui.url)})`)).toEqual(ATTACKS_FAIL);
        const read = `fetch(${JSON.stringify(`${ui.url}${SPACE}/graph`)}, { credentials: "include" }).then(() => "read", () => "failed")`;
        expect(await foreign.evaluate(read)).toBe("failed");
      }
    } finally {
      await foreign.close();
    }
    expect(await ui.inSpace((space) => space.record())).toEqual(before);
  });

  test("shows a graph that zooms, pans and leads to documents, by mouse and by keyboard", async () => {
    await page.goto(`${ui.url}${SPACE}/graph`);
    expect(await problemsInBothThemes(page)).toEqual([]);
    const svg = page.locator(".console-graph svg");
    const view = async () => (await svg.getAttribute("viewBox"))!.split(" ").map(Number);
    const whole = await view();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await eventually(async () => {
      const [x = 0, , width = 0] = await view();
      return [width < whole[2]!, x > 0];
    }, [true, true]);
    const [x = 0, , width = 0] = await view();
    const box = (await svg.boundingBox())!;
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 65, box.y + 5, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => (await view())[0]! < x, true);
    const frame = page.getByRole("group", { name: "Picture of the links" });
    await frame.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("+");
    await eventually(async () => (await view())[2]! < width, true);
    await page.getByRole("button", { name: "Fit" }).click();
    await eventually(view, whole);
    await svg.locator("a", { hasText: /^plan/ }).last().click();
    await page.waitForURL(`**${SPACE}/files/plan.md`);
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page.waitForURL(`**${SPACE}/graph/plan.md`);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("link", { name: "Whole graph" }).click();
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.getByRole("link", { name: "Broken links" }).click();
    const found = page.locator("tbody tr", { hasText: "gone" });
    // The list that was asked for, not the picture above it once more.
    await eventually(async () => ((await found.boundingBox())?.y ?? Infinity) < 480, true);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test("marks the current place, tab and list in the colours of the system", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(`${ui.url}${SPACE}/graph`);
    const style = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), property);
    const line = "border-bottom-color";
    expect([
      await style(".console-places a[aria-current]", "outline-style"),
      await style(".console-choices a[aria-current]", "outline-style"),
      (await style(".console-tabs a:not([aria-current])", line)) ===
        (await style("body", "background-color")),
      (await style(".console-tabs a[aria-current]", line)) === (await style("body", "background-color")),
    ]).toEqual(["solid", "solid", true, false]);
    await page.emulateMedia({ forcedColors: null });
  });

  test("validates a stale document and filters, without scripts too", async () => {
    await page.goto(`${ui.url}${SPACE}/freshness?show=stale`);
    expect(await problemsInBothThemes(page)).toEqual([]);
    const state = await page.context().storageState();
    const plain = await web.newContext({ javaScriptEnabled: false, storageState: state });
    try {
      const still = await plain.newPage();
      await still.goto(`${ui.url}${SPACE}/graph`);
      expect([
        await still.locator(".console-graph-tools").isVisible(),
        await still.locator("svg a").count(),
      ]).toEqual([false, Object.keys(FILES).length]);
      await still.goto(`${ui.url}${SPACE}/freshness`);
      await still.getByRole("searchbox", { name: "Path or owner" }).fill("plan");
      await still.getByRole("button", { name: "Filter" }).click();
      await still.getByRole("button", { name: "Validate plan.md" }).click();
      expect(await still.textContent("[role=status]")).toMatch(
        /^plan\.md is validated as of \d{4}-\d\d-\d\d\.$/,
      );
      expect(await still.textContent("tbody")).toContain("Due soon");
    } finally {
      await plain.close();
    }
    await page.goto(`${ui.url}${SPACE}/freshness?show=stale`);
    expect(await page.textContent("main")).toContain("No documents here.");
  });

  test("says that the folder of the space is gone, and shows the space once it is back", async () => {
    await using moving = await localUi({ files: { "a.md": "# A\n" } });
    await using visited = await web.open(moving.newAddress(), "");
    const place = `${moving.url}${SPACE}/files/a.md`;
    const seen = async () => {
      await visited.goto(place);
      return await visited.textContent("main");
    };
    await seen();
    renameSync(moving.tree, `${moving.tree}-elsewhere`);
    // The space stays open for a moment.
    await until(async () => (await seen())?.includes(`The folder ${moving.tree} no longer holds a space`));
    await visited.getByText("Move it back and reload this page").waitFor();
    expect(await visited.title()).toContain("Not available");
    expect(existsSync(moving.tree)).toBe(false);
    renameSync(`${moving.tree}-elsewhere`, moving.tree);
    const heading = visited.getByRole("heading", { name: "A", exact: true });
    await until(async () => (await seen()) && (await heading.count()) === 1);
    web.expected(/status of (404|503)/);
  });
});
