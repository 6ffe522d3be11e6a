// Goal: the freshness page sorts the documents of a space by what has to be done about them, says why, and lets those who may write record that a
// document was checked.

import { describe, expect, test } from "bun:test";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import { type ConsolePage, willSignIn } from "../kit/context/console.ts";
import { manualClock } from "../kit/manual-clock.ts";

const FRESHNESS = "/console/spaces/team/freshness";

const VALIDATE = `${FRESHNESS}/validate`;

const written = (fields: string, text = "text") => `---\n${fields}\n---\n${text}\n`;
const FILES: Readonly<Record<string, string>> = {
  "fresh.md": written("stale-after: 1y\nlast-validated: 2025-12-10\nowner: Ann"),
  "soon.md": written("stale-after: 30d\nlast-validated: 2025-12-10"),
  "old.md": written("stale-after: 12w\nlast-validated: 2025-03-01\nowner: [bob, cid]"),
  "older.md": written("stale-after: 1m\nlast-validated: 2024-01-01\nimportance: high"),
  "odd.md": written("stale-after: sometimes"),
  "plain.md": "text",
  "other/plain.md": "text",
};

/** The paths of the rows, in order. */
const rows = ({ html }: ConsolePage) =>
  [...html.matchAll(/<td class="wide"><a href="[^"]*"><bdi>([^<]*)</g)].map(([, path]) => path);

describe("the freshness page", () => {
  const server = shared(() => contextServer({ clock: manualClock(), people: { eve: "viewer" } }));
  const [root, eve] = [willSignIn(server, "root"), willSignIn(server, "eve")];

  test("says what to write if no document has a rule", async () => {
    expect((await root.get(FRESHNESS)).text).toContain("No document says when it becomes stale.");
  });

  test("has groups, reasons, an order and a filter", async () => {
    for (const [path, text] of Object.entries(FILES)) await server.admin.write(path, text);
    const page = await root.get(FRESHNESS);
    expect(page.text).toContain("All (5) Stale (2) Unclear (1) Due soon (1) Fresh (1) Without a rule");
    expect(rows(page)).toEqual(["odd.md", "older.md", "old.md", "soon.md", "fresh.md"]);
    expect(page.text).toContain("older.md Important Stale 2024-02-01 1 month after validation on 2024-01-01");
    expect(page.text).toContain("old.md Stale 2025-05-24 12 weeks after validation on 2025-03-01 bob, cid");
    expect(page.text).toContain("soon.md Due soon 2026-01-09 30 days after validation on 2025-12-10");
    expect(page.text).toContain(
      'odd.md Unclear — stale-after "sometimes": expected a number and d, w, m or y, for example 90d',
    );
    const groups = {
      stale: ["older.md", "old.md"],
      unclear: ["odd.md"],
      soon: ["soon.md"],
      fresh: ["fresh.md"],
    };
    for (const [group, paths] of Object.entries(groups))
      expect([group, rows(await root.get(`${FRESHNESS}?show=${group}`))]).toEqual([group, paths]);
    expect(rows(await root.get(`${FRESHNESS}?show=none`))).toEqual(["other/plain.md", "plain.md"]);
    expect(rows(await root.get(`${FRESHNESS}?sort=path`))).toEqual(Object.keys(FILES).slice(0, 5).sort());
    expect(rows(await root.get(`${FRESHNESS}?sort=validated`)).slice(0, 2)).toEqual(["older.md", "old.md"]);
    expect(rows(await root.get(`${FRESHNESS}?q=OLD`))).toEqual(["older.md", "old.md"]);
    expect(rows(await root.get(`${FRESHNESS}?q=cid`))).toEqual(["old.md"]);
    expect(rows(await root.get(`${FRESHNESS}?show=none&q=other`))).toEqual(["other/plain.md"]);
    expect((await root.get(`${FRESHNESS}?q=nobody`)).text).toContain("No documents here.");
    expect((await root.get(`${FRESHNESS}?show=x&sort=y&offset=z`)).status).toBe(200);
  });

  test("records that a document was checked, and comes back to the same list", async () => {
    const list = `${FRESHNESS}?show=stale&q=old`;
    const page = await root.get(list);
    const done = await root.submit(page, VALIDATE, { path: "old.md", show: "stale", q: "old" });
    expect([done.status, done.path]).toEqual([200, list]);
    expect(done.text).toContain("old.md is validated as of 2026-01-01.");
    expect(rows(done)).toEqual(["older.md"]);
    expect(await server.admin.read("old.md")).toBe(
      written("stale-after: 12w\nlast-validated: 2026-01-01\nowner: [bob, cid]"),
    );
    const again = await root.submit(page, VALIDATE, { path: "old.md" });
    expect(again.text).toContain("old.md was already validated on 2026-01-01.");
    expect((await server.audit("action=file.write&limit=1"))[0]).toMatchObject({
      target: "old.md",
      actor: { name: "root", auth: "session" },
    });
  });

  test("says why a document cannot be validated, and lets nobody validate who may not write", async () => {
    await server.admin.write("broken.md", "---\nstale-after: [\n---\n");
    const page = await root.get(FRESHNESS);
    const refused = await root.submit(page, VALIDATE, { path: "broken.md" });
    expect([refused.status, refused.problems[""]]).toEqual([
      400,
      "broken.md: the front matter is not valid YAML; correct it first",
    ]);
    expect((await root.submit(page, VALIDATE, { path: "none.md" })).status).toBe(404);
    expect((await root.submit(page, VALIDATE, { path: "../x.md" })).status).toBe(400);
    const seen = await eve.get(FRESHNESS);
    expect([seen.text.includes("old.md"), seen.text.includes("Validate")]).toEqual([true, false]);
    const csrf = /name="csrf" value="(\w+)"/.exec((await eve.get("/console")).html)![1]!;
    const tried = await eve.post(VALIDATE, { csrf, path: "older.md" });
    expect(tried.status).toBe(403);
    expect(await server.admin.read("older.md")).toBe(FILES["older.md"]!);
  });
});
