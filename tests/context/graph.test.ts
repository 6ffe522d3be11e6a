// Goal: the graph shows each caller the links between the files that they may see, and no answer depends on any other file.

import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { GraphAnswer } from "../../src/context/graph/schema.ts";
import { contextServer, deny, type ContextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { refusal } from "../kit/http/refusal.ts";

const ask = (client: ContextClient, query = "") =>
  client.get(`/spaces/team/graph${query}`) as Promise<GraphAnswer>;

/** `a.md:3 name → b.md`, in order. */
const shown = ({ links }: GraphAnswer) =>
  links!.map(({ from, line, target, to }) => `${from}:${line} ${target} → ${to}`);
const linksOf = async (client: ContextClient, query: string) => shown(await ask(client, query));

describe("an answer", () => {
  test("has the totals, the links of a document and to it, broken links, orphans and ranks", async () => {
    await using server = await contextServer();
    const { admin } = server;
    expect((await ask(admin)).totals).toEqual({ documents: 0, links: 0, broken: 0, orphans: 0 });
    expect(await ask(admin, "?only=orphans")).toMatchObject({ orphans: [] });
    expect(await ask(admin, "?only=ranks")).toMatchObject({ ranks: [] });
    await admin.write("README.md", "# Team\n\n[[plan]]\nand [a picture](logo.png)");
    await admin.write("plan.md", "[[README#top|home]] [x](docs/none.md)\n```\n[[code]]\n```\nsee docs/a.md");
    await admin.write("docs/a.md", "[up](../plan.md#now)");
    await admin.write("docs/alone.md", "[[alone]] [[gone]]");
    await admin.write("logo.png", "png");
    const head = (await admin.get("/spaces/team")).head;
    const totals = { documents: 4, links: 8, broken: 2, orphans: 1 };
    expect(await ask(admin)).toEqual({ head, totals });
    expect(await ask(admin, "?only=orphans")).toEqual({ head, orphans: ["docs/alone.md"] });
    expect(await linksOf(admin, "?only=broken")).toEqual([
      "docs/alone.md:1 gone → null",
      "plan.md:1 docs/none.md → null",
    ]);
    const around = await ask(admin, "?path=plan.md");
    expect([around.head, around.path]).toEqual([head, "plan.md"]);
    expect(shown(around)).toEqual([
      "README.md:3 plan → plan.md",
      "docs/a.md:1 ../plan.md → plan.md",
      "plan.md:1 README → README.md",
      "plan.md:1 docs/none.md → null",
      "plan.md:5 docs/a.md → docs/a.md",
    ]);
    expect(around.links![0]).toEqual({
      from: "README.md",
      line: 3,
      kind: "wiki",
      target: "plan",
      to: "plan.md",
    });
    expect(await linksOf(admin, "?path=logo.png")).toEqual(["README.md:4 logo.png → logo.png"]);
    expect((await linksOf(admin, "?only=links")).length).toBe(8);
    const { ranks } = await ask(admin, "?only=ranks");
    expect(ranks!.map(({ path }) => path)).toEqual(["README.md", "docs/a.md", "docs/alone.md", "plan.md"]);
    expect(ranks!.toSorted((a, b) => b.rank - a.rank)[0]!.path).toBe("plan.md");
  });

  test("has the core: documents by the number of their links, and which of them are linked", async () => {
    await using server = await contextServer();
    const { admin } = server;
    expect((await ask(admin, "?only=core")).core).toEqual({ documents: [], edges: [], left_out: 0 });
    await admin.write("hub.md", "[[a]] [[b]] [[a]] [[gone]] [p](p.png)");
    await admin.write("a.md", "[[b]] [[a]]");
    await admin.write("b.md", "");
    await admin.write("alone.md", "");
    await admin.write("p.png", "png");
    const { totals, core } = await ask(admin, "?only=core");
    expect(totals).toEqual({ documents: 4, links: 7, broken: 1, orphans: 2 });
    expect(core).toEqual({
      documents: [
        { path: "hub.md", linked: 0, links: 4, broken: 1 },
        { path: "a.md", linked: 2, links: 1, broken: 0 },
        { path: "b.md", linked: 2, links: 0, broken: 0 },
        { path: "alone.md", linked: 0, links: 0, broken: 0 },
      ],
      edges: [
        [0, 1],
        [0, 2],
        [1, 2],
      ],
      left_out: 0,
    });
    const around = await ask(admin, "?path=p.png&only=core");
    expect(around.core!.documents.map(({ path }) => path)).toEqual(["p.png", "hub.md", "a.md", "b.md"]);
    expect([around.path, around.core!.left_out]).toEqual(["p.png", 1]);
  });

  test("has a part of a list", async () => {
    await using server = await contextServer({ files: { "a.md": "[[1]] [[2]] [[3]]" } });
    const { admin } = server;
    const targets = async (query: string) =>
      (await ask(admin, `?only=broken${query}`)).links!.map(({ target }) => target);
    expect(await targets("&offset=1")).toEqual(["2", "3"]);
    expect(await targets("&offset=1&limit=1")).toEqual(["2"]);
    expect(await targets("&offset=3")).toEqual([]);
  });

  test("is current after every kind of change, and after a restart", async () => {
    await using server = await contextServer({ files: { "a.md": "[[b]]" } });
    const { admin } = server;
    expect(await linksOf(admin, "?only=links")).toEqual(["a.md:1 b → null"]);
    await admin.write("b.md", "[[a]]");
    expect(await linksOf(admin, "?only=links")).toEqual(["a.md:1 b → b.md", "b.md:1 a → a.md"]);
    await admin.write("a.md", "no link");
    expect(await linksOf(admin, "?only=links")).toEqual(["b.md:1 a → a.md"]);
    await admin.delete("/spaces/team/files/a.md");
    expect(await linksOf(admin, "?only=links")).toEqual(["b.md:1 a → null"]);
    await admin.post("/spaces/team/undelete/a.md", {});
    expect(await linksOf(admin, "?only=links")).toEqual(["b.md:1 a → a.md"]);
    await server.restart();
    expect(await linksOf(server.admin, "?only=links")).toEqual(["b.md:1 a → a.md"]);
  });

  test("includes manual edits, looked for every two seconds, and none that a write has replaced", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock, files: { "a.md": "[[b]]" } });
    const { admin } = server;
    const at = (path: string) => server.inSpace(...path.split("/"));
    const links = () => linksOf(admin, "?only=links");
    expect(await links()).toEqual(["a.md:1 b → null"]);
    mkdirSync(at("new"));
    writeFileSync(at("new/b.md"), "[[a]]");
    writeFileSync(at("a.md"), "\n[[b]] [[c]]");
    clock.advance(2_001);
    const edited = ["a.md:2 b → new/b.md", "a.md:2 c → null", "new/b.md:1 a → a.md"];
    await eventually(links, edited);
    await admin.write("a.md", "[[new/b]]");
    expect(await links()).toEqual(["a.md:1 new/b → new/b.md", "new/b.md:1 a → a.md"]);
    rmSync(at("new/b.md"));
    clock.advance(2_001);
    await eventually(links, ["a.md:1 new/b → null"]);
  });

  test("is refused for a path that is not there, a bad query, and a stranger", async () => {
    await using server = await contextServer({ files: { "a.md": "a" } });
    const { admin } = server;
    await refusal(ask(admin, "?path=b.md"), "not_found", "file b.md: not found");
    await refusal(ask(admin, "?path=../a.md"), "invalid", /^path: /);
    const both = "use path or only, not both; only=core works with a path";
    await refusal(ask(admin, "?path=a.md&only=links"), "invalid", both);
    await refusal(ask(admin, "?path=b.md&only=core"), "not_found", "file b.md: not found");
    await refusal(ask(admin, "?only=everything"), "invalid");
    await refusal(server.anonymous().get("/spaces/team/graph"), "unauthenticated");
  });
});

