// Goal: formulas, diagrams and footnotes of a model are rendered under the policy of the page, safely, within bounds, without flicker while they
// stream, and from this server alone; code is saved as a file, never over another one.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { bubble, chatRoom, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const RICH = `Begin. The root of $x^2 = 2$ costs $5 or $6, \\(y_1\\) and a note[^why] and another[^2].

$$
\\int_0^1 \\frac{\\sqrt{x}}{\\widehat{abc}}\\,dx
$$

\`\`\`mermaid
flowchart LR
  A[Start] -->|yes| B{Choice}
  B --> C[End]
  style A fill:#cfe
\`\`\`

[^why]: Because of *this*.
[^2]: And that.

The end of it.`;

const HOSTILE = `Begin. $\\href{javascript:alert(1)}{x}$ and $\\htmlStyle{position:fixed}{y}$ and $\\includegraphics{https://evil.example/a.png}$

$$\\text{" style="position:fixed" onload="alert(1)}$$

$$${"x".repeat(3000)}$$

$\\frac{1}{$ is open.

$\\def\\a{\\a\\a}\\a$

\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/css) }", "htmlLabels": true}}%%
flowchart TD
  A["<img src=x onerror=parent.document.title='owned'><b>bold</b>"] --> B[two]
  click B href "javascript:alert(1)"
  style B fill:#fff
\`\`\`

\`\`\`mermaid
this is no diagram
\`\`\`

\`\`\`mermaid
flowchart TD
${"  A --> B\n".repeat(900)}
\`\`\`

The end of it.`;

