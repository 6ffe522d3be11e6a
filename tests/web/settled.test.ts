// Goal: a picture of a page waits for what is still asked for and for what that leads to, and not for streams, which never end.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { settling } from "../kit/browser/settled.ts";
import { eventually } from "../kit/eventually.ts";

setDefaultTimeout(90_000);

const PAGE = `<!doctype html><title>t</title><script>
fetch("/stream", { headers: { accept: "text/event-stream" } });
fetch("/first").then(() => fetch("/second")).then(() => { document.title = "late"; });
</script>`;

describe.if(hasBrowser)("a page", () => {
  test("has settled once its late answers are shown", async () => {
    const gates: Record<string, PromiseWithResolvers<void>> = {
      "/first": Promise.withResolvers(),
      "/second": Promise.withResolvers(),
    };
    const asked: string[] = [];
    await using server = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        asked.push(pathname);
        if (pathname === "/") return new Response(PAGE, { headers: { "content-type": "text/html" } });
        if (pathname === "/stream") return new Response(new ReadableStream({}));
        await gates[pathname]?.promise;
        return new Response("ok");
      },
    });
    await using browser = await startBrowser();
    const page = await browser.open("about:blank", "");
    const settled = settling(page);
    await page.goto(server.url.href, { waitUntil: "commit" });
    const title = settled().then(() => page.title());
    await eventually(() => asked.includes("/first"), true);
    gates["/first"]!.resolve();
    await eventually(() => asked.includes("/second"), true);
    gates["/second"]!.resolve();
    expect(await title).toBe("late");
    browser.expected(/favicon|404/);
  });
});
