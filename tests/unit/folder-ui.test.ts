// Goal: while someone works on the interface, a browser gets each file as it is now, the page for every address of it, and no other page.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { folderUi } from "../../release/folder-ui.ts";
import { answerError, SECURITY_HEADERS } from "../../src/kit/http/answer.ts";
import { listen, type Listener } from "../../src/kit/http/serve.ts";
import { silent } from "../kit/silent.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

let folder: Folder;
let listener: Listener;

beforeAll(async () => {
  folder = await temporaryFolder();
  await folder.write("index.html", "<p>first");
  await folder.write("assets/app-1.js", "first()");
  const ui = await folderUi(folder.path);
  const options = { host: "127.0.0.1", port: 0, loopbackAdmin: true, allowedHosts: [] };
  listener = listen(
    options,
    (request, exchange) => ui(request, exchange).catch((error) => answerError(exchange.id, error, silent)),
    silent,
  );
});
afterAll(async () => {
  await listener.close();
  await folder[Symbol.asyncDispose]();
});

async function answerTo(path: string, method = "GET") {
  const answer = await fetch(listener.url + path, { method });
  const security = Object.keys(SECURITY_HEADERS).every((name) => answer.headers.has(name));
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    cache: answer.headers.get("cache-control"),
    security,
    text: await answer.text(),
  };
}

const found = (type: string, text: string) => ({
  status: 200,
  type: `text/${type};charset=utf-8`,
  cache: "no-cache",
  security: true,
  text,
});
const page = (text: string) => ({ ...found("html", text), type: "text/html; charset=utf-8" });

test("files are served, and every other address is the page", async () => {
  expect(await answerTo("/assets/app-1.js")).toEqual(found("javascript", "first()"));
  for (const path of ["/", "/workspaces/7/blueprint?inspect=agent-3"])
    expect(await answerTo(path)).toEqual(page("<p>first"));
  expect(await answerTo("/workspaces", "HEAD")).toEqual(page(""));
});

// An asset's name contains its hash, so a changed asset is a new file.
test("serves a page that was built again, and its new assets", async () => {
  await folder.write("index.html", "<p>second");
  await folder.write("assets/app-2.js", "new()");
  expect(await answerTo("/")).toEqual(page("<p>second"));
  expect(await answerTo("/assets/app-2.js")).toEqual(found("javascript", "new()"));
});

test("a missing asset is no page, and what is outside the folder is none either", async () => {
  for (const path of ["/assets/missing.js", "/favicon.ico", "/assets/..%2f..%2fx.js"])
    expect(await answerTo(path)).toMatchObject({ status: 404, type: "application/json" });
  expect(await answerTo("/", "POST")).toMatchObject({ status: 405 });
});
