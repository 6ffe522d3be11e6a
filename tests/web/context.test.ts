// Goal: an admin finds, reads, creates, edits, compares, deletes and restores documents of the space; no edit is overwritten unseen, and nobody else
// sees them.

import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { contextAddress, contextScreen, reading, tab, treeRow } from "../kit/browser/context-screen.ts";
import { eventually, until } from "../kit/eventually.ts";
import { bytes } from "../kit/store/file-engine.ts";
import { button, editor, stateIs, typeAtEnd } from "../kit/browser/files-screen.ts";
import { onScreen } from "../kit/browser/screen.ts";
import type { SpaceDoor } from "../../src/context/space/door.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const STYLE = "team/style.md";
const FACTS = "workspaces/desk-1/shared/facts.md";
const HOSTILE = "team/'a' &lt;b&gt; %2e%2e #1 שלום.md";

/** Longer than a screen, so that its last heading is out of sight. */
const GUIDE = `# Guide\n\n[style](./style.md#top) [short](style) [folder](../docs) [facts](/workspaces/desk-1/shared/facts.md) [out](../../x.md) [end](#the-end-1)\n\n${"Long.\n\n".repeat(80)}## The *end*\n\n## The end!\n`;

async function fill(space: SpaceDoor): Promise<void> {
  await space.write(STYLE, bytes("---\nowner: ann\n---\n# Style\n\nBe long.\n"), null, {
    message: "first draft",
  });
  await space.write(STYLE, bytes("---\nowner: ann\n---\n# Style\n\nBe **brief**.\n"), 1, {
    agent: "scout",
    message: "turn 2 of workspace 1",
  });
  await space.write(FACTS, bytes("# Facts\n\nThe sea is cold.\n"), null, { agent: "scout" });
  await space.write("team/guide.md", bytes(GUIDE), null);
  await space.write("docs/README.md", bytes("All documents.\n"), null);
  await space.write("team/other.md", bytes("The land is warm.\n"), null);
}

