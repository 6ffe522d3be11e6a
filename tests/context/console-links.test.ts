// Goal: every link and every form of every page of the console leads to a page that exists, for every role, and an admin reaches every page by links
// alone.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { localUi } from "../kit/context/local-ui.ts";
import { contextServer, deny, type ContextServer } from "../kit/context/context-server.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";
import { addressesOf, CONSOLE_ROUTES } from "../kit/context/console-routes.ts";
import { signedIn, type ConsolePage, type Visitor } from "../kit/context/console.ts";

const PAGES_MAX = 900;
/** Only scripts ask for these, or something has to go wrong before they are linked. */
const UNLINKED = [
  "GET /console/live",
  "GET /console/audit/acknowledge",
  "POST /console/audit/acknowledge",
  "GET /console/backups/live",
  "POST /console/backups/:id/cancel",
];

describe("the links of the console", () => {
  let server: ContextServer;
  let backups: Folder;
  const hooks = hookReceiver();
  beforeAll(async () => {
    backups = await temporaryFolder();
    const config = { backup: { directory: backups.path } };
    server = await contextServer({ template: "team", outbound: hooks.outbound, config });
    await server.user(`<b>x</b> & "y"/z`, "contributor", ["team"]);
    await server.admin.post("/webhooks", { url: hooks.url(), events: ["file.write"] });
    await server.user("viewer", "viewer");
    await server.user("writer", "contributor", ["team"]);
    await server.user("lead", "space-lead");
    await server.rules("viewer", deny("private/**", "read"));
    await server.admin.write("notes/a b & c#%.md", "# Notes\n\n[onboarding](../team/onboarding.md)\n");
    await server.admin.write("twice.md", "one\n");
    await server.admin.write("twice.md", "[[onboarding]]\n");
    await Bun.write(server.inSpace("by-hand.md"), "by hand\n");
    await server.user("gone away", "viewer");
    await server.admin.post("/users/gone%20away/disable");
    await server.admin.post("/users/viewer/tokens", { label: "second" });
    const other = await server.admin.post("/webhooks", { url: hooks.url() });
    await server.admin.patch(`/webhooks/${other.id}`, { enabled: false });
    await server.admin.write("notes/gone.md", "gone\n");
    await server.admin.delete("/spaces/team/files/notes/gone.md");
    await server.admin.write("decisions.conflict-ada-20261122T130000Z.md", "other\n");
    await server.admin.post("/spaces/team/snapshots", { name: "first" });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
    await backups[Symbol.asyncDispose]();
  });

  test.each(["root", "lead", "writer", "viewer"])("resolve for %s", async (name) => {
    const one = await signedIn(server, name);
    const { pages, broken, actions } = await crawled(one);
    expect(broken).toEqual([]);
    if (name === "root") expect(unreached([...pages.keys()], [...actions])).toEqual(UNLINKED);
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
async function crawled(one: Visitor) {
  const pages = new Map<string, ConsolePage>();
  const broken: string[] = [];
  const actions = new Set<string>();
  const queue = ["/console"];
  const seen = new Set(queue);
  for (let path = queue.shift(); path !== undefined && pages.size < PAGES_MAX; path = queue.shift()) {
    const page = await one.get(path);
    pages.set(path, page);
    if (page.status !== 200) broken.push(`${path}: ${page.status}`);
    if (hasUnevenTable(page)) broken.push(`${path}: a row has not as many cells as its table has headings`);
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
  return { pages, broken, actions };
}

/** The declared routes that no link and no form leads to. */
function unreached(pages: readonly string[], actions: readonly string[]): string[] {
  const reached = { GET: pages, POST: actions };
  return CONSOLE_ROUTES.filter(({ method, path }) => {
    const pattern = addressesOf(path);
    return !reached[method].some((address) => pattern.test(address));
  }).map(({ name }) => name);
}

function hasUnevenTable({ html }: ConsolePage): boolean {
  return [...html.matchAll(/<table class="table"[\s\S]*?<\/table>/g)].some(([table]) => {
    const [head = "", ...rows] = table.split("<tr>").slice(1);
    const headings = head.match(/<th /g)?.length ?? 0;
    const cells = (row: string) => row.match(/<t[dh](?: [^>]*)?>/g) ?? [];
    const widthOf = (row: string) =>
      cells(row).reduce((sum, cell) => sum + Number(/colspan="(\d+)"/i.exec(cell)?.[1] ?? 1), 0);
    return rows.some((row) => widthOf(row) !== headings);
  });
}

function isDownload({ headers }: ConsolePage): boolean {
  return headers.get("content-disposition")?.startsWith("attachment") ?? false;
}

function searchesOf({ forms }: ConsolePage): string[] {
  return forms
    .filter(({ method }) => method === "get")
    .map(({ action, fields }) => `${action}?${new URLSearchParams({ ...fields })}`);
}
