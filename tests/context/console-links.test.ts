// Goal: every link and every form of every page of the console leads to a page that exists, for an admin and for a viewer. A page joins by being
// linked from another one.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { localUi } from "../kit/local-ui.ts";
import { contextServer, deny, type ContextServer } from "../kit/context-server.ts";
import { hookReceiver } from "../kit/hook-receiver.ts";
import { signedIn, type ConsolePage, type Visitor } from "../kit/console.ts";

const PAGES_MAX = 600;

describe("the links of the console", () => {
  let server: ContextServer;
  const hooks = hookReceiver();
  beforeAll(async () => {
    server = await contextServer({ template: "team", outbound: hooks.outbound });
    await server.user(`<b>x</b> & "y"/z`, "contributor", ["team"]);
    await server.admin.post("/webhooks", { url: hooks.url(), events: ["file.write"] });
    await server.user("viewer", "viewer");
    await server.rules("viewer", deny("private/**", "read"));
    await server.admin.write("notes/a b & c#%.md", "# Notes\n\n[onboarding](../team/onboarding.md)\n");
    await server.admin.write("notes/gone.md", "gone\n");
    await server.admin.delete("/spaces/team/files/notes/gone.md");
    await server.admin.write("decisions.conflict-ada-20261122T130000Z.md", "other\n");
    await server.admin.post("/spaces/team/snapshots", { name: "first" });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
  });

  test.each(["root", "viewer"])("resolve for %s", async (name) => {
    const one = await signedIn(server, name);
    const { pages, broken } = await crawled(one);
    expect(broken).toEqual([]);
    expect([...pages.keys()].slice(0, 1)).toEqual(["/console"]);
    const untitled = [...pages].filter(
      ([path, page]) => page.title === "" && !path.includes("/raw/") && !isDownload(page),
    );
    expect(untitled.map(([path]) => path)).toEqual([]);
  });
});

test("the links of cairn ui resolve", async () => {
  const files = { "notes/a b & c#%.md": "[[b]] [[gone]]\n", "b.md": "---\nstale-after: 1d\n---\n" };
  await using ui = await localUi({ files });
  await ui.inSpace((space) => space.remove("b.md", undefined));
  await ui.inSpace((space) => space.snapshot("first"));
  const { pages, broken } = await crawled(await ui.enter());
  expect(broken).toEqual([]);
  expect([...pages.keys()]).toContain("/console/spaces/main/graph/notes/a%20b%20%26%20c%23%25.md");
});

/** Follows links within the console. A form is not sent; a page at its address has to be one that takes forms. */
async function crawled(one: Visitor): Promise<{ pages: Map<string, ConsolePage>; broken: string[] }> {
  const pages = new Map<string, ConsolePage>();
  const broken: string[] = [];
  const actions = new Set<string>();
  const queue = ["/console"];
  const seen = new Set(queue);
  for (let path = queue.shift(); path !== undefined && pages.size < PAGES_MAX; path = queue.shift()) {
    const page = await one.get(path);
    pages.set(path, page);
    if (page.status !== 200) broken.push(`${path}: ${page.status}`);
    const linked = page.links.map((link) => link.replace(/#.*/s, "")).filter((link) => link.startsWith("/"));
    for (const form of page.forms) (form.method === "post" ? actions : new Set<string>()).add(form.action);
    for (const link of [...linked, ...searchesOf(page)]) {
      if (seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
  }
  for (const action of actions) {
    const { status, text } = await one.post(action, { csrf: "none" });
    if (status !== 403 || !text.includes("expired")) broken.push(`POST ${action}: ${status}`);
  }
  return { pages, broken };
}

function isDownload({ headers }: ConsolePage): boolean {
  return headers.get("content-disposition")?.startsWith("attachment") ?? false;
}

function searchesOf({ forms }: ConsolePage): string[] {
  return forms
    .filter(({ method }) => method === "get")
    .map(({ action, fields }) => `${action}?${new URLSearchParams({ ...fields })}`);
}
