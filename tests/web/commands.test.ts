// Goal: the palette reaches everything by keyboard, lists recent commands first, and adds nothing to the first load.

import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { makeGear } from "../kit/service/gears.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { gate, say } from "../kit/model/index.ts";
import { createPerson } from "../kit/service/person.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const made = () => screen({ model: true });

onScreen("the palette", made, (at) => {
  beforeAll(async () => {
    await makeGear(at.admin, { name: "count_words", code: "wc -w" });
    await at.admin.post("/instructions", { name: "tone", text: "Be plain." });
  });

  const palette = (page: Page) => page.getByRole("dialog", { name: "Search or run a command" });
  const summon = async (page: Page) => {
    // The key listener starts with the frame.
    await page.getByRole("navigation", { name: "Main" }).waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("option").first().waitFor();
  };
  const options = (page: Page) => palette(page).getByRole("option").allInnerTexts();
  const chosen = (page: Page) => palette(page).getByRole("option", { selected: true }).innerText();
  const run = async (page: Page, search: string) => {
    await summon(page);
    const field = palette(page).getByRole("combobox");
    await field.fill(search);
    await palette(page)
      .getByRole("option", { name: new RegExp(search, "i") })
      .first()
      .waitFor();
    await field.press("Enter");
    await palette(page).waitFor({ state: "detached" });
  };

  test("is not part of the first load", async () => {
    await using page = await at.browser.open("about:blank", "");
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(`${at.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(loaded.filter((path) => path.includes("palette"))).toEqual([]);
    await summon(page);
    expect(loaded.filter((path) => /palette-[\w-]+\.js$/.test(path))).toHaveLength(1);
  });

  test("finds pages, workspaces, gears, instructions and actions, and opens them with Enter", async () => {
    await using page = await at.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    for (const [search, path] of [
      ["Models", "/models"],
      ["lab", at.own],
      ["count_w", "/gears/1"],
      ["tone", "/library/1"],
    ] as const) {
      await run(page, search);
      await eventually(() => new URL(page.url()).pathname, path);
    }
    await run(page, "create workspace");
    await page.getByRole("dialog", { name: "Create workspace" }).waitFor();
    await page.keyboard.press("Control+k");
    expect(await palette(page).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await run(page, "dark theme");
    await eventually(() => page.evaluate("document.documentElement.dataset.theme"), "dark");
  });

  test("offers a workspace's views, agents and cancelling its turn", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("link", { name: "Chat" }).waitFor();
    await run(page, "Go to Files");
    await eventually(() => new URL(page.url()).pathname, `${at.own}/files`);
    await run(page, "orchestrator");
    await eventually(() => new URL(page.url()).search, `?inspect=agent-${at.orchestratorId}`);

    const held = gate();
    at.model.script("boss", [[held, say("never said")]]);
    await at.admin.post(`${at.own}/chat`, { text: "go" });
    await run(page, "Stop turn");
    await eventually(async () => (await at.admin.get(`${at.own}/turns`)).at(-1)?.status, "cancelled");
    await page.getByRole("link", { name: "Workspaces" }).first().click();
    await page.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
    await summon(page);
    expect((await options(page)).filter((text) => /Go to|Stop turn/.test(text))).toEqual([]);
  });

  test("lists the names that the server finds, too, once and in one form", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("link", { name: "Chat" }).waitFor();
    await summon(page);
    const marked = (group: string, search: string) => async () => {
      await palette(page).getByRole("combobox").fill(search);
      await palette(page).locator('[role=listbox][aria-busy="false"]').waitFor();
      return palette(page)
        .getByRole("group", { name: group })
        .getByRole("option")
        .evaluateAll((all) => all.map((one) => [one.textContent, one.querySelector("mark")?.textContent]));
    };
    await eventually(marked("Agents", "orch"), [["orchestrator", "orch"]]);
    await eventually(marked("Gears", "count"), [["count_wordspending", "count"]]);
    await eventually(marked("Pages", "mod"), [["Models", "Mod"]]);
  });

  test("shows the match of a long text on a phone", async () => {
    const text = `${"words before it ".repeat(4)}kittiwake, and some more.`;
    await at.admin.raw("PUT", `${at.own}/file?path=far.md`, { body: text });
    await eventually(async () => (await at.admin.get("/search?q=kittiwake")).groups.length, 1);
    await using page = await at.open("/settings");
    await summon(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await palette(page).getByRole("combobox").fill("kittiwake");
    const snippet = palette(page).locator(".palette-snippet");
    const match = snippet.locator("mark");
    await match.waitFor();
    const [shown, room] = [await match.boundingBox(), await snippet.boundingBox()];
    expect(shown!.x + shown!.width).toBeLessThanOrEqual(room!.x + room!.width);
    expect(await match.innerText()).toBe("kittiwake");
  });

  test("does not claim that models are missing before they are loaded", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.route("**/api/v1/models", (route) => route.abort());
    await page.goto(`${at.url}/settings`);
    await summon(page);
    await palette(page).getByRole("group", { name: "Instructions" }).waitFor();
    const option = palette(page).getByRole("option", { name: "Create workspace" });
    expect([await option.innerText(), await option.getAttribute("aria-disabled")]).toEqual([
      "Create workspace",
      null,
    ]);
    at.browser.expected(/ERR_FAILED|Failed to fetch dynamically/);
  });

  test("wraps around with arrows, restores the focus on Escape, and reports no results", async () => {
    await using page = await at.open("/settings");
    const button = page.getByRole("button", { name: "Switch user" });
    await button.focus();
    await summon(page);
    // Each list is added once it is loaded.
    for (const group of ["Workspaces", "Gears", "Instructions"])
      await palette(page).getByRole("group", { name: group }).waitFor();
    const all = (await options(page)).map((text) => text.trim());
    expect((await chosen(page)).trim()).toBe(all[0]!);
    await page.keyboard.press("ArrowUp");
    expect((await chosen(page)).trim()).toBe(all.at(-1)!);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect((await chosen(page)).trim()).toBe(all[1]!);
    await eventually(
      () => palette(page).getByRole("combobox").getAttribute("aria-activedescendant"),
      await palette(page).getByRole("option", { selected: true }).getAttribute("id"),
    );
    await page.keyboard.type("zzqq");
    await palette(page).getByText("No results.").waitFor();
    await page.keyboard.press("Enter");
    await eventually(() => palette(page).isVisible(), true);
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await eventually(() => page.evaluate("document.activeElement.textContent"), "Switch user");
  });

  test("lists recent commands first, also after pointer use", async () => {
    await using page = await at.open("/settings");
    await run(page, "count_w");
    await summon(page);
    await palette(page).getByRole("group", { name: "Recent" }).getByText("count_words").waitFor();
    await palette(page).getByRole("option", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Search or run a command" }).click();
    await palette(page).getByRole("option").first().waitFor();
    expect((await options(page)).slice(0, 2).map((text) => text.split("\n")[0])).toEqual([
      "Models",
      "count_words",
    ]);
  });

  test("stays open when it is opened while the screen before is still loading", async () => {
    await using page = await at.open("/settings");
    const loading = Promise.withResolvers<void>();
    await page.route(/models-[\w-]+\.js$/, async (route) => {
      await loading.promise;
      await route.continue();
    });
    await run(page, "Models");
    await summon(page);
    loading.resolve();
    await page.getByRole("heading", { name: "Models", level: 1, includeHidden: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/models");
    await eventually(() => palette(page).isVisible(), true);
  });

  test("stays open when the view that was still loading sets its own address", async () => {
    await at.admin.put(`${at.own}/file?path=plan.md`, "A plan.");
    await using page = await at.open(`${at.own}/files?path=plan.md`);
    await page.getByRole("button", { name: "Close plan.md" }).waitFor();
    await page.goto(at.url + at.own);
    const loading = await holdRequest(page, /\/files-[\w-]+\.js$/);
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await loading.held;
    await summon(page);
    await loading.letGo();
    await page.waitForURL("**/files?path=plan.md");
    await eventually(() => palette(page).isVisible(), true);
  });

  test("takes what is typed while it is still loading", async () => {
    await using page = await at.open(at.own);
    const box = page.getByRole("textbox", { name: "Message the orchestrator" });
    await box.fill("Not for the palette");
    const turns = await at.admin.get(`${at.own}/turns`);
    const loading = await holdRequest(page, /\/palette-[\w-]+\.js$/);
    await page.keyboard.press("Control+k");
    await loading.held;
    await page.keyboard.type("Mod");
    await page.keyboard.press("Enter");
    await loading.letGo();
    await page.keyboard.type("els");
    await palette(page).getByRole("option", { name: "Models" }).first().waitFor();
    await eventually(() => palette(page).getByRole("combobox").inputValue(), "Models");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await eventually(() => box.evaluate((element) => element === document.activeElement), true);
    await eventually(() => box.inputValue(), "Not for the palette");
    expect(await at.admin.get(`${at.own}/turns`)).toEqual(turns);
  });

  test("has the focus at once when it replaces the field that was there while it was loading", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("textbox", { name: "Message the orchestrator" }).waitFor();
    const loading = await holdRequest(page, /\/palette-[\w-]+\.js$/);
    await page.keyboard.press("Control+k");
    await loading.held;
    await palette(page).getByRole("textbox").waitFor();
    // A key that is already waiting is delivered before anything that the page does later.
    await page.evaluate(`document.activeElement.addEventListener("focusout", () =>
      queueMicrotask(() => (window.focusedNext = document.activeElement.getAttribute("role"))))`);
    await loading.letGo();
    await palette(page).getByRole("option").first().waitFor();
    expect(await page.evaluate<string | null>("window.focusedNext")).toBe("combobox");
  });

  test("keeps the focus while it is loading, also after a click beside its field", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("textbox", { name: "Message the orchestrator" }).fill("Not for the palette");
    const loading = await holdRequest(page, /\/palette-[\w-]+\.js$/);
    await page.keyboard.press("Control+k");
    await loading.held;
    await palette(page).locator("svg").click();
    await page.keyboard.type("Models");
    await eventually(() => palette(page).getByRole("textbox").inputValue(), "Models");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await loading.letGo();
  });

  test("gives the focus back when its keys close it, also while it is loading", async () => {
    await using page = await at.open(at.own);
    const box = page.getByRole("textbox", { name: "Message the orchestrator" });
    await box.focus();
    const loading = await holdRequest(page, /\/palette-[\w-]+\.js$/);
    const openAndClose = async () => {
      await page.keyboard.press("Control+k");
      await palette(page).waitFor();
      await page.keyboard.press("Control+k");
      await palette(page).waitFor({ state: "detached" });
      await eventually(() => box.evaluate((element) => element === document.activeElement), true);
    };
    await openAndClose();
    await loading.letGo();
    await openAndClose();
  });

  test("that cannot be loaded says so in its place, keeps what is typed, and closes with Escape", async () => {
    await using page = await at.open(at.own);
    const box = page.getByRole("textbox", { name: "Message the orchestrator" });
    await box.fill("Not for the palette");
    await page.route(/\/palette-[\w-]+\.js$/, (route) => route.abort());
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("alert").waitFor();
    await page.keyboard.type("Models");
    await eventually(() => palette(page).getByRole("textbox").inputValue(), "Models");
    await page.keyboard.press("Tab");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Retry");
    await page.keyboard.press("Tab");
    await page.keyboard.type("!");
    await eventually(() => palette(page).getByRole("textbox").inputValue(), "Models!");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await eventually(() => box.evaluate((element) => element === document.activeElement), true);
    at.browser.expected(/ERR_FAILED|Failed to fetch dynamically/);
  });

  test("offers a member only what members can open", async () => {
    const member = await createPerson(at.admin, "Mia");
    await using page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member.token}` });
    await page.goto(`${at.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await summon(page);
    await palette(page).getByRole("option", { name: "count_words" }).waitFor();
    const offered = await options(page);
    for (const place of ["People", "Audit", "Terminal", "lab"])
      expect(offered.filter((text) => text.includes(place))).toEqual([]);
  });

  test("finds files and agents of other workspaces, and an older answer never replaces a newer one", async () => {
    const desk = await at.place("aviary", { workers: ["heron"] });
    await at.admin.raw("PUT", `${desk.own}/file?path=notes/egret.md`, { body: "# Egret\n\nSeen at dawn." });
    // Files are indexed after they are saved.
    await eventually(async () => (await at.admin.get("/search?q=dawn")).groups.length, 1);
    await using page = await at.open("/settings");
    const group = (name: string) => palette(page).getByRole("group", { name });
    // The answer to the first letters arrives after the one to all of them.
    const late = Promise.withResolvers<void>();
    await page.route("**/api/v1/search?q=he", async (route) => {
      await late.promise;
      await route.fulfill({ json: { groups: [], indexing: 0 } }).catch(() => undefined);
    });
    await summon(page);
    const asked = page.waitForRequest("**/api/v1/search?q=he");
    await page.keyboard.type("he");
    await asked;
    await page.keyboard.type("ron");
    await group("Agents").getByRole("option", { name: /heron/ }).waitFor();
    late.resolve();
    await eventually(() => palette(page).getByRole("listbox").getAttribute("aria-busy"), "false");
    await group("Agents").getByRole("option", { name: /heron/ }).click();
    await eventually(
      () => new URL(page.url()).pathname + new URL(page.url()).search,
      `${desk.own}/blueprint?inspect=agent-${desk.agents["heron"]}`,
    );
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("option").first().waitFor();
    await page.keyboard.type("dawn");
    await group("Files").getByRole("option", { name: /egret/ }).waitFor();
    // The answer to its first letters finds the file, too.
    await eventually(() => group("Files").locator("mark").allInnerTexts(), ["dawn"]);
    await page.keyboard.press("Enter");
    await eventually(() => new URL(page.url()).pathname, `${desk.own}/files`);
    await page.getByRole("textbox", { name: "notes/egret.md" }).waitFor();

    // The index may be incomplete, and the server may not answer.
    await page.route("**/api/v1/search?q=still", (route) =>
      route.fulfill({ json: { groups: [], indexing: 1_200 } }),
    );
    await page.route("**/api/v1/search?q=broken", (route) =>
      route.fulfill({
        status: 503,
        json: { error: { message: "storage does not answer", code: "unavailable", request_id: "r1" } },
      }),
    );
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("option").first().waitFor();
    await palette(page).getByRole("combobox").fill("still");
    await palette(page).getByText("Still indexing: 1,200 texts are not searched yet.").waitFor();
    await palette(page).getByRole("combobox").fill("broken");
    await palette(page).getByText("Only names were searched: storage does not answer").waitFor();
    at.browser.expected(/status of 503/);
  });

  test("passes axe in both themes and fits a narrow screen", async () => {
    await using page = await at.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await summon(page);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.keyboard.type("zzqq");
    await palette(page).getByText("No results.").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 640 });
    const fits = async () => {
      const { left, right, bottom } = await edgesOf(palette(page));
      return left >= 0 && right <= 360 && bottom <= 640;
    };
    await eventually(fits, true);
  });
});
