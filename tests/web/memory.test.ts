// Goal: people see what agents remember: chips with what was written, a view with documents, authors, turns and versions, and documents that they
// bind to prompts.

import { expect, test } from "bun:test";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { emptyMemoryScreen, FACTS, memoryScreen } from "../kit/browser/memory-screen.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { call, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { eventually } from "../kit/eventually.ts";

/** Of versions, as the history loads them. */
const PAGE = 100;

onScreen("memory", memoryScreen, (at) => {
  const button = (name: string) => ({ name, exact: true }) as const;
  const treeItem = (name: string) => ({ name }) as const;

  test("a chip names document and version, shows the change, and leads to the version", async () => {
    await using page = await at.open(at.own);
    const chip = page.getByRole("button", { name: /memory_write shared\/facts\.md v2/ });
    await chip.click();
    const change = page.getByRole("group", { name: "Change" });
    await change.getByText("version 1 → version 2").waitFor();
    await change.getByText("The sea is cold and wide.").waitFor();
    await change.getByText("removed: ").waitFor();
    for (const name of [
      /memory_search sea/,
      /memory_read shared\/facts\.md/,
      /memory_list shared\/ and mine\//,
    ])
      await page.getByRole("button", { name }).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await change.getByRole("link", { name: "Open in Memory" }).click();
    await page.waitForURL(/\/memory\?document=shared%2Ffacts\.md&version=2$/);
    await page.getByRole("region", { name: "What version 2 changed" }).getByText("+1 −1").waitFor();
  });

  test("a refused write says why, and shows what was not written", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("button", { name: /memory_write shared\/key\.md not written/ }).click();
    await page.getByText("looks like a secret", { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const stale = page.getByRole("button", { name: /memory_write shared\/facts\.md not written/ });
    await stale.click();
    await page
      .getByText("Nothing was written: shared/facts.md is at version 2 now", { exact: false })
      .waitFor();
    await page.getByRole("group", { name: "Change" }).getByText("The sea is warm.").waitFor();
  });

  test("by keyboard: opens a document, its versions, and the turn that wrote it", async () => {
    await using page = await at.open(`${at.own}/memory`);
    const tree = page.getByRole("tree", { name: "Memory" });
    await tree.getByRole("treeitem", treeItem("facts.md")).waitFor();
    await eventually(
      () => tree.getByRole("treeitem").allTextContents(),
      ["shared", "facts.md", "agents", "scout", "log.md"],
    );
    await tree.focus();
    await page.keyboard.press("f");
    await page.keyboard.press("Enter");
    const document = page.getByRole("article", { name: FACTS });
    await document.getByText("The sea is cold and wide.").waitFor();
    await document.getByText("by clerk in turn 2", { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await document.getByRole("button", button("Versions")).press("Enter");
    const versions = document.getByRole("list", { name: "Versions" });
    await versions.getByRole("button", { name: /v1 scout/ }).press("Enter");
    await page.getByRole("region", { name: "What version 1 changed" }).getByText("the first").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await page.getByRole("region", { name: "What version 1 changed" }).waitFor();
    await versions.getByRole("link", button("turn 1")).press("Enter");
    await page.waitForURL(/\/activity\?turn=1$/);
    // The view stays as it was.
    await page.getByRole("link", button("Memory")).click();
    await page.waitForURL(/document=shared%2Ffacts\.md/);
    await document.getByRole("button", { name: "Source" }).click();
    await page.getByRole("region", { name: "Content of facts.md" }).waitFor();
  });

  test("shows what agents write while it is open", async () => {
    await using page = await at.open(`${at.own}/memory?document=agents/scout/log.md`);
    const document = page.getByRole("article", { name: "agents/scout/log.md" });
    await document.getByText("Day 1.").waitFor();
    await at.ask("scout", at.write("mine/log.md", "Day 2.\n", 1), at.write("shared/new.md", "New.\n", 0));
    await document.getByText("Day 2.").waitFor();
    await document.getByText("v2", { exact: true }).waitFor();
    await page.getByRole("treeitem", treeItem("new.md")).waitFor();
  });

  test("leaves no gap between versions when more are new than a page has", async () => {
    const path = `${at.branch}/shared/many.md`;
    let last = 0;
    const writes = (count: number) =>
      at.space(async (space) => {
        for (const end = last + count; last < end; last += 1)
          await space.write(path, new TextEncoder().encode(`${last + 1}\n`), last === 0 ? null : last);
      });
    await writes(2 * PAGE);
    await using page = await at.open(`${at.own}/memory?document=shared%2Fmany.md`);
    await page
      .getByRole("article", { name: "shared/many.md" })
      .getByRole("button", button("Versions"))
      .click();
    const list = page.getByRole("list", { name: "Versions" });
    const numbers = () =>
      list
        .locator(".memory-choose")
        .evaluateAll((rows) => rows.map((row) => Number(/v(\d+)/.exec(row.textContent)?.[1])));
    const newest = (count: number) => Array.from({ length: count }, (_, index) => last - index);
    await eventually(numbers, newest(PAGE));
    const earlier = list.getByRole("button", { name: "Load earlier versions" });
    await earlier.click();
    await eventually(numbers, newest(2 * PAGE));
    await writes(PAGE + PAGE / 2);
    await at.ask("scout", at.write("shared/many.md", "By an agent.\n", last));
    last += 1;
    // How many are read at once depends on when the page looks.
    const isWhole = async () => {
      const shown = await numbers();
      return shown[0] === last && shown.every((version, index) => version === last - index);
    };
    await eventually(isWhole, true);
    const before = (await numbers()).length;
    if (before < last) await earlier.click();
    await eventually(
      async () => (await numbers()).length > Math.min(before, last - 1) && (await isWhole()),
      true,
    );
  });

  test("shows the former version until the next one is there, at the place where it is read", async () => {
    const lines = (word: string) => Array.from({ length: 90 }, (_, line) => `${word} ${line}.`).join("\n\n");
    await at.ask("scout", at.write("shared/long.md", lines("Old"), 0));
    await using page = await at.open(`${at.own}/memory?document=shared%2Flong.md`);
    await page.getByText("Old 80.").scrollIntoViewIfNeeded();
    const loading = await holdRequest(page, /\/memory\/file\?path=/);
    await at.ask("scout", at.write("shared/long.md", lines("New"), 1));
    await loading.held;
    await eventually(() => page.getByText("Old 80.").isVisible(), true);
    await loading.letGo();
    await page.getByText("New 80.").waitFor();
    const seen = () => page.getByText("New 80.").evaluate((line) => line.getBoundingClientRect().top);
    await eventually(async () => (await seen()) >= 0 && (await seen()) < 860, true);
  });

  test("binds a document by search and keyboard, shows its version in the exact prompt, and unbinds it with undo", async () => {
    await using page = await at.open(`${at.own}/memory?inspect=agent-${at.scoutId}`);
    await page.getByRole("button", button("Bind document")).press("Enter");
    const search = page.getByRole("combobox", { name: "Document" });
    await search.fill("glos");
    await page.getByRole("option", { name: "team/glossary.md" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await search.press("Enter");
    const row = page.getByRole("listitem").filter({ hasText: "team/glossary.md" });
    await row.getByText("v1").waitFor();
    await page.getByRole("button", button("Show exact prompt")).click();
    await page.getByRole("dialog").getByText("team/glossary.md@v1").waitFor();
    await page.keyboard.press("Escape");
    const paths = async () => (await at.admin.get(`${at.own}/context`)).map(({ path }) => path);
    await row.hover();
    await row.getByRole("button", button("Unbind team/glossary.md")).click();
    await row.waitFor({ state: "detached" });
    await eventually(() => paths(), []);
    await page.getByRole("button", button("Undo")).click();
    await row.getByText("v1").waitFor();
    await eventually(() => paths(), ["team/glossary.md"]);
  });

  test("the workspace's inspector says which bound document cannot be read, and refuses other workspaces' memory", async () => {
    await using page = await at.open(`${at.own}/memory`);
    await page.getByRole("button", button("Show bound documents")).click();
    await page.getByRole("button", button("Bind document")).click();
    const search = page.getByRole("combobox", { name: "Document" });
    await search.fill("workspaces/other-99/shared/plan.md");
    await search.press("Enter");
    await page.getByRole("alert").filter({ hasText: "the memory of another workspace" }).waitFor();
    at.browser.expected(/403/);
    await search.fill("team/none@v2");
    await search.press("Enter");
    const row = page.getByRole("listitem").filter({ hasText: "team/none@v2" });
    await row.getByText("cannot be read", { exact: true }).waitFor();
    await row.getByText("file team/none@v2: not found", { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await at.space((space) => space.write("team/none@v2", new TextEncoder().encode("Here."), null));
    await page.reload();
    await row.getByText("v1").waitFor();
  });

  test("the palette leads to the view and to the bound documents", async () => {
    await using page = await at.open(at.own);
    await page.getByRole("textbox", { name: "Message the orchestrator" }).waitFor();
    for (const [words, url] of [
      ["go to memory", /\/memory/],
      ["bound documents", /inspect=workspace-/],
    ] as const) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill(words);
      await page.keyboard.press("Enter");
      await page.waitForURL(url);
    }
  });

  test("a member sees the memory of a workspace that is shared with them, and no other", async () => {
    const { ann, bob } = at.people;
    await at.share(ann);
    const as = async (token: string) => {
      const context = await at.browser.newContext({
        extraHTTPHeaders: { Authorization: `Bearer ${token}` },
      });
      return at.open(`${at.own}/memory?document=${FACTS}`, { context });
    };
    const hers = await as(ann.token);
    await hers
      .getByRole("article", { name: FACTS })
      .getByText("by clerk in turn 2", { exact: false })
      .waitFor();
    await hers.close();
    await using his = await as(bob.token);
    await his.getByRole("heading", { name: "Workspace not found" }).waitFor();
    at.browser.expected(/404/);
  });
});

onScreen("a service without memory", emptyMemoryScreen, (at) => {
  test("says that there is none and what to do, and finds the space once it is there", async () => {
    await using page = await at.open(`${at.own}/memory`);
    await page.getByRole("heading", { name: "No context space yet" }).waitFor();
    await page.getByText("cairn init solo", { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await at.createSpace();
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("heading", { name: "Nothing remembered yet" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    at.model.script("boss", [
      call("memory_write", { name: "shared/first.md", content: "First.", version: 0 }),
      say("Noted."),
    ]);
    await at.chat("Remember this.");
    await page.getByRole("treeitem", { name: "first.md" }).waitFor();
    at.browser.expected(/503/);
  });
});
