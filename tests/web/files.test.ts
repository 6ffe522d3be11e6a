// Goal: people read and edit a workspace's files; edits of others appear, and no input is lost.

import { expect, test } from "bun:test";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import {
  bothVersions,
  button,
  editor,
  filesScreen,
  stateIs,
  treeItem,
  typeAtEnd,
} from "../kit/browser/files-screen.ts";
import { call, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

onScreen("the files of a workspace", filesScreen, (at) => {
  test("creates a file in a new directory on its first save, and keeps it across a reload", async () => {
    await using page = await at.openFile();
    await page.getByRole("heading", { name: "No files yet" }).waitFor();
    await button(page, "Create file").first().click();
    const path = page.getByLabel("Path");
    await path.fill("../outside.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await page.getByRole("alert").filter({ hasText: 'must not contain the segment ".."' }).waitFor();
    at.browser.expected(/400/);
    await path.fill("notes/plan.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await editor(page, "notes/plan.md").waitFor();
    at.browser.expected(/404/);
    await page.keyboard.type("# Plan");
    await stateIs(page, "New, not saved yet");
    expect(await at.admin.get(`${at.own}/files`)).toEqual([]);
    await page.keyboard.press("Control+s");
    await stateIs(page, "Saved");
    await eventually(() => at.saved("notes/plan.md"), "# Plan");
    await treeItem(page, "plan.md").waitFor();
    await page.reload();
    await editor(page, "notes/plan.md").getByText("# Plan").waitFor();
    await eventually(() => treeItem(page, "plan.md").getAttribute("aria-selected"), "true");
    // An existing path.
    await button(page, "Create file").first().click();
    await page.getByLabel("Path").fill("notes/plan.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await page.getByRole("alert").filter({ hasText: "A file with this path already exists" }).waitFor();
  });

  test("a save is in the audit with its path, and a preview leads to the files that it links to", async () => {
    await at.put("docs/start.md", "[next](../docs/next.md)");
    await at.put("docs/next.md", "# Next");
    await using page = await at.openFile("docs/start.md");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("link", { name: "next" }).click();
    await editor(page, "docs/next.md").getByText("# Next").waitFor();
    await page.goto(`${at.url}/audit`);
    const saved = page.getByRole("row").filter({ hasText: "file.save" });
    await saved.getByRole("cell", { name: "docs/next.md" }).waitFor();
  });

  test("finds a text in all files and opens its line; previews Markdown without running anything", async () => {
    await at.put(
      "guide.md",
      `# Guide\n\n${"a line\n".repeat(20)}the kingfisher line\n\n![far](https://far.test/a.png)`,
    );
    await at.put("code/birds.ts", 'export const bird = "Kingfisher";');
    await using page = await at.openFile("guide.md");
    await editor(page, "guide.md").waitFor();
    await button(page, "Find in files").click();
    const box = page.getByRole("searchbox", { name: "Find in files" });
    await eventually(() => box.evaluate((element) => element === document.activeElement), true);
    await box.fill("kingfisher");
    const lines = page.getByRole("button", { name: /^Line \d+/ });
    await eventually(() => lines.count(), 2);
    await eventually(() => page.locator(".files-found mark").allInnerTexts(), ["kingfisher", "Kingfisher"]);
    await page.getByText("2 lines in 2 files").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await button(page, "Match case").click();
    await eventually(() => lines.count(), 1);
    await lines.click();
    await page.getByText("Line 23, column").waitFor();
    await editor(page, "guide.md").getByText("the kingfisher line").waitFor();
    await box.fill("nothing has this");
    await page.getByText("No results").waitFor();
    await button(page, "Back to the tree").click();
    await treeItem(page, "guide.md").waitFor();

    await button(page, "Preview").click();
    const preview = page.getByRole("region", { name: "Preview of guide.md" });
    await preview.getByRole("heading", { name: "Guide", exact: true }).waitFor();
    expect(await preview.locator("img[src^='https:']").count()).toBe(0);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await button(page, "Preview").click();
    await preview.waitFor({ state: "detached" });
  });

  test("an editor that loads late takes no key from a person who types elsewhere", async () => {
    await using page = await at.openFile();
    const loading = await holdRequest(page, /\/mount-[\w-]+\.js$/);
    await button(page, "Create file").first().click();
    await page.getByLabel("Path").fill("awaited.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await loading.held;
    await button(page, "Find in files").click();
    const box = page.getByRole("searchbox", { name: "Find in files" });
    await box.click();
    await page.keyboard.type("king");
    await loading.letGo();
    await editor(page, "awaited.md").waitFor();
    await page.keyboard.type("fisher");
    await eventually(() => box.inputValue(), "kingfisher");
    at.browser.expected(/404/);
  });

  test("opens no file whose creation was cancelled while its path was still checked", async () => {
    await using page = await at.openFile();
    const checking = await holdRequest(page, /\/file\?path=cancelled\.md$/);
    await button(page, "Create file").first().click();
    await page.getByLabel("Path").fill("cancelled.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create file" }).click();
    await checking.held;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await checking.letGo();
    at.browser.expected(/404/);
    expect(await page.getByRole("button", { name: "Close cancelled.md" }).count()).toBe(0);
  });

  test("keeps the tree button visible beside many tabs in one column", async () => {
    await using page = await at.openFile();
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of ["one-long-name-of-a-file.md", "another-long-name-of-a-file.md"]) {
      await page.goto(`${at.url}/workspaces/${at.workspaceId}/files?path=${name}`);
      await page.getByRole("heading", { name: "File not found" }).waitFor();
    }
    const open = page.getByRole("navigation", { name: "Open files" });
    const [tree, names] = [button(page, "Show files"), open.getByRole("list")];
    await eventually(async () => (await edgesOf(tree)).right <= (await edgesOf(names)).left, true);
    at.browser.expected(/404/);
  });

  test("wraps the retry button below the error in the narrow tree", async () => {
    await using page = await at.browser.open("about:blank", "");
    await page.route("**/api/v1/workspaces/*/files*", (route) => route.abort());
    await page.goto(`${at.url}/workspaces/${at.workspaceId}/files`);
    const notice = page.getByRole("alert").filter({ hasText: "The server is unreachable." }).first();
    // In one look: other requests reach the server, so the list is tried again, and the notice comes back.
    const [bottom, top] = await notice.evaluate((it) => {
      const words = it.querySelector("div")!.getBoundingClientRect();
      return [words.bottom, it.querySelector("button")!.getBoundingClientRect().top];
    });
    expect(top).toBeGreaterThanOrEqual(bottom);
    at.browser.expected(/ERR_FAILED/);
  });

  test("keeps a draft across other files, other views and a reload, and compares it with the saved text", async () => {
    await at.put("a.txt", "one\ntwo\n");
    await at.put("b.txt", "other\n");
    await using page = await at.openFile("a.txt");
    await typeAtEnd(page, "a.txt", "three");
    await treeItem(page, "b.txt").click();
    await editor(page, "b.txt").getByText("other").waitFor();
    await page.getByRole("link", { name: "Chat" }).click();
    await page.getByRole("link", { name: "Files" }).click();
    // The address names the shown file again.
    await page.waitForURL("**/files?path=b.txt");
    await page.reload();
    await page.getByRole("navigation", { name: "Open files" }).getByText("a.txt").click();
    await editor(page, "a.txt").getByText("three").waitFor();
    await button(page, "Changes").click();
    const mine = page.getByRole("textbox", { name: "Your version, not saved" });
    await mine.getByText("three").waitFor();
    await page.getByRole("textbox", { name: "Saved", exact: true }).getByText("two").waitFor();
    await button(page, "Use saved text").first().click();
    await stateIs(page, "Saved");
    await eventually(() => at.saved("a.txt"), "one\ntwo\n");
    await typeAtEnd(page, "a.txt", "3");
    await button(page, "Save").click();
    await eventually(() => at.saved("a.txt"), "one\ntwo\n3");
    // Undo reaches back before the save.
    await editor(page, "a.txt").click();
    await page.keyboard.press("Control+z");
    await stateIs(page, "Not saved");
    await button(page, "Close a.txt").click();
    const asked = page.getByRole("dialog", { name: "Close without saving?" });
    await asked.getByRole("button", { name: "Close without saving" }).click();
    await editor(page, "b.txt").waitFor();
    await treeItem(page, "a.txt").click();
    await editor(page, "a.txt").getByText("3").waitFor();
  });

  test("refuses the later of two saves, shows both versions, and offers three ways to resolve them", async () => {
    await at.put("shared.md", "first\nmiddle\nlast\n");
    await using one = await at.openFile("shared.md");
    await using two = await at.openFile("shared.md");
    const typeBoth = async (mine: string, theirs: string) => {
      await typeAtEnd(one, "shared.md", mine);
      await stateIs(one, "Not saved");
      await editor(two, "shared.md").click();
      await two.keyboard.press("Control+Home");
      await two.keyboard.type(theirs);
      await two.keyboard.press("Control+s");
      await stateIs(two, "Saved");
      await one.getByText("saved another version while you were editing", { exact: false }).waitFor();
    };
    await editor(two, "shared.md").waitFor();
    await typeBoth("mine", "theirs ");
    // No dialog appeared while typing; saving opens it.
    expect(await bothVersions(one).count()).toBe(0);
    await button(one, "Save").click();
    await bothVersions(one)
      .getByRole("textbox", { name: /^Saved by/ })
      .getByText("theirs first")
      .waitFor();
    await bothVersions(one).getByRole("textbox", { name: "Your version" }).getByText("mine").waitFor();
    await one.keyboard.press("Escape");
    await bothVersions(one).waitFor({ state: "detached" });
    await eventually(() => at.saved("shared.md"), "theirs first\nmiddle\nlast\n");
    await button(one, "Compare").click();
    await button(one, "Overwrite theirs").click();
    await stateIs(one, "Saved");
    await eventually(() => at.saved("shared.md"), "first\nmiddle\nlast\nmine");
    await editor(two, "shared.md").getByText("mine").waitFor();

    await typeBoth("2", "x ");
    await button(one, "Save").click();
    await bothVersions(one).getByRole("button", { name: "Use theirs" }).first().click();
    await button(one, "Save merged text").click();
    await stateIs(one, "Saved");
    await eventually(() => at.saved("shared.md"), "x first\nmiddle\nlast\nmine2");

    await editor(two, "shared.md").getByText("mine2").waitFor();
    await typeBoth("dropped", "y ");
    await button(one, "Compare").click();
    await button(one, "Discard mine").click();
    await stateIs(one, "Saved");
    await editor(one, "shared.md").getByText("y x first").waitFor();
    await eventually(() => at.saved("shared.md"), "y x first\nmiddle\nlast\nmine2");
  });

  test("refuses a save based on an old version even if the page never heard of the newer one", async () => {
    await at.put("late.md", "old\n");
    const page = await at.openFile("late.md");
    await editor(page, "late.md").waitFor();
    await page.route("**/events?*", (route) => route.abort());
    await page.reload();
    await editor(page, "late.md").getByText("old").waitFor();
    await at.put("late.md", "new\n");
    await typeAtEnd(page, "late.md", "mine");
    await page.keyboard.press("Control+s");
    await bothVersions(page)
      .getByRole("textbox", { name: /^Saved by/ })
      .getByText("new")
      .waitFor();
    await eventually(() => at.saved("late.md"), "new\n");
    at.browser.expected(/412|ERR_FAILED/);
    await page.close();
    at.browser.expected(/ERR_FAILED/);
  });

  test("updates the tree and the open file when an agent writes, and names the agent", async () => {
    await at.put("report.md", "draft\n");
    await using page = await at.openFile("report.md");
    await editor(page, "report.md").getByText("draft").waitFor();
    at.model.script("boss", [
      [
        call("file_write", { path: "report.md", content: "final\n" }),
        call("file_write", { path: "fresh/more.md", content: "more\n" }),
      ],
      say("Done."),
    ]);
    await at.admin.post(`${at.own}/chat`, { text: "finish it" });
    await editor(page, "report.md").getByText("final").waitFor();
    await page.getByText("orchestrator saved a new version").waitFor();
    await treeItem(page, "fresh").waitFor();
  });
});
