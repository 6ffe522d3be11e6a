// Goal: files of every size, kind and name; keyboard use; an unreachable server; leaving the page; accessibility.

import { expect, test } from "bun:test";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { eventually } from "../kit/eventually.ts";
import {
  bothVersions,
  button,
  editor,
  filesScreen,
  stateIs,
  treeItem,
  typeAtEnd,
} from "../kit/browser/files-screen.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const LIMIT = 2 * 1024 * 1024;

onScreen("kinds of files", filesScreen, (at) => {
  test("shows the tree first in one column, and reopens it over a file", async () => {
    await at.put("narrow.md", "one\n");
    await using page = await at.openFile(undefined, { width: 390, height: 844 });
    await treeItem(page, "narrow.md").waitFor();
    expect(await page.getByRole("button", { name: "Close Workspace files" }).count()).toBe(0);
    await eventually(async () => {
      const { left, width } = await edgesOf(page.getByRole("tree"));
      return [left, width];
    }, [0, 390]);
    await treeItem(page, "narrow.md").click();
    await editor(page, "narrow.md").getByText("one").waitFor();
    expect(await page.getByRole("tree").count()).toBe(0);
    await button(page, "Show files").click();
    await page.getByRole("complementary", { name: "Workspace files" }).waitFor();
    await treeItem(page, "narrow.md").click();
    await page.getByRole("tree").waitFor({ state: "detached" });
    await button(page, "Close narrow.md").click();
    await treeItem(page, "narrow.md").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("edits 2 MiB, opens larger files read-only, and reports binary and missing files", async () => {
    const full = `${"x".repeat(127)}\n`.repeat(LIMIT / 128);
    expect((await at.put("full.txt", full)).status).toBe(201);
    await using page = await at.openFile("full.txt");
    await editor(page, "full.txt").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Delete");
    await page.keyboard.type("y");
    await page.keyboard.press("Control+s");
    await stateIs(page, "Saved");
    await eventually(() => at.saved("full.txt"), `y${full.slice(1)}`);
    await page.keyboard.type("z");
    await page.keyboard.press("Control+s");
    await page.getByRole("alert").filter({ hasText: "The text has 2,097,153 bytes" }).waitFor();
    await button(page, "Close full.txt").click();
    await button(page, "Close without saving").click();
    const { folder } = at;
    await Bun.write(`${folder}/big.txt`, "y".repeat(LIMIT + 1));
    await Bun.write(`${folder}/raw.bin`, new Uint8Array([0xff, 0xfe, 0x00, 0x80]));
    await button(page, "Refresh").click();
    await treeItem(page, "big.txt").click();
    await page
      .getByText("This file has 2.0 MiB, and only files up to 2 MiB can be edited", { exact: false })
      .waitFor();
    await stateIs(page, "Read-only");
    expect(await button(page, "Save").count()).toBe(0);
    await editor(page, "big.txt").click();
    await page.keyboard.type("no");
    await eventually(() => editor(page, "big.txt").getAttribute("aria-readonly"), "true");
    await stateIs(page, "Read-only");
    await treeItem(page, "raw.bin").click();
    await page.getByRole("heading", { name: "Not a text file" }).waitFor();
    at.browser.expected(/415/);
    await page.goto(`${at.url}/workspaces/${at.workspaceId}/files?path=nowhere.md`);
    await page.getByRole("heading", { name: "File not found" }).waitFor();
    at.browser.expected(/404/);
    await page.getByRole("main").getByRole("button", { name: "Create file" }).last().click();
    await editor(page, "nowhere.md").waitFor();
    at.browser.expected(/404/);
  });

  test("preserves line endings", async () => {
    await at.put("windows.txt", "one\r\ntwo\r\n");
    await using page = await at.openFile("windows.txt");
    await page.getByText("CRLF").waitFor();
    await stateIs(page, "Saved");
    await typeAtEnd(page, "windows.txt", "three");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+s");
    await eventually(() => at.saved("windows.txt"), "one\r\ntwo\r\nthree\r\n");
  });

  test("renders hostile names as text, and 2,000 files in one directory quickly", async () => {
    const hostile = "&lt;img src=x onerror=alert(1)&gt; 'a' {b} %2e%2e.md";
    await at.put(`odd/${hostile}`, "harmless\n");
    await at.put("odd/مرحبا.md", "right to left\n");
    await Promise.all(
      Array.from({ length: 2_000 }, (_, number) =>
        Bun.write(`${at.folder}/many/file-${String(number).padStart(4, "0")}.txt`, `${number}\n`),
      ),
    );
    await using page = await at.openFile(`odd/${hostile}`);
    await editor(page, `odd/${hostile}`).getByText("harmless").waitFor();
    await treeItem(page, "مرحبا.md").click();
    await editor(page, "odd/مرحبا.md").getByText("right to left").waitFor();
    await treeItem(page, "many").click();
    await treeItem(page, "file-0000.txt").waitFor();
    expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
    await eventually(() => treeItem(page, "file-0000.txt").getAttribute("aria-setsize"), "2000");
    await page.getByRole("tree").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("m");
    await eventually(
      async () => (await treeItem(page, "many").getAttribute("class"))?.split(" ").includes("active"),
      true,
    );
    await page.goto(`${at.url}/workspaces/${at.workspaceId}/files?path=many/file-1500.txt`);
    await treeItem(page, "file-1500.txt").waitFor();
  });

  test("moves through the tree, into the editor and out again, and saves by keyboard", async () => {
    await at.put("deep/er/leaf.txt", "leaf\n");
    await using page = await at.openFile();
    await page.getByRole("tree").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("d");
    await page.keyboard.press("ArrowRight");
    await treeItem(page, "er").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await treeItem(page, "leaf.txt").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await editor(page, "deep/er/leaf.txt").getByText("leaf").waitFor();
    const focused = () =>
      page.evaluate("(document.activeElement.shadowRoot?.activeElement ?? document.activeElement).ariaLabel");
    await eventually(focused, "deep/er/leaf.txt");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Tab");
    await stateIs(page, "Not saved");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await eventually(() => page.evaluate("document.activeElement.textContent"), "Save");
    await page.keyboard.press("Control+s");
    await eventually(async () => /^[ \t]+leaf\n$/.test(await at.saved("deep/er/leaf.txt")), true);
    await page.getByRole("tree").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await eventually(() => treeItem(page, "er").getAttribute("aria-expanded"), "false");
    // Find inside the editor.
    await editor(page, "deep/er/leaf.txt").click();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("button", { name: /upload|download|rename|delete/i }).count()).toBe(0);
  });

  test("reports an unreachable server on save and keeps the text", async () => {
    await at.put("away.txt", "other\n");
    await using page = await at.openFile("away.txt");
    await editor(page, "away.txt").waitFor();
    await editor(page, "away.txt").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("kept ");
    await page.route("**/file?path=*", (route) => route.abort());
    await button(page, "Save").click();
    await page.getByRole("alert").filter({ hasText: "is unreachable" }).waitFor();
    at.browser.expected(/ERR_FAILED/);
    await page.unroute("**/file?path=*");
    await button(page, "Save").click();
    await eventually(() => at.saved("away.txt"), "kept other\n");
  });

  test("warns before unload only if input would be lost", async () => {
    await at.put("small.txt", "");
    await at.put("large.txt", "w".repeat(600_000));
    await using page = await at.openFile("small.txt");
    const warned: string[] = [];
    page.on("dialog", (asked) => {
      warned.push(asked.type());
      void asked.accept();
    });
    await typeAtEnd(page, "small.txt", "kept");
    await page.reload();
    await editor(page, "small.txt").getByText("kept").waitFor();
    expect(warned).toEqual([]);
    await page.goto(`${at.url}/workspaces/${at.workspaceId}/files?path=large.txt`);
    await typeAtEnd(page, "large.txt", "!");
    await stateIs(page, "Not saved");
    await page.reload();
    await eventually(() => warned, ["beforeunload"]);
  });

  test("passes axe in both themes", async () => {
    const text = '# Title\n\n```js\nconst a = "b"; // why\n```\n\n[link](https://example.org) *it* 12\n';
    await at.put("style.md", text);
    await at.put(
      "style.ts",
      'import { a } from "b";\n// comment\nexport class C { x = 12; y = /r/; z = `t`; }\n',
    );
    const page = await at.openFile("style.md");
    await editor(page, "style.md").getByText("Title").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    expect(await accessibilityProblems(page, ["target-size"])).toEqual([]);
    await treeItem(page, "style.ts").click();
    await editor(page, "style.ts").click();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("12");
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await typeAtEnd(page, "style.ts", "// mine 12 'x'\n");
    await button(page, "Changes").click();
    await page.getByRole("textbox", { name: "Your version, not saved" }).getByText("mine").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await at.put("style.ts", 'import { c } from "b";\n// other\nexport class D { x = 13; }\n');
    await button(page, "Compare").click();
    await bothVersions(page).getByRole("textbox", { name: "Your version" }).getByText("mine").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.close();
    await using small = await at.openFile("style.md", { width: 390, height: 844 });
    await editor(small, "style.md").waitFor();
    await button(small, "Show files").click();
    await treeItem(small, "style.md").waitFor();
    expect(await problemsInBothThemes(small)).toEqual([]);
  });
});