describe("a caller with rules", () => {
  test("gets the answers of a space without the hidden files", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const eve = await server.user("eve", "viewer");
    await server.rules("eve", deny("secret/**", "list", "read"), deny("listed/**", "read"));
    const visible: Record<string, string> = {
      "a.md": "[[plan]] [[only]] secret/only.md [s](secret/) [[listed/x]] [[known]]",
      "far/away/plan.md": "",
      "known.md": "",
    };
    const answers = async () =>
      JSON.stringify(
        await Promise.all(
          [
            "",
            "?path=a.md",
            "?path=known.md",
            "?only=links",
            "?only=broken",
            "?only=orphans",
            "?only=ranks",
          ].map(async (query) => ({ ...(await ask(eve, query)), head: "" })),
        ),
      );
    for (const [path, text] of Object.entries(visible)) await admin.write(path, text);
    await admin.write("listed/x.md", "");
    const before = await answers();
    // Nearer than what a name meant before, the only one of its name, with links, and a folder.
    await admin.write("secret/plan.md", "[[known]] [[plan]] [[nowhere]]");
    await admin.write("secret/only.md", "[[far/away/plan]]");
    await admin.write("secret/README.md", "x");
    expect(await answers()).toBe(before);
    expect(await linksOf(eve, "?path=a.md")).toEqual([
      "a.md:1 plan → far/away/plan.md",
      "a.md:1 only → null",
      "a.md:1 secret/only.md → null",
      "a.md:1 secret/ → null",
      "a.md:1 listed/x → listed/x.md",
      "a.md:1 known → known.md",
    ]);
    // The names of these files are no secret, but their links are.
    await admin.write("listed/x.md", "[[known]]\n[[nowhere]]");
    expect(await linksOf(eve, "?path=listed/x.md")).toEqual(["a.md:1 listed/x → listed/x.md"]);
    expect(await linksOf(eve, "?path=known.md")).toEqual(["a.md:1 known → known.md"]);
    await refusal(ask(eve, "?path=secret/plan.md"), "not_found", "file secret/plan.md: not found");
    expect((await ask(admin)).totals).toMatchObject({ broken: 2 });
    // Rules apply from the next request.
    await server.rules("eve");
    expect(await ask(eve)).toEqual(await ask(admin));
  });

  test("sees only what is allowed outside their spaces", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.post("/spaces", { name: "other", template: "blank" });
    await admin.write("docs/a.md", "[[b]] [[c]]");
    await admin.write("docs/b.md", "[[a]]");
    await admin.write("c.md", "[[a]]");
    const bob = await server.user("bob", "viewer", ["other"]);
    await refusal(ask(bob), "not_found", "space team: not found");
    await server.rules("bob", { effect: "allow", path: "team/docs/**", capabilities: ["list", "read"] });
    expect(await linksOf(bob, "?only=links")).toEqual([
      "docs/a.md:1 b → docs/b.md",
      "docs/a.md:1 c → null",
      "docs/b.md:1 a → docs/a.md",
    ]);
  });
});
