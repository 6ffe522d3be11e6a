// Goal: the console works in a real browser with and without scripts; axe finds nothing in both themes; nothing in a document runs or loads; a page of
// another origin changes nothing; the counters follow while the page is open.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { prepareServer } from "../../src/context/init-server.ts";
import { startServer } from "../../src/context/main.ts";
import { atEnd } from "../kit/at-end.ts";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { signedIn } from "../kit/context/console.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";

setDefaultTimeout(90_000);

const PASSWORD = "correct horse battery";
const IN = "/console/spaces/team";
const HOSTILE = `# Hostile

<script>window.ran = 1</script><img src=x onerror="window.ran = 2"><svg onload="window.ran = 3"></svg>
<iframe src="https://outside.example/"></iframe><style>body { display: none }</style>

![remote](https://outside.example/pixel.png) ![inner](a"onerror="window.ran=4.png)
[run](javascript:window.ran=5) [data](data:text/html,<script>window.ran=6</script>) [up](../../../../api/v1/users)
[[<b onclick=window.ran=7>|<i>name</i>]] <a href="javascript:window.ran=8">x</a>

\`\`\`html
</code></pre><script>window.ran = 9</script>
\`\`\`
`;

describe.if(hasBrowser)("the console in a browser", () => {
  const stack = new AsyncDisposableStack();
  let server: ContextServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = stack.use(await contextServer({ template: "team" }));
    browser = stack.use(await startBrowser());
    await signedIn(server, "root");
    await server.admin.write("hostile/bad.md", HOSTILE);
    await server.admin.write(`hostile/${"long-name-".repeat(20)}.md`, "x".repeat(3_000));
    const word = "x".repeat(3_000);
    await server.admin.write(
      "hostile/words.md",
      `# ${word}\n\n${word}\n\n| a | b |\n| - | - |\n| ${word} | b |\n`,
    );
    await server.admin.write("hostile/ملاحظات.md", "# نص\n");
    await server.admin.write("twice.md", "one\n");
    await server.admin.write("twice.md", "two\n");
    await server.admin.write("gone.md", "gone\n");
    await server.admin.delete("/spaces/team/files/gone.md");
    await server.admin.write("decisions.conflict-ada-20261122T130000Z.md", "# Decisions\n\nother\n");
    await server.admin.post("/spaces/team/snapshots", { name: "first" });
  });
  afterAll(async () => {
    // The refused form, and the icon that the browser asks for because the answer is no page.
    browser.expected(/console\/logout: .*status of 40[34]/);
    await stack.disposeAsync();
  });

  const person = (options: Parameters<TestBrowser["newContext"]>[0] = {}): Promise<BrowserContext> =>
    browser.newContext({
      viewport: { width: 1280, height: 860 },
      reducedMotion: "reduce",
      timezoneId: "UTC",
      ...options,
    });
  const signIn = async (context: BrowserContext, url = server.url): Promise<Page> => {
    const page = await browser.open(url, "/", { context });
    await page.getByRole("textbox", { name: "Name" }).fill("root");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    return page;
  };

  test.each([true, false])(
    "leads from signing in to a document and back, with scripts: %p",
    async (javaScriptEnabled) => {
      const page = await signIn(await person({ javaScriptEnabled }));
      const name = `plans-${javaScriptEnabled}`;
      await page.getByRole("link", { name: "Spaces" }).first().click();
      await page.getByRole("link", { name: "Create a space" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill(name);
      await page.getByRole("button", { name: "Create the space" }).click();
      await page.getByText(`Created the space ${name}`).waitFor();
      await page.getByRole("link", { name: "Create a document" }).click();
      await page.getByRole("textbox", { name: "Path" }).fill("notes/today.md");
      await page.getByRole("textbox", { name: "Text" }).fill("\n# Today\n\nfirst\n");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("heading", { name: "Today" }).waitFor();
      await page.getByRole("button", { name: "Create the document" }).click();
      await page.getByText("Created notes/today.md.").waitFor();
      expect(
        await server.admin.raw("GET", `/spaces/${name}/files/notes/today.md`).then((one) => one.text()),
      ).toBe("\n# Today\n\nfirst\n");
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByRole("textbox", { name: "Text" }).fill("# Today\n\nsecond\n");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("link", { name: "History" }).click();
      await page.getByRole("link", { name: "Difference" }).click();
      await page.getByText("+second").waitFor();
      await page.getByRole("link", { name: "All versions" }).click();
      await page.getByRole("button", { name: "Restore" }).click();
      await page.getByText("Restored v1 as v3.").waitFor();
      await page.getByRole("link", { name: "Open the document" }).click();
      await page.getByRole("link", { name: "Delete", exact: true }).last().click();
      await page.getByRole("button", { name: "Delete the document" }).click();
      await page.getByText("All its versions are kept.").waitFor();
      await page.getByRole("button", { name: "Restore" }).click();
      await page.getByText("Restored notes/today.md with v3.").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.context().close();
    },
  );

  test("has no fault that axe finds, in both themes, and nothing wider than a narrow window", async () => {
    const page = await signIn(await person());
    const found: string[] = [];
    for (const path of [
      "/console",
      IN,
      `${IN}/files/hostile/bad.md`,
      `${IN}/files/hostile/words.md`,
      `${IN}/edit/twice.md`,
      `${IN}/history/twice.md`,
      `${IN}/diff/twice.md`,
      `${IN}/deleted`,
      `${IN}/snapshots`,
      `${IN}/conflicts/decisions.conflict-ada-20261122T130000Z.md`,
    ]) {
      await page.goto(server.url + path);
      found.push(...(await problemsInBothThemes(page)).map((problem) => `${path} ${problem}`));
      await page.setViewportSize({ width: 360, height: 800 });
      const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (wide === true) found.push(`${path}: wider than the window`);
      await page.setViewportSize({ width: 1280, height: 860 });
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  test("runs and loads nothing of a hostile document, rendered, as text and in the editor", async () => {
    await using context = await person();
    const asked: string[] = [];
    context.on("request", (request) => void asked.push(request.url()));
    const page = await signIn(context);
    for (const path of ["/files/hostile/bad.md", "/files/hostile/bad.md?view=text", "/edit/hostile/bad.md"]) {
      await page.goto(`${server.url}${IN}${path}`);
      expect(await page.evaluate("window.ran")).toBeUndefined();
      expect(
        await page
          .locator("main iframe, main img, main script, main style, main [onerror], main [onclick]")
          .count(),
      ).toBe(0);
    }
    await page.goto(`${server.url}${IN}/files/hostile/bad.md`);
    const addresses = (await page.evaluate(
      "[...document.querySelectorAll('article a')].map((one) => one.getAttribute('href'))",
    )) as string[];
    expect(
      addresses.filter(
        (address) => !/^(?:https:\/\/outside\.example\/|\/console\/spaces\/team\/)/.test(address),
      ),
    ).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual([]);
  });

  test("a form on a page of another origin on this machine changes nothing, cookie or not", async () => {
    await using context = await person();
    const page = await signIn(context);
    const html = `<form method="post" action="${server.url}/console/logout"><input name="csrf" value="x"><button>go</button></form>`;
    using other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
    });
    const foreign = await browser.open(`http://127.0.0.1:${other.port}`, "/", { context });
    const [answer] = await Promise.all([foreign.waitForNavigation(), foreign.getByRole("button").click()]);
    expect(answer?.status()).toBe(403);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("counters follow while the page is open, and times are local", async () => {
    await using context = await person({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
    const page = await signIn(context);
    await page.clock.install();
    await page.reload();
    const documents = () =>
      page.locator(".console-figure", { hasText: "Documents" }).locator("dd").textContent();
    const before = Number(await documents());
    await server.admin.write("counted.md", "x");
    await page.clock.runFor(6_000);
    await page
      .locator(".console-figure dd", { hasText: String(before + 1) })
      .first()
      .waitFor();
    expect(await page.locator("time").first().textContent()).not.toContain("UTC");
  });

  test("counters wait for an answer that takes longer than a round", async () => {
    await using context = await person();
    const page = await signIn(context);
    // The clock goes on by itself, so even the first round of the page is held.
    await page.goto("about:blank");
    await page.clock.install();
    let asked = 0;
    page.on("request", (request) => (asked += Number(request.url().endsWith("/console/live"))));
    const first = await holdRequest(page, /\/console\/live$/, { what: "answer" });
    await page.goto(`${server.url}/console`);
    await page.clock.runFor(6_000);
    await first.held;
    await page.clock.runFor(6_000);
    await page.evaluate("fetch('/console')");
    expect(asked).toBe(1);
    await first.letGo();
    await eventually(async () => {
      await page.clock.runFor(6_000);
      return asked > 1;
    }, true);
  });

  test("an editor warns before typed text is lost", async () => {
    const page = await signIn(await person());
    await page.goto(`${server.url}${IN}/edit/twice.md`);
    await page.getByRole("textbox", { name: "Text" }).pressSequentially("x");
    const asked = Promise.withResolvers<string>();
    page.once("dialog", (dialog) => {
      asked.resolve(dialog.type());
      void dialog.accept();
    });
    await page.goto(`${server.url}/console`);
    expect(await asked.promise).toBe("beforeunload");
    await page.context().close();
  });

  test("an editor warns also of text that was typed before the script had loaded", async () => {
    const page = await signIn(await person());
    const script = await holdRequest(page, /\.js$/);
    await page.goto(`${server.url}${IN}/edit/twice.md`, { waitUntil: "commit" });
    await page.getByRole("textbox", { name: "Text" }).pressSequentially("x");
    await script.letGo();
    await page.waitForLoadState();
    const asked = Promise.withResolvers<string>();
    page.once("dialog", (dialog) => {
      asked.resolve(dialog.type());
      void dialog.accept();
    });
    await page.goto(`${server.url}/console`);
    expect(await Promise.race([asked.promise, "nothing"])).toBe("beforeunload");
    await page.context().close();
  });

  test("the setup leads from the printed address to the console", async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, "server");
    const log = { format: "json" as const, write: () => {} };
    await prepareServer({ directory, port: 0 }, log);
    const running = await startServer({ directory, log, setupCode: "one-time" });
    await using _ = atEnd(() => running.stop("test is over"));
    await using context = await person({ viewport: { width: 390, height: 844 } });
    const page = await browser.open(running.url, "/setup?code=one-time", { context });
    const found: string[] = [];
    const next = async (button: string) => {
      found.push(...(await accessibilityProblems(page)));
      const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (isWide === true) found.push(`${page.url()}: wider than the window`);
      await page.getByRole("button", { name: button }).click();
    };
    await next("Continue");
    await page.getByRole("heading", { name: "Address" }).waitFor();
    await next("Continue");
    await page.getByRole("textbox", { name: "Your name" }).fill("root");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("The password again").fill(PASSWORD);
    await next("Continue");
    await page.getByRole("heading", { name: "First space" }).waitFor();
    await next("Continue");
    await next("Create the server");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(found).toEqual([]);
  });
});
