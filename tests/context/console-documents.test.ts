// Goal: a person reads, edits, compares, restores and deletes documents on pages without scripts; nobody saves over someone else's text unseen; a
// viewer is shown no button and refused each form; hostile names and texts stay text.

import { describe, expect, test } from "bun:test";
import { contextServer, deny, filePath } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import { signedIn, type ConsolePage, willSignIn } from "../kit/context/console.ts";

const IN = "/console/spaces/team";

describe("documents in the console", () => {
  const server = shared(() => contextServer({ people: { ada: "space-lead", vic: "viewer" } }));
  const [ada, viewer] = [willSignIn(server, "ada"), willSignIn(server, "vic")];

  const told = ({ html }: ConsolePage) =>
    /class="console-notice" role="status"><p[^>]*>([^<]*)/.exec(html)?.[1];
  const saved = async (path: string, content: string, fields: Record<string, string> = {}) =>
    ada.submit(await ada.get(`${IN}/edit/${path}`), `${IN}/edit/${path}`, {
      content,
      action: "save",
      ...fields,
    });

  test("one is created, read, edited and saved with a reason", async () => {
    const form = await ada.get(`${IN}/new?folder=team`);
    const page = await ada.submit(form, `${IN}/new`, {
      path: "team/plan.md",
      content: "# Plan\r\n\r\nfirst\r\n",
      action: "save",
    });
    expect([page.path, told(page)]).toEqual([`${IN}/files/team/plan.md`, "Created team/plan.md."]);
    expect(page.html).toContain("<h2>Plan</h2>");
    expect(await server.admin.read("team/plan.md")).toBe("# Plan\n\nfirst\n");
    const again = await saved("team/plan.md", "# Plan\n\nsecond\n", { message: "wrote the second part" });
    expect(told(again)).toBe("Saved team/plan.md as v2.");
    expect((await ada.get(again.path)).html).not.toContain("console-notice");
    const history = await ada.get(`${IN}/history/team/plan.md`);
    expect(history.text).toContain("wrote the second part");
    const diff = await ada.get(`${IN}/diff/team/plan.md?from=1&to=2`);
    expect(diff.html).toContain('<div class="del">-first</div><div class="add">+second</div>');
  });

  test("text that a text area cannot keep stays: line ends, a line end at the start, markup, a byte order mark", async () => {
    const texts = {
      "crlf.md": "a\r\nb\r\n",
      "start.md": "\n\nb",
      "markup.md": "</textarea><b>&amp;</b>\n",
      "mark.md": "\ufeffa\n",
    };
    for (const [path, text] of Object.entries(texts)) {
      await server.admin.write(path, text);
      const form = await ada.get(`${IN}/edit/${path}`);
      const page = await ada.submit(form, `${IN}/edit/${path}`, { action: "save" });
      const now = await server.admin.raw("GET", filePath(path));
      const bytes = [...(await now.bytes())];
      expect([path, page.status, now.headers.get("etag"), bytes]).toEqual([
        path,
        200,
        '"2"',
        [...new TextEncoder().encode(text)],
      ]);
    }
  });

  test.each([
    ["binary.bin", new Uint8Array([0xff, 0xfe, 0x00])],
    ["zero.md", "a\0b"],
    ["mixed.md", "a\r\nb\n"],
    ["large.md", "x".repeat(300_000)],
  ])("%s is not offered to a text area", async (path, content) => {
    await server.admin.write(path, content);
    const page = await ada.get(`${IN}/edit/${path}`);
    expect([page.status, page.forms.some(({ action }) => action.includes("/edit/"))]).toEqual([422, false]);
    // Its page shows why there is no text to edit; one that is shown as text leads to the reason.
    const shown = await ada.get(`${IN}/files/${path}`);
    const isShown = !shown.text.includes("Download it instead.");
    expect(shown.links.includes(`${IN}/edit/${path}`)).toBe(isShown);
    const raw = await ada.get(`${IN}/raw/${path}`);
    expect([raw.headers.get("content-type"), raw.headers.get("content-disposition")]).toEqual([
      "application/octet-stream",
      `attachment; filename="${path}"`,
    ]);
  });

  test("a text that someone else changed meanwhile is shown beside one's own, and nothing is overwritten", async () => {
    await server.admin.write("both.md", "one\n");
    const form = await ada.get(`${IN}/edit/both.md`);
    await server.admin.write("both.md", "theirs\n");
    const page = await ada.submit(form, `${IN}/edit/both.md`, { content: "mine\n", action: "save" });
    expect(page.status).toBe(412);
    expect(page.text).toContain("Saved in the meantime: v2 theirs");
    expect(page.forms.find(({ action }) => action.includes("/edit/"))!.fields).toMatchObject({
      content: "mine\r\n",
      base: "2",
    });
    expect(await server.admin.read("both.md")).toBe("theirs\n");
    const done = await ada.submit(page, `${IN}/edit/both.md`, { action: "save" });
    expect([told(done), await server.admin.read("both.md")]).toEqual(["Saved both.md as v3.", "mine\n"]);
  });

  test("a text that was deleted meanwhile is created again only when one says so", async () => {
    await server.admin.write("gone.md", "one\n");
    const form = await ada.get(`${IN}/edit/gone.md`);
    await server.admin.delete(filePath("gone.md"));
    const page = await ada.submit(form, `${IN}/edit/gone.md`, { content: "mine\n", action: "save" });
    expect([page.status, /was deleted while/.test(page.text)]).toEqual([412, true]);
    expect(told(await ada.submit(page, `${IN}/edit/gone.md`, { action: "save" }))).toBe(
      "Saved gone.md as v2.",
    );
  });

  test("an edit on disk is shown as one, and saving records it first", async () => {
    await server.admin.write("disk.md", "one\n");
    await Bun.write(server.inSpace("disk.md"), "by hand\n");
    const list = await ada.get(`${IN}/disk`);
    expect(list.text).toContain("disk.md Modified was 4 bytes");
    expect((await ada.get(`${IN}/files/disk.md`)).text).toContain("Edited on disk, not recorded yet");
    expect(told(await saved("disk.md", "by page\n"))).toBe("Saved disk.md as v3.");
    expect(await server.admin.read("disk.md", "?version=2")).toBe("by hand\n");
    await Bun.write(server.inSpace("new.md"), "new\n");
    expect(told(await ada.submit(await ada.get(`${IN}/disk`), `${IN}/disk`))).toBe("Recorded 1 file.");
  });

  test("a preview saves nothing", async () => {
    await server.admin.write("preview.md", "one\n");
    const page = await saved("preview.md", "# Seen\n", { action: "preview" });
    expect([page.status, page.html.includes("<h2>Seen</h2>")]).toEqual([200, true]);
    expect(await server.admin.read("preview.md")).toBe("one\n");
  });

  test("every refusal is shown at its field, and the typed text stays", async () => {
    await server.admin.write("taken.md", "one\n");
    const form = await ada.get(`${IN}/new`);
    const refusal = async (path: string, content: string) => {
      const page = await ada.submit(form, `${IN}/new`, { path, content, action: "save" });
      return [
        page.status,
        page.problems,
        page.forms.find(({ action }) => action === `${IN}/new`)!.fields["content"],
      ];
    };
    expect(await refusal("taken.md", "mine")).toEqual([
      412,
      { path: "a document with this name exists" },
      "mine",
    ]);
    expect(await refusal("../up.md", "mine")).toEqual([
      400,
      { path: 'must not contain the segment ".."' },
      "mine",
    ]);
    expect(await refusal("", "mine")).toEqual([400, { path: "must not be empty" }, "mine"]);
    const [status, problems] = await refusal("secret.md", 'aws_key = "AKIAIOSFODNN7EXAMPL3"\n');
    expect([status, JSON.stringify(problems)]).toEqual([422, expect.stringContaining("looks like a secret")]);
    const long = await saved("taken.md", "x", { message: "m".repeat(201) });
    expect([long.status, long.problems]).toEqual([400, { message: "at most 200 characters" }]);
  });

  test("one is deleted and restored, an earlier version restored, and a version destroyed after its name was typed", async () => {
    await server.admin.write("life.md", "one\n");
    await server.admin.write("life.md", "two\n");
    const removed = await ada.submit(await ada.get(`${IN}/remove/life.md`), `${IN}/remove/life.md`);
    expect([told(removed), removed.text.includes("life.md v2")]).toEqual([
      "Deleted life.md. All its versions are kept.",
      true,
    ]);
    expect((await ada.get(`${IN}/files/life.md`)).path).toBe(`${IN}/history/life.md`);
    expect(told(await ada.submit(removed, `${IN}/undelete/life.md`))).toBe("Restored life.md with v2.");
    const restored = await ada.submit(await ada.get(`${IN}/history/life.md`), `${IN}/restore/life.md`);
    expect([told(restored), await server.admin.read("life.md")]).toEqual(["Restored v1 as v3.", "one\n"]);
    const ask = await ada.get(`${IN}/destroy/life.md?version=2`);
    const untyped = await ada.submit(ask, `${IN}/destroy/life.md`, { confirm: "yes" });
    expect([untyped.status, untyped.problems]).toEqual([422, { confirm: "type v2 to confirm" }]);
    expect(told(await ada.submit(untyped, `${IN}/destroy/life.md`, { confirm: "v2" }))).toBe(
      "Destroyed the content of v2.",
    );
    const live = await ada.post(`${IN}/destroy/life.md`, {
      ...ask.forms.at(-1)!.fields,
      version: "3",
      confirm: "v3",
    });
    expect([live.status, live.text.includes("soft-delete first")]).toEqual([400, true]);
  });

  test("a restore over a version that the page did not show is refused", async () => {
    await server.admin.write("race.md", "one\n");
    await server.admin.write("race.md", "two\n");
    const history = await ada.get(`${IN}/history/race.md`);
    await server.admin.write("race.md", "three\n");
    const page = await ada.submit(history, `${IN}/restore/race.md`);
    expect([page.status, await server.admin.read("race.md")]).toEqual([412, "three\n"]);
  });

  test("a conflict shows both sides and ends with one of them", async () => {
    const copy = "notes.conflict-bob-20261122T130000Z.md";
    await server.admin.write("notes.md", "theirs\n");
    await server.admin.write(copy, "ours\n");
    const page = await ada.get(
      (await ada.get(`${IN}/conflicts`)).links.find((link) => link.includes("conflicts/"))!,
    );
    expect(page.html).toContain('<div class="del">-theirs</div><div class="add">+ours</div>');
    expect(told(await ada.submit(page, `${IN}/conflicts/${copy}`, { keep: "ours" }))).toBe(
      "Resolved the conflict of notes.md.",
    );
    expect(await server.admin.read("notes.md")).toBe("ours\n");
  });

  test("a conflict of a deleted document offers to restore it with the other text, or to delete that", async () => {
    const copy = "lost.conflict-bob-20261122T130000Z.md";
    await server.admin.write("lost.md", "theirs\n");
    await server.admin.write(copy, "ours\n");
    await server.admin.delete(filePath("lost.md"));
    const page = await ada.get(`${IN}/conflicts/${copy}`);
    expect([page.status, page.text.includes("lost.md was deleted.")]).toEqual([200, true]);
    expect([page.html.includes('value="theirs"'), page.links.includes(`${IN}/remove/${copy}`)]).toEqual([
      false,
      true,
    ]);
    expect(told(await ada.submit(page, `${IN}/conflicts/${copy}`, { keep: "ours" }))).toBe(
      "Resolved the conflict of lost.md.",
    );
    expect(await server.admin.read("lost.md")).toBe("ours\n");
  });

  test("a document with a conflict, and each file with another text of it, lead to the conflict", async () => {
    const copies = ["both.conflict-bob-20261122T130000Z.md", "both.conflict-eve-20261122T130000Z.md"];
    for (const path of ["both.md", ...copies, "both.conflict-less.md"]) await server.admin.write(path, path);
    const conflicts = copies.map((copy) => `${IN}/conflicts/${copy}`);
    const found = async (path: string) =>
      (await ada.get(IN + path)).links.filter((link) => link.startsWith(`${IN}/conflicts/both`));
    expect([
      await found("/files/both.md"),
      await found(`/files/${copies[0]}`),
      await found("/files/both.md?version=1"),
      await found("/files/both.conflict-less.md"),
      await found(""),
    ]).toEqual([conflicts, [conflicts[0]!], [], [], conflicts]);
  });

  test("a document whose extension is long or its whole name leads to its conflict, too", async () => {
    const named = [
      [".settings", ".settings.conflict-bob-20261122T130000Z"],
      ["plan.next-years-outline", "plan.next-years-outline.conflict-bob-20261122T130000Z"],
    ] as const;
    const others = [1, 2, 3, 4, 5].map((count) => `.e${count}`);
    for (const path of [...named.flat(), ...others]) await server.admin.write(path, path);
    for (const [path, copy] of named)
      expect((await ada.get(`${IN}/files/${path}`)).links).toContain(`${IN}/conflicts/${copy}`);
  });

  test("a snapshot is created and restored", async () => {
    await server.admin.write("past.md", "one\n");
    const page = await ada.submit(await ada.get(`${IN}/snapshots`), `${IN}/snapshots`, { name: "first" });
    expect(told(page)).toBe("Created the snapshot first.");
    const twice = await ada.submit(page, `${IN}/snapshots`, { name: "first" });
    expect([twice.status, Object.keys(twice.problems)]).toEqual([409, ["name"]]);
    await server.admin.write("later.md", "later\n");
    await server.admin.write("past.md", "two\n");
    await server.admin.raw("DELETE", "/spaces/team/versions/past.md?version=1");
    const { links } = await ada.get(`${IN}/snapshots`);
    const restore = links.find((link) => link.endsWith("/restore"))!;
    const ask = await ada.get(restore);
    expect(ask.text).toContain("deletes documents created since then.");
    expect((await viewer.get(restore)).status).toBe(403);
    expect((await ada.get(`${IN}/snapshots/99/restore`)).status).toBe(404);
    expect(told(await ada.submit(ask, restore))).toMatch(
      /^Restored the snapshot: \d+ documents? changed\. Not restored, because the content at that time was destroyed or pruned: past\.md\.$/,
    );
  });

  test("a search finds words and patterns, and refuses a bad one at its field", async () => {
    await server.admin.write("found.md", "the quick brown fox\n");
    expect((await ada.get(`${IN}/search?q=quick`)).html).toContain("the <mark>quick</mark> brown fox");
    expect((await ada.get(`${IN}/search?q=qu.ck&regex=1`)).links).toContain(`${IN}/files/found.md`);
    const bad = await ada.get(`${IN}/search?q=(&regex=1`);
    expect([bad.status, Object.keys(bad.problems)]).toEqual([400, ["q"]]);
    const long = await ada.get(`${IN}/search?q=${"x".repeat(1_001)}`);
    expect(long.problems).toEqual({ q: "at most 1000 characters" });
    const glob = await ada.get(`${IN}/search?q=quick&path=${encodeURIComponent("[*")}`);
    expect([glob.status, Object.keys(glob.problems)]).toEqual([400, ["path"]]);
    expect((await ada.get(`${IN}/link?name=found`)).path).toBe(`${IN}/files/found.md`);
  });

  test("a viewer sees no button, and every form is refused and on record", async () => {
    await server.admin.write("guarded.md", "one\n");
    await server.admin.write("guarded.md", "two\n");
    await server.admin.write("single.md", "one\n");
    for (const path of ["/history/single.md", "/deleted", "/snapshots"])
      expect([path, (await viewer.get(IN + path)).text.includes("Actions")]).toEqual([path, false]);
    for (const path of ["", "/files/guarded.md", "/history/guarded.md", "/deleted", "/snapshots", "/disk"]) {
      const page = await viewer.get(IN + path);
      expect([path, page.status, page.forms.map(({ method, action }) => `${method} ${action}`)]).toEqual([
        path,
        200,
        path === "" ? ["post /console/logout", `get ${IN}/search`] : ["post /console/logout"],
      ]);
      expect(page.links.filter((link) => /\/(edit|remove|destroy|new)(\/|\?|$)/.test(link))).toEqual([]);
    }
    const csrf = (await viewer.get(IN)).forms[0]!.fields["csrf"]!;
    const status = async (path: string, fields: Record<string, string>) =>
      (await viewer.post(IN + path, { csrf, ...fields })).status;
    expect([
      await status("/edit/guarded.md", { content: "x", base: "2", action: "save" }),
      await status("/remove/guarded.md", { base: "2" }),
      await status("/restore/guarded.md", { version: "1", current: "2" }),
      await status("/destroy/guarded.md", { version: "1", confirm: "v1" }),
      await status("/undelete/guarded.md", {}),
      await status("/snapshots", { name: "x" }),
      await status("/disk", {}),
      await status("/delete", { confirm: "team" }),
      (await viewer.post("/console/new-space", { csrf, name: "x", template: "blank" })).status,
    ]).toEqual(Array.from({ length: 9 }, () => 403));
    expect(await server.admin.read("guarded.md")).toBe("two\n");
    const actions = (await server.audit("actor=vic&result=denied")).map(({ action }) => action);
    expect([...new Set(actions)].toSorted()).toEqual([
      "file.adopt",
      "file.delete",
      "file.destroy",
      "file.undelete",
      "file.write",
      "space.create",
      "space.delete",
      "space.snapshot",
    ]);
  });

  test("a document that a rule hides is the same 404 as one that does not exist, in lists and by address", async () => {
    await server.admin.write("hidden/a.md", "word hidden\n");
    await server.admin.write("hidden/b/c.md", "word hidden\n");
    await server.user("hal", "contributor");
    await server.rules("hal", deny("hidden/**", "list", "read", "create", "update", "delete"));
    const hal = await signedIn(server, "hal");
    const top = await hal.get(IN);
    expect(top.text).not.toContain("hidden");
    expect((await ada.get(IN)).text).toContain("hidden");
    const bodies = new Set<string>();
    for (const path of [
      "/tree/hidden",
      "/tree/nothing",
      "/files/hidden/a.md",
      "/files/nothing.md",
      "/history/hidden/a.md",
      "/edit/hidden/a.md",
      "/raw/hidden/a.md",
    ]) {
      const page = await hal.get(IN + path);
      expect([path, page.status]).toEqual([path, 404]);
      bodies.add(page.text.replace(/Request ID \S+/, ""));
    }
    expect(bodies.size).toBe(1);
    expect((await hal.get(`${IN}/search?q=word`)).text).toContain("No document matches");
    await server.user("out", "viewer", []);
    const out = await signedIn(server, "out");
    const missing = (await out.get("/console/spaces/nowhere")).text.replace(/Request ID \S+/, "");
    expect((await out.get(IN)).text.replace(/Request ID \S+/, "")).toBe(missing);
  });

  test("a list of thousands is paged, and pages meet without a gap", async () => {
    const operations = Array.from({ length: 250 }, (_, index) => ({
      op: "put" as const,
      path: `many/${index % 5 === 0 ? `d${index}/x.md` : `f${index}.md`}`,
      content_b64: btoa("x"),
      expected: null,
    }));
    const { head } = await server.admin.get("/spaces/team");
    await server.admin.post("/spaces/team/push", { base: head, ops: operations });
    const seen: string[] = [];
    let next: string | undefined = `${IN}/tree/many`;
    let pages = 0;
    for (; next !== undefined; pages += 1) {
      const page: ConsolePage = await ada.get(next);
      seen.push(...page.links.filter((link) => /\/(files|tree)\/many\//.test(link)));
      next = page.links.find((link) => link.includes("after="));
    }
    const expected = operations.map(
      ({ path }) => `${IN}/${path.includes("/x.md") ? `tree/${path.replace("/x.md", "")}` : `files/${path}`}`,
    );
    expect([pages, seen.length, seen.toSorted()]).toEqual([3, 250, expected.toSorted()]);
  });
});

describe("a space in the console", () => {
  test("is created from a template and deleted after its name was typed", async () => {
    await using server = await contextServer();
    const root = await signedIn(server, "root");
    const form = await root.get("/console/new-space");
    const create = (name: string, template = "blank") =>
      root.submit(form, "/console/new-space", { name, template });
    expect((await create("Not Good")).problems["name"]).toMatch(/lower-case letters/);
    const taken = await create("team");
    expect([taken.status, taken.problems["name"]]).toEqual([409, 'a space "team" already exists']);
    const unknown = await create("plans", "nothing");
    expect([unknown.status, Object.keys(unknown.problems)]).toEqual([400, ["template"]]);
    expect(form.html).toContain('href="/console/spaces" aria-current="page"');
    expect((await create("plans", "product")).text).toMatch(/Created the space plans with \d+ documents\./);
    const ask = await root.get("/console/spaces/plans/delete");
    expect(ask.text).toMatch(/removes \d+ documents, \d+ versions and/);
    const wrong = await root.submit(ask, "/console/spaces/plans/delete", { confirm: "plan" });
    expect([wrong.status, wrong.problems]).toEqual([422, { confirm: "type plans to confirm" }]);
    const done = await root.submit(wrong, "/console/spaces/plans/delete", { confirm: "plans" });
    expect([done.path, done.text.includes("Deleted the space plans")]).toEqual(["/console/spaces", true]);
  });
});