onScreen(
  "the context area",
  () => contextScreen(fill, { people: { ann: "team-lead" } }),
  (at) => {
    const dialog = "Someone else changed this document";

    test("opens a document from the tree, rendered and as its source, with version and author", async () => {
      await using page = await at.openContext();
      await page.getByRole("heading", { name: "No document open" }).waitFor();
      await treeRow(page, "team").click();
      await treeRow(page, "style.md").click();
      await reading(page).getByRole("heading", { name: "Style" }).waitFor();
      await reading(page).locator("strong", { hasText: "brief" }).waitFor();
      await reading(page).getByRole("figure", { name: "Code, yaml" }).getByText("ann").waitFor();
      const facts = page.getByRole("navigation", { name: "Views of the document" });
      expect((await facts.innerText()).replace(/\s+/g, " ")).toMatch(
        /v2 by scout (just now|\d+ minutes? ago)/,
      );
      await tab(page, "Source").click();
      await reading(page).getByText("Be **brief**.").waitFor();
      await page.waitForURL(`**/context?path=${encodeURIComponent(STYLE)}&view=source`);
      await page.reload();
      await reading(page).getByText("Be **brief**.").waitFor();
      await eventually(() => treeRow(page, "style.md").getAttribute("aria-selected"), "true");
    });

    test("follows links to other documents and to headings, and shows those that lead out as text", async () => {
      await using page = await at.openContext("team/guide.md");
      const link = (name: string) => reading(page).getByRole("link", { name });
      await link("end").click();
      const heading = reading(page).getByRole("heading", { name: "The end!" });
      await eventually(() => heading.evaluate((element) => element === document.activeElement), true);
      expect(await link("out").count()).toBe(0);
      await link("short").click();
      await reading(page).getByRole("heading", { name: "Style" }).waitFor();
      await page.goBack();
      await link("folder").click();
      await reading(page).getByText("All documents.").waitFor();
      await page.goBack();
      await link("style").click();
      await reading(page).getByRole("heading", { name: "Style" }).waitFor();
      await page.goBack();
      await link("facts").click();
      await reading(page).getByText("The sea is cold.").waitFor();
    });

    test("creates a document in a new folder, refuses bad and taken paths in place, and finds it in the palette", async () => {
      await using page = await at.openContext();
      await button(page, "Create document").first().click();
      const form = page.getByRole("dialog", { name: "Create document" });
      const submit = form.getByRole("button", { name: "Create document" });
      await form.getByLabel("Path").fill("../outside.md");
      await submit.click();
      await form.getByRole("alert").filter({ hasText: 'must not contain the segment ".."' }).waitFor();
      await form.getByLabel("Path").fill(STYLE);
      await submit.click();
      await form
        .getByRole("alert")
        .filter({ hasText: "A document with this path already exists." })
        .waitFor();
      await form.getByLabel("Path").fill("fresh/plan.md");
      await submit.click();
      await editor(page, "fresh/plan.md").waitFor();
      await typeAtEnd(page, "fresh/plan.md", "# Plan");
      await stateIs(page, "New, not saved yet");
      await page.keyboard.press("Control+s");
      await stateIs(page, "Saved");
      await eventually(() => at.text("fresh/plan.md"), "# Plan");
      await treeRow(page, "plan.md").waitFor();
      await page.goto(`${at.url}/approvals`);
      await page.getByRole("heading", { name: "Approvals" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("fresh plan");
      await page.getByRole("option", { name: /plan\.md/ }).waitFor();
      await page.keyboard.press("Enter");
      await reading(page).getByRole("heading", { name: "Plan" }).waitFor();
      await button(page, "Create document").first().click();
      await form.getByLabel("Path").fill("fresh/never.md");
      await submit.click();
      await editor(page, "fresh/never.md").waitFor();
      await button(page, "Discard").click();
      await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
      await page.getByRole("heading", { name: "No document open" }).waitFor();
      at.browser.expected(/status of 40[04]/);
    });

    test("searches names and texts, and says which words matched, where, how old and by whom", async () => {
      await using page = await at.openContext();
      const search = page.getByRole("searchbox", { name: "Search documents" });
      const results = page.getByRole("region", { name: "Search results" });
      await search.fill("cold sea");
      const hit = results.getByRole("listitem").filter({ hasText: FACTS });
      await hit.getByText(/^matches cold, sea; changed (just now|\d+ minutes? ago) by scout$/).waitFor();
      await eventually(() => hit.locator("mark").allInnerTexts(), ["sea", "cold"]);
      await search.fill("other");
      await results.getByRole("heading", { name: "Names" }).waitFor();
      await results.getByRole("link", { name: "team/other.md" }).click();
      await reading(page).getByText("The land is warm.").waitFor();
      await search.fill("zebra");
      await results.getByText("No document has these words").waitFor();
      await search.press("Escape");
      await treeRow(page, "team").first().waitFor();
    });

    test("shows both versions when someone else saved first, and offers three ways to resolve them", async () => {
      const path = "team/shared.md";
      await at.put(path, "first\nmiddle\nlast\n");
      await using page = await at.openContext(path, "edit");
      const both = page.getByRole("dialog", { name: dialog });
      const conflict = async (mine: string, theirs: string) => {
        await typeAtEnd(page, path, mine);
        await at.put(path, theirs);
        await page.keyboard.press("Control+s");
        await both
          .getByRole("textbox", { name: /^Saved by/ })
          .getByText(theirs.split("\n")[0]!)
          .waitFor();
        await both.getByRole("textbox", { name: "Your version" }).getByText(mine).waitFor();
      };
      await conflict("mine", "theirs\nmiddle\nlast\n");
      await page.keyboard.press("Escape");
      await both.waitFor({ state: "detached" });
      await eventually(() => at.text(path), "theirs\nmiddle\nlast\n");
      await page.getByText("admin saved another version while you were editing.").waitFor();
      await button(page, "Compare").click();
      await button(page, "Overwrite theirs").click();
      await stateIs(page, "Saved");
      await eventually(() => at.text(path), "first\nmiddle\nlast\nmine");
      await conflict("merged", "x first\nmiddle\nlast\nmine");
      await both.getByRole("button", { name: "Use theirs" }).first().click();
      await button(page, "Save merged text").click();
      await stateIs(page, "Saved");
      expect(await at.text(path)).toContain("x first");
      await conflict("dropped", "their last\n");
      await button(page, "Discard mine").click();
      await editor(page, path).getByText("their last").waitFor();
      await eventually(() => at.text(path), "their last\n");
      at.browser.expected(/status of 412/);
    });

    test("keeps a draft across other documents and a reload, and discards it only when told", async () => {
      await at.put("team/draft.md", "saved\n");
      await using page = await at.openContext("team/draft.md", "edit");
      await typeAtEnd(page, "team/draft.md", "draft");
      await stateIs(page, "Not saved");
      await treeRow(page, "other.md").click();
      await reading(page).getByText("The land is warm.").waitFor();
      await page.reload();
      await treeRow(page, "draft.md").click();
      await page.getByText("You have unsaved changes. This is the saved version.").waitFor();
      await button(page, "Continue editing").click();
      await editor(page, "team/draft.md").getByText("draft").waitFor();
      await button(page, "Changes").click();
      await page.getByRole("textbox", { name: "Your version, not saved" }).getByText("draft").waitFor();
      await button(page, "Discard").click();
      await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
      await stateIs(page, "Saved");
      await eventually(() => at.version("team/draft.md"), 1);
    });

    test("lists versions with author and message, compares any two, and restores one as a new version", async () => {
      await using page = await at.openContext(STYLE, "history");
      const rows = page.getByRole("listitem").filter({ has: page.locator(".context-row") });
      await eventually(() => rows.count(), 2);
      expect((await rows.first().innerText()).replace(/\s+/g, " ")).toMatch(
        /^v2 scout live (?:just now|\d+ minutes? ago) turn 2 of workspace 1 \d+ B$/,
      );
      const detail = page.getByRole("region", { name: "Version", exact: true });
      await detail.getByText("Be **brief**.").waitFor();
      await detail.getByText("Be long.").waitFor();
      await rows.nth(1).getByRole("button").click();
      await detail.getByText("first version").waitFor();
      await detail.getByLabel("Compare with").selectOption("2");
      await detail.getByText("version 2 → version 1").waitFor();
      await detail.getByRole("button", { name: "Text" }).click();
      await detail.getByRole("heading", { name: "Style" }).waitFor();
      await detail.getByRole("button", { name: "Restore version 1" }).click();
      await page.getByText("Version 1 restored as version 3.").waitFor();
      await eventually(() => rows.count(), 3);
      expect(await at.text(STYLE)).toContain("Be long.");
      // Another person writes at this moment, before the page can know: nothing is restored, and the list catches up.
      await page.route("**/api/v1/context/restore", async (route) => {
        await at.put(STYLE, "# Newer\n");
        await route.continue();
      });
      await rows.last().getByRole("button").click();
      await detail.getByRole("button", { name: "Restore version 1" }).click();
      await detail.getByRole("alert").filter({ hasText: "the current version is v4" }).waitFor();
      await eventually(() => rows.count(), 4);
      await eventually(() => at.version(STYLE), 4);
      at.browser.expected(/status of 412/);
    });

    test("deletes a document, keeps its versions, lists it where wanted, and restores it", async () => {
      const path = "team/short.md";
      await at.put(path, "Soon gone.\n");
      await using page = await at.openContext(path);
      await reading(page).getByText("Soon gone.").waitFor();
      await button(page, "More about this document").click();
      await page.getByRole("menuitem", { name: "Delete document" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete document" }).click();
      await page.getByText("This document is deleted. Agents do not see it").waitFor();
      await reading(page).getByText("Soon gone.").waitFor();
      expect(await treeRow(page, "short.md").count()).toBe(0);
      await button(page, "Show deleted documents").click();
      await treeRow(page, "short.md").getByText("deleted").waitFor();
      await button(page, "Hide deleted documents").click();
      await tab(page, "History").click();
      await page.getByRole("button", { name: /^v1/ }).waitFor();
      await button(page, "Restore").press("Enter");
      await page.getByText("Document restored at version 1.").waitFor();
      await page.locator(`section[aria-label="${path}"]:focus`).waitFor();
      await treeRow(page, "short.md").waitFor();
      await eventually(() => at.text(path), "Soon gone.\n");
    });

    test("shows a hostile name and content as text, and says that there are invisible characters", async () => {
      await at.put(HOSTILE, "<script>alert(1)</script>\n\nabc\u202edef ![x](https://example.org/x.png)\n");
      await using page = await at.openContext(HOSTILE);
      await page.getByTitle(HOSTILE, { exact: true }).waitFor();
      await page.getByText("This document has invisible characters. Source shows them.").waitFor();
      await reading(page).getByText("<script>alert(1)</script>").waitFor();
      expect(await page.locator("#main img, #main script").count()).toBe(0);
      await tab(page, "Source").click();
      await reading(page).getByText("U+202E").waitFor();
    });

    test("renders a long document to its end", async () => {
      const parts = Array.from({ length: 900 }, (_, index) => `## Part ${index}\n\nSome words about it.\n`);
      await at.put("team/long.md", parts.join("\n"));
      await using page = await at.openContext("team/long.md");
      await reading(page).getByRole("heading", { name: "Part 899", exact: true }).waitFor();
      await eventually(() => reading(page).getByRole("heading").count(), 900);
    });

    test("keeps an edit by hand as a version of its own, and shows what was removed by hand", async () => {
      const path = "team/hand.md";
      await at.put(path, "first\n");
      await Bun.write(join(at.directory, path), "by hand\n");
      await using page = await at.openContext(path);
      await page.getByText("Edited by hand, outside of the service.").waitFor();
      await reading(page).getByText("by hand").waitFor();
      await tab(page, "Edit").click();
      await typeAtEnd(page, path, "mine");
      await page.keyboard.press("Control+s");
      await stateIs(page, "Saved");
      await tab(page, "History").click();
      for (const version of ["v3", "v2", "v1"])
        await page.getByRole("button", { name: new RegExp(`^${version}`) }).waitFor();
      await eventually(() => at.text(path), "by hand\nmine");
      rmSync(join(at.directory, path));
      await page.goto(at.url + contextAddress(path));
      await page.getByText("The file was removed from the folder by hand.").waitFor();
      await treeRow(page, "hand.md").getByText("missing").waitFor();
      await tab(page, "History").click();
      await page.getByRole("button", { name: /^v1/ }).click();
      await button(page, "Restore version 1").click();
      await eventually(() => at.text(path), "first\n");
      at.browser.expected(/status of 404/);
    });

    test("refuses a secret and keeps the text", async () => {
      await at.put("team/key.md", "none\n");
      await using page = await at.openContext("team/key.md", "edit");
      await typeAtEnd(page, "team/key.md", "AKIAQWERTYUIOPASDFGH");
      await page.keyboard.press("Control+s");
      await page.getByRole("alert").filter({ hasText: "looks like a secret" }).waitFor();
      await stateIs(page, "Not saved");
      await eventually(() => at.text("team/key.md"), "none\n");
      at.browser.expected(/status of 422/);
    });

    test("works by keyboard alone: search, results, tabs, versions, tree", async () => {
      await using page = await at.openContext();
      const search = page.getByRole("searchbox", { name: "Search documents" });
      await search.focus();
      await page.keyboard.type("cold");
      await page.getByRole("link", { name: FACTS }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.locator("[aria-label='Text of the document']:focus").getByText("The sea is cold.").waitFor();
      await search.focus();
      await page.keyboard.press("Escape");
      await page.keyboard.press("ArrowDown");
      await page.locator("[role=tree]:focus").waitFor();
      await page.keyboard.press("Home");
      for (const key of ["t", "ArrowRight", "o", "Enter"]) await page.keyboard.press(key);
      await reading(page).getByText("The land is warm.").waitFor();
      await tab(page, "History").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: /^v1/ }).focus();
      await page.keyboard.press("Enter");
      await tab(page, "Edit").focus();
      await page.keyboard.press("Enter");
      await editor(page, "team/other.md").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("show history of document");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: /^v1/ }).waitFor();
    });

    test("leaves the cursor of the tree where a person has moved it before the tree was measured", async () => {
      await using page = await at.browser.open("about:blank", "");
      await page.addInitScript(() => {
        const measured: (() => void)[] = [];
        const Real = ResizeObserver;
        globalThis.ResizeObserver = class extends Real {
          constructor(tell: ResizeObserverCallback) {
            super((entries, observer) => void measured.push(() => tell(entries, observer)));
          }
        };
        const measure = () => measured.splice(0).map((tell) => tell()).length;
        Object.assign(globalThis, { measure });
      });
      // Near the top: a tree without a size shows its first rows only.
      await page.goto(at.url + contextAddress("docs/README.md"));
      await treeRow(page, "README.md").waitFor();
      const tree = page.getByRole("tree", { name: "Documents" });
      await tree.focus();
      await page.keyboard.press("Home");
      const cursor = () => tree.getAttribute("aria-activedescendant");
      const top = await tree.getByRole("treeitem").first().getAttribute("id");
      await eventually(() => cursor(), top);
      const measure = () => page.evaluate("measure()");
      await until(measure);
      await eventually(() => cursor(), top);
      // A document that is opened from elsewhere takes it along.
      await page.getByRole("searchbox", { name: "Search documents" }).fill("cold");
      await page.getByRole("link", { name: FACTS }).click();
      await page.getByRole("searchbox", { name: "Search documents" }).fill("");
      const facts = treeRow(page, "facts.md");
      await until(async () => (await measure(), await facts.count()) > 0);
      await eventually(cursor, await facts.getAttribute("id"));
    });

    test("shows the tree first in one column, and over the document on request", async () => {
      await using page = await at.openContext(undefined, undefined, { width: 360, height: 740 });
      await treeRow(page, "team").click();
      await treeRow(page, "other.md").click();
      await reading(page).getByText("The land is warm.").waitFor();
      expect(await page.getByRole("tree").count()).toBe(0);
      await button(page, "Show documents").click();
      await treeRow(page, "style.md").click();
      await reading(page).waitFor();
      await eventually(() => page.evaluate("document.documentElement.scrollWidth <= 360"), true);
      // The longest name leaves room for the buttons.
      await page.goto(at.url + contextAddress(`team/${"W".repeat(200)}.md`));
      const more = button(page, "More about this document");
      await eventually(async () => (await edgesOf(more)).right <= 360, true);
      at.browser.expected(/status of 404/);
    });

    test("keeps a space of 5,000 documents usable: few rows in the page, jumps to the end, and the palette finds one", async () => {
      await using page = await at.browser.open("about:blank", "");
      const updated_at = new Date().toISOString();
      const many = Array.from({ length: 5_000 }, (_, index) => ({
        path: `many/note-${index}.md`,
        version: 1,
        size: 7,
        hash: "0".repeat(64),
        updated_at,
        author: "scout",
        state: "live",
      }));
      await page.route("**/api/v1/context/files?*", (route) => route.fulfill({ json: many }));
      await page.goto(at.url + contextAddress());
      await treeRow(page, "many").click();
      await treeRow(page, "note-1.md").waitFor();
      expect(await page.getByRole("treeitem").count()).toBeLessThan(80);
      await page.getByRole("tree").focus();
      await page.keyboard.press("End");
      const last = treeRow(page, "note-4999.md");
      await last.waitFor();
      await eventually(() => last.getAttribute("aria-setsize"), "5000");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("note-4321");
      await page.getByRole("option", { name: "note-4321.md" }).waitFor();
      await eventually(() => page.getByRole("option").count(), 1);
    });

    test("is hidden from others, and its address says who can help", async () => {
      await using page = await at.browser.open("about:blank", "");
      await page.setExtraHTTPHeaders({ Authorization: `Bearer ${at.people.ann.token}` });
      await page.goto(at.url + contextAddress(STYLE));
      await page.getByRole("heading", { name: "Only admins see the context space" }).waitFor();
      const main = page.getByRole("navigation", { name: "Main" });
      await main.getByRole("link", { name: "Library" }).waitFor();
      expect(await main.getByRole("link", { name: "Context" }).count()).toBe(0);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("style.md");
      await page.getByText("No results. Try part of a word.").waitFor();
    });

    test("passes axe in every view", async () => {
      await using page = await at.openContext("team/other.md");
      for (const view of ["Read", "Source", "Edit", "History"]) {
        await tab(page, view).click();
        if (view === "Edit") await editor(page, "team/other.md").waitFor();
        if (view === "History") await page.getByRole("button", { name: /^v1/ }).waitFor();
        expect(await problemsInBothThemes(page)).toEqual([]);
      }
      await page.getByRole("searchbox", { name: "Search documents" }).fill("warm");
      await page.getByRole("region", { name: "Search results" }).locator("mark").first().waitFor();
      expect(await problemsInBothThemes(page)).toEqual([]);
    });
  },
);
