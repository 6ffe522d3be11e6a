// Goal: the compiled program serves the browser interface as caches, proxies and browsers need it: what never changes is kept for ever,
// the page is asked for each time, a missing asset is never the page, and a program without an interface says so.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { refusalOf } from "../kit/http/refusal.ts";
import { atEnd } from "../kit/at-end.ts";
import { answerError, SECURITY_HEADERS } from "../../src/kit/http/answer.ts";
import { listen } from "../../src/kit/http/serve.ts";
import { silent } from "../kit/silent.ts";
import { createUi } from "../../src/service/ui.ts";
import { shared } from "../kit/group-resource.ts";
import { runService } from "../kit/service/running.ts";

const YEAR = "public, max-age=31536000, immutable";

describe("the interface as it is served", () => {
  const at = shared(async () => {
    const service = await runService();
    const page = await (await fetch(service.url)).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    return { ...service, page, assets };
  });

  /** Bytes as they were sent. */
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(at.url + path, { method, headers, decompress: false, redirect: "manual" });
  const typeOf = ({ headers }: Response) => headers.get("content-type");
  const script = () => at.assets.find((path) => path.endsWith(".js"))!;
  const sheet = () => at.assets.find((path) => path.endsWith(".css"))!;

  test("the page names its script and its sheet, nothing inline, nothing from elsewhere", () => {
    expect([script(), sheet()].map((path) => /^\/assets\/[\w-]+\.(js|css)$/.test(path))).toEqual([
      true,
      true,
    ]);
    expect(at.page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son[a-z]+=|https?:\/\//i);
  });

  test("assets are kept for ever, typed, and tagged", async () => {
    const types = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };
    for (const path of [script(), sheet()]) {
      const answer = await get(path);
      expect([
        answer.status,
        answer.headers.get("cache-control"),
        answer.headers.get("content-type"),
      ]).toEqual([200, YEAR, types[path.split(".").at(-1) as keyof typeof types]]);
      expect(answer.headers.get("etag")).toMatch(/^"[0-9a-f]{20}"$/);
    }
    const fonts = [...(await (await fetch(at.url + sheet())).text()).matchAll(/url\(([^)]+\.woff2)\)/g)];
    expect(fonts.length).toBeGreaterThan(0);
    const font = await get(new URL(fonts[0]![1]!, at.url + sheet()).pathname);
    expect([font.status, font.headers.get("content-type"), font.headers.get("cache-control")]).toEqual([
      200,
      "font/woff2",
      YEAR,
    ]);
  });

  test("the page is asked for each time, and is 304 when it is the same", async () => {
    const first = await get("/");
    expect([first.status, first.headers.get("cache-control"), first.headers.get("content-type")]).toEqual([
      200,
      "no-cache",
      "text/html; charset=utf-8",
    ]);
    const tag = first.headers.get("etag")!;
    const again = await get("/", { "If-None-Match": tag });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
    expect((await get("/", { "If-None-Match": `W/"other", W/${tag}` })).status).toBe(304);
    expect((await get("/", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test("br, gzip or as it is: the best that is accepted, each with its own tag, the same content", async () => {
    const asked: [accept: string, encoding: string | null][] = [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["identity", null],
      ["", null],
    ];
    const tags = new Set<string>();
    const contents = new Set<string>();
    for (const [accept, encoding] of asked) {
      const answer = await get(script(), { "Accept-Encoding": accept });
      expect([accept, answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
        accept,
        encoding,
        "Accept-Encoding",
      ]);
      tags.add(answer.headers.get("etag")!);
      const text = await (await fetch(at.url + script(), { headers: { "Accept-Encoding": accept } })).text();
      contents.add(createHash("sha256").update(text).digest("hex"));
    }
    expect([tags.size, contents.size]).toEqual([3, 1]);
  });

  test("a tag of one encoding is not that of another", async () => {
    const br = await get(script(), { "Accept-Encoding": "br" });
    const same = { "If-None-Match": br.headers.get("etag")! };
    expect((await get(script(), { ...same, "Accept-Encoding": "br" })).status).toBe(304);
    expect((await get(script(), { ...same, "Accept-Encoding": "gzip" })).status).toBe(200);
  });

  test("HEAD says what GET would, without the body", async () => {
    for (const path of ["/", script()]) {
      const [head, full] = await Promise.all([get(path, {}, "HEAD"), get(path)]);
      const told = ({ status, headers }: Response) => [
        status,
        ...["content-type", "cache-control", "etag", "content-length"].map((name) => headers.get(name)),
      ];
      expect(told(head)).toEqual(told(full));
      expect(await head.text()).toBe("");
    }
  });

  test("every address of the interface is the page, also deep ones", async () => {
    for (const path of "/workspaces /workspaces/7/blueprint?inspect=agent-3 /library/1 /no/such/place".split(
      " ",
    )) {
      const answer = await get(path);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, at.page]);
    }
  });

  test("a missing asset is 404 and never the page", async () => {
    const missing = "/assets/missing-12345678.js /assets/ /favicon.ico /workspaces/app.css.map /index.php";
    for (const path of missing.split(" ")) {
      const answer = await get(path);
      expect([path, answer.status, typeOf(answer)]).toEqual([path, 404, "application/json"]);
      expect(await answer.json()).toMatchObject({
        error: { code: "not_found", message: `${path}: not found` },
      });
    }
  });

  test("an unknown API path is JSON, whatever is asked for", async () => {
    for (const path of ["/api", "/api/", "/api/v1/nothing", "/api/v2/workspaces", "/api/v1/nothing.js"]) {
      const answer = await get(path, { Accept: "text/html" });
      expect([path, answer.status, typeOf(answer)]).toEqual([path, 404, "application/json"]);
      expect(await answer.json()).toMatchObject({ error: { code: "not_found" } });
    }
  });

  test("other methods change nothing and are refused", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const path of ["/", "/workspaces", script()]) {
        const answer = await get(path, { Origin: at.url }, method);
        const allowed = answer.headers.get("allow");
        expect([method, path, answer.status, allowed]).toEqual([method, path, 405, "GET, HEAD"]);
        expect(await answer.json()).toMatchObject({ error: { code: "wrong_method" } });
      }
    }
  });

  test("every answer carries the security headers", async () => {
    for (const path of ["/", "/workspaces", script(), sheet(), "/assets/missing.js", "/icon.svg"]) {
      const { headers } = await get(path);
      expect(
        Object.fromEntries(Object.keys(SECURITY_HEADERS).map((name) => [name, headers.get(name)])),
      ).toEqual({ ...SECURITY_HEADERS });
    }
  });
});

test("a program without the interface answers 503 with what to do, for every address of it", async () => {
  const ui = createUi(async () => undefined);
  const options = { host: "127.0.0.1", port: 0, loopbackAdmin: true, allowedHosts: [] };
  const listener = listen(
    options,
    (request, exchange) =>
      ui(request, exchange).catch((error: unknown) => answerError(exchange.id, error, silent)),
    silent,
  );
  await using _ = atEnd(() => listener.close());
  const refusal = {
    status: 503,
    code: "unavailable",
    message: "web UI is not built into this binary — build with make build",
  };
  for (const path of ["/", "/workspaces", "/workspaces/1/files"]) {
    expect(await refusalOf(fetch(listener.url + path))).toEqual(refusal);
  }
  expect((await fetch(`${listener.url}/assets/a.js`)).status).toBe(404);
});
