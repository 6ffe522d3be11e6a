// Goal: a document becomes HTML in which nothing runs or loads, links stay in the space or lead to the web, and the rest is text.

import { describe, expect, test } from "bun:test";
import { renderMarkdown } from "../../../src/context/console/markdown.ts";

const render = (text: string, path = "team/plan.md") =>
  renderMarkdown({ text, path, base: "/console/spaces/s" }).trim();

describe("a rendered document", () => {
  test.each([
    ["plain", "a *b* `c`", "<p>a <em>b</em> <code>c</code></p>"],
    ["headings below the page's own", "# A\n\n###### B", "<h2>A</h2><h6>B</h6>"],
    [
      "front matter",
      "---\nowner: ada\n---\n# A",
      '<pre class="md-html" tabindex="0" aria-label="Front matter">---\nowner: ada\n---</pre><h2>A</h2>',
    ],
    ["a script", "<script>alert(1)</script>", '<p class="md-html">&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ["an element in a line", "a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"],
    ["a comment", "<!-- <script> -->", '<p class="md-html">&lt;!-- &lt;script&gt; --&gt;</p>'],
    ["code that closes its element", "`</code><script>`", "<p><code>&lt;/code&gt;&lt;script&gt;</code></p>"],
  ])("has %s", (_, text, html) => expect(render(text)).toBe(html));

  test.each([
    ["a neighbour", "[x](other.md)", "/console/spaces/s/files/team/other.md"],
    ["a folder above", "[x](../a%20b.md#part)", "/console/spaces/s/files/a%20b.md"],
    ["the top of the space", "[x](/top.md?q=1)", "/console/spaces/s/files/top.md"],
    ["a name", "[[glossary]]", "/console/spaces/s/link?name=glossary"],
    ["a name in quotes", '[[a"onclick=b]]', "/console/spaces/s/link?name=a%22onclick%3Db"],
    ["a site", "[x](https://example.com/a)", "https://example.com/a"],
    ["an image of a site", "![x](https://example.com/a.png)", "https://example.com/a.png"],
    ["an image of the space", "![x](a.png)", "/console/spaces/s/files/team/a.png"],
    [
      "an address that ends the attribute",
      '[x](<a" onclick="b>)',
      "/console/spaces/s/files/team/a%22%20onclick%3D%22b",
    ],
  ])("links to %s", (_, text, href) => {
    const html = render(text);
    expect([...html.matchAll(/ href="([^"]*)"/g)].map(([, one]) => one)).toEqual([href]);
    expect(html).not.toMatch(/<img| onclick="/);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",

    "data:text/html,x",
    "vbscript:x",
    "//example.com/a",
    "../../up.md",
    "#part",
    "file:///etc/passwd",
    "blob:x",
    "%00%ff",
  ])("has no link to %s", (address) => {
    for (const text of [
      `[x](${address})`,
      `![x](${address})`,
      `<a href="${address}">x</a>`,
      `[x]: ${address}\n\n[x]`,
    ])
      expect(render(text)).not.toMatch(/<(?:a|img)\b/);
  });
});
