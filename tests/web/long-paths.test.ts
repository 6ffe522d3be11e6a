// Goal: where the path of a file is too long for its place, the name of the file stays in sight.

import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { eventually } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const NAME = "quarterly-heron-report.md";
/** Room for about ten letters. */
const NAME_PX_MIN = 60;
const READS_AT_ONCE_MAX = 3;
const PATH = `${"a-directory-with-a-name/".repeat(20)}${NAME}`;

/** Whether the end of the text of an element is drawn inside it: text that does not fit reaches beyond, by a fraction of a pixel, too. */
const showsItsEnd = (element: Locator): Promise<boolean> =>
  element.evaluate((one, length) => {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    let last: Text | undefined;
    while (texts.nextNode()) last = texts.currentNode as Text;
    if (!last) return false;
    const end = document.createRange();
    end.setStart(last, Math.max(0, last.length - length));
    end.setEnd(last, last.length);
    const [drawn, place] = [end.getBoundingClientRect(), one.getBoundingClientRect()];
    return drawn.left >= place.left - 0.1 && drawn.right <= place.right + 0.1;
  }, NAME.length);

const stocked = async () => {
  const at = await screen({ model: "silent" });
  const { id } = await at.admin.post("/workspaces", { name: "lab", orchestrator_model_id: at.bossId });
  await at.enter(id);
  await at.admin.raw("PUT", `${at.own}/file?path=${encodeURIComponent(PATH)}`, { body: "Seen at dawn." });
  // Files are indexed after they are saved.
  await eventually(async () => (await at.admin.get("/search?q=dawn")).groups.length, 1);
  return at;
};

onScreen("a long path", stocked, (at) => {
  test("shows its name in the palette, also among recent commands, and above the open file", async () => {
    await using page = await at.open("/settings");
    const found = page
      .getByRole("dialog", { name: "Search or run a command" })
      .locator("[role=option] .ellipsis");
    const summon = async (words: string) => {
      await page.getByRole("navigation", { name: "Main" }).waitFor({ state: "attached" });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or run a command" }).fill(words);
      await found.filter({ hasText: NAME }).waitFor();
    };
    await summon("heron");
    await eventually(() => showsItsEnd(found.filter({ hasText: NAME })), true);
    await found.filter({ hasText: NAME }).click();
    const name = page.getByRole("heading", { name: NAME }).locator(":scope > :last-child");
    await name.waitFor();
    expect(await name.innerText()).toBe(NAME);
    await eventually(() => showsItsEnd(name), true);
    await page.goto(`${at.url}/settings`);
    await summon("");
    expect(await showsItsEnd(found.filter({ hasText: NAME }))).toBe(true);
  });

  test("shows a part of every name in the tree, however deep it is", async () => {
    await using page = await at.open(`${at.own}/files?path=${encodeURIComponent(PATH)}`);
    const rows = page.getByRole("tree").getByRole("treeitem");
    const roomOfNames = () =>
      rows.locator("bdi").evaluateAll((names) => {
        const end = names[0]!.closest("[role=tree]")!.getBoundingClientRect().right;
        return names.map(
          (name) => Math.min(name.getBoundingClientRect().right, end) - name.getBoundingClientRect().left,
        );
      });
    // The directories and the file.
    await eventually(() => rows.count(), PATH.split("/").length);
    await eventually(async () => (await roomOfNames()).every((px) => px >= NAME_PX_MIN), true);
  });

  test("asks for its directories once each, and for few at a time", async () => {
    await using page = await at.open("/settings");
    const asked: string[] = [];
    let waiting = 0;
    let most = 0;
    const go = Promise.withResolvers<void>();
    await page.route(/\/files(\?path=.*)?$/, async (route) => {
      const url = new URL(route.request().url());
      if (!url.pathname.startsWith("/api/")) return route.fallback();
      asked.push(url.searchParams.get("path") ?? "");
      most = Math.max(most, ++waiting);
      await go.promise;
      waiting--;
      await route.continue();
    });
    await page.goto(`${at.url}${at.own}/files?path=${encodeURIComponent(PATH)}`);
    // Room is left for the file itself.
    await page.getByText("Seen at dawn.").waitFor();
    go.resolve();
    await eventually(() => page.getByRole("treeitem").count(), PATH.split("/").length);
    const directories = PATH.split("/").map((_, depth, names) => names.slice(0, depth).join("/"));
    expect(asked.toSorted()).toEqual(directories.toSorted());
    expect(most).toBeLessThanOrEqual(READS_AT_ONCE_MAX);
  });

  test("shows its name in the results of a search in files", async () => {
    await using page = await at.open(`${at.own}/files`);
    await page.getByRole("button", { name: "Find in files" }).click();
    await page.getByRole("searchbox", { name: "Find in files" }).fill("dawn");
    const path = page.getByRole("heading", { name: PATH }).locator(".ellipsis");
    await path.waitFor();
    await eventually(() => showsItsEnd(path), true);
  });
});