onScreen("formulas, diagrams and footnotes", chatRoom, (room) => {
  const answer = (page: Page) => bubble(page, "orchestrator", "Begin.");
  const sideways = (page: Page) =>
    page
      .getByRole("group", { name: "Conversation" })
      .evaluate((element) => element.scrollWidth - element.clientWidth);

  test("are rendered from this server alone, fit 360 pixels, and pass axe", async () => {
    await using page = await room.open((await room.desk()).own);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    room.model.script("boss", [say(RICH)]);
    await write(page, "Go.");
    const diagram = answer(page).getByRole("img", { name: /^Diagram: flowchart LR/ });
    await diagram.waitFor();
    await eventually(() => answer(page).locator(".katex").count(), 3);
    // A price is no formula; the source of a formula is not shown beside it.
    await answer(page).getByText("costs $5 or $6").waitFor();
    expect(await answer(page).locator("code.md-math").count()).toBe(0);
    // Heights of TeX are applied, although the policy allows no style attributes in markup.
    const high = answer(page).locator(".md-formula.display");
    await eventually(async () => (await edgesOf(high)).height > 30, true);
    await eventually(
      () =>
        page.evaluate<boolean>(
          "document.fonts.check('16px KaTeX_Main') && [...document.fonts].some((f) => f.family.includes('KaTeX') && f.status === 'loaded')",
        ),
      true,
    );
    await eventually(async () => {
      const { width, height } = await edgesOf(diagram);
      return width > 150 && height > 40;
    }, true);
    expect(
      await diagram.evaluate((element) =>
        [...element.shadowRoot!.querySelectorAll("text")].map(({ textContent }) => textContent),
      ),
    ).toEqual(expect.arrayContaining(["Start", "Choice", "End"]));
    expect(asked.filter((url) => !url.startsWith(room.url))).toEqual([]);

    // Footnotes lead there and back.
    await answer(page).getByRole("button", { name: "Footnote 1", exact: true }).click();
    const back = answer(page).getByRole("button", { name: "Back to the text of footnote 1" });
    await eventually(() => back.evaluate((element) => element === document.activeElement), true);
    await back.click();
    await eventually(
      () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')"),
      "Footnote 1",
    );

    await answer(page).getByRole("button", { name: "Show source" }).click();
    await answer(page).getByText("A[Start] -->|yes| B{Choice}").waitFor();
    await answer(page).getByRole("button", { name: "Show diagram" }).click();
    await diagram.waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 700 });
    await eventually(() => sideways(page), 0);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Actions for this answer by orchestrator" }).click();
    await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();
    await eventually(() => page.evaluate<string>("navigator.clipboard.readText()"), RICH);
  });

  test("run nothing, load nothing, and fall back to their source with the reason", async () => {
    await using page = await room.open((await room.desk()).own);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    room.model.script("boss", [say(HOSTILE)]);
    await write(page, "Go.");
    await answer(page).getByText("Formula shown as source: longer than 2,000 characters").waitFor();
    await answer(page).getByText("Formula shown as source: Too many expansions", { exact: false }).waitFor();
    await answer(page)
      .getByText(/^Diagram shown as source: No diagram type detected/)
      .waitFor();
    await answer(page).getByText("Diagram shown as source: longer than 600 lines").waitFor();
    const diagram = answer(page).getByRole("img", { name: /^Diagram: / });
    await diagram.waitFor();
    expect(await page.title()).toStartWith("desk");
    expect(
      await answer(page).evaluate((element) => {
        const roots = [...element.querySelectorAll("*")].flatMap((one) =>
          one.shadowRoot ? [one.shadowRoot] : [],
        );
        const inside = [
          ...element.querySelectorAll(".markdown *"),
          ...roots.flatMap((root) => [...root.querySelectorAll("*")]),
        ];
        return {
          active: inside.filter(({ localName }) =>
            ["script", "img", "image", "iframe", "foreignObject", "style", "a", "use"].includes(localName),
          ).length,
          handlers: inside.flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))),
          fixed: inside.filter((one) => getComputedStyle(one).position === "fixed").length,
          sheets: roots
            .flatMap((root) =>
              root.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText)),
            )
            .filter((text) => text.includes("url(")),
        };
      }),
    ).toEqual({ active: 0, handlers: [], fixed: 0, sheets: [] });
    expect(asked.filter((url) => !url.startsWith(room.url))).toEqual([]);
    const policy = (await page.context().request.get(`${room.url}/diagram.html`)).headers()[
      "content-security-policy"
    ];
    // The sandbox refused what the label tried.
    room.browser.expected(
      /inline event handler violates the following Content Security Policy directive 'script-src 'sha256-/,
    );
    expect(policy).toContain("sandbox allow-scripts; default-src 'none'; script-src 'sha256-");
  });

  test("are source while they stream, then rendered, without touching what came before", async () => {
    await using page = await room.open((await room.desk()).own);
    const [first, second] = [gate(), gate()];
    room.model.script("boss", [
      [
        ...say("Begin. See $a^2$.\n\n$$\n\\frac{1}{"),
        first,
        ...say("2}\n$$\n\nBetween.\n\n```mermaid\nflowchart LR\n  A --"),
        second,
        ...say("> B\n```\n\nThe end of it."),
      ],
    ]);
    await write(page, "Go.");
    await answer(page).locator(".katex").first().waitFor();
    await answer(page).getByText("\\frac{1}{").waitFor();
    await answer(page)
      .locator(".md-formula")
      .first()
      .evaluate((element) => element.setAttribute("data-mark", "the same"));
    first.open();
    await answer(page).locator(".md-formula.display").waitFor();
    await answer(page).getByRole("figure", { name: "Code, mermaid" }).getByText("A --").waitFor();
    expect(await answer(page).getByText("shown as source").count()).toBe(0);
    second.open();
    await answer(page)
      .getByRole("img", { name: /^Diagram: / })
      .waitFor();
    await eventually(() => answer(page).locator(".md-formula").first().getAttribute("data-mark"), "the same");
  });

  test("saves code as a file, and replaces another one only on request", async () => {
    const desk = await room.desk();
    await room.admin.put(`${desk.own}/file?path=notes%2Fplan.py`, "old\n");
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("Begin.\n\n```python\nprint(42)\n```\n\nThe end of it.")]);
    await write(page, "Go.");
    await answer(page).getByRole("button", { name: "Save to file" }).click();
    const dialog = page.getByRole("dialog", { name: "Save to file" });
    const name = dialog.getByRole("textbox", { name: "Name" });
    await eventually(() => name.inputValue(), "untitled.py");
    await name.fill("../out.py");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    await name.fill("notes/plan.py");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("notes/plan.py already exists").waitFor();
    expect(await room.admin.get(`${desk.own}/file?path=notes%2Fplan.py`)).toMatchObject({ content: "old\n" });
    await dialog.getByRole("button", { name: "Replace file" }).click();
    await page.getByText("Saved notes/plan.py").waitFor();
    expect(await room.admin.get(`${desk.own}/file?path=notes%2Fplan.py`)).toMatchObject({
      content: "print(42)\n",
    });
    // A file that changed since this person was asked is another question.
    room.browser.expected(/status of 412|status of 400/);
  });
});
