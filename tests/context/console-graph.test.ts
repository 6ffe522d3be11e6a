// Goal: the graph page shows each person the links of the documents that they may see, as a picture and as lists, without scripts; names of documents
// stay text.

import { describe, expect, test } from "bun:test";
import { Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Answer, Asked } from "../../src/context/console/area.ts";
import { graphArea } from "../../src/context/console/areas/graph-routes.ts";
import type { SpaceSource } from "../../src/context/console/space-source.ts";
import type { Pictures } from "../../src/context/graph/pictures.ts";
import type { BrowsedSpace } from "../../src/context/space/door.ts";
import { AppError } from "../../src/kit/error.ts";
import { contextServer, filePath } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import { type ConsolePage, willSignIn } from "../kit/context/console.ts";

/** Below the address of a space. */
const graphOf = (space: string, rest = "") => `/console/spaces/${space}/graph${rest}`;

/** The documents in the picture, by their links. */
const drawn = ({ html }: ConsolePage) =>
  [...(/<svg viewBox.*?<\/svg>/s.exec(html)?.[0] ?? "").matchAll(/ href="[^"]*?\/files\/([^"]*)"/g)].map(
    ([, path]) => decodeURIComponent(path!),
  );

describe("the graph page", () => {
  const server = shared(() => contextServer({ people: { eve: "viewer" } }));
  const [root, eve] = [willSignIn(server, "root"), willSignIn(server, "eve")];

  const write = async (space: string, files: Readonly<Record<string, string>>) => {
    for (const [path, body] of Object.entries(files)) {
      const answer = await server.admin.raw("PUT", filePath(path, "files", space), { body });
      expect([path, answer.ok]).toEqual([path, true]);
    }
  };
  const filled = async (space: string, files: Readonly<Record<string, string>> = {}) => {
    await server.admin.post("/spaces", { name: space, template: "blank" });
    await write(space, files);
  };

  test("has the totals, a picture whose nodes lead to documents, and the lists", async () => {
    await filled("one");
    const empty = await root.get(graphOf("one"));
    expect([empty.status, empty.text.includes("No documents yet."), drawn(empty)]).toEqual([200, true, []]);
    await write("one", { "hub.md": "[[a]] [[b]]\n[[gone]]", "a.md": "[[hub]]", "b.md": "", "alone.md": "" });
    const page = await root.get(graphOf("one"));
    expect(page.text).toContain("Documents 4 Links 4 Broken links 1 Orphans 1");
    expect(drawn(page)).toEqual(["hub.md", "a.md", "b.md", "alone.md"]);
    expect(page.text).toContain("All 4 documents.");
    expect(page.text).toMatch(/hub\.md 1 2 1 Show a\.md 1 1 0 Show b\.md 1 0 0 Show alone\.md 0 0 0 Show/);
    expect((await root.get(graphOf("one", "?list=broken"))).text).toMatch(/hub\.md 2 gone/);
    expect((await root.get(graphOf("one", "?list=orphans"))).text).toMatch(/alone\.md Show/);
    const around = await root.get(graphOf("one", "/hub.md"));
    expect(around.text).toContain("Linked from 1 Links to 2 Broken links 1");
    expect(around.text).toMatch(
      /Leads to Line a\.md 1 b\.md 1 gone Broken 2 Linked from Document Line a\.md 1/,
    );
    expect(drawn(around)).toEqual(["hub.md", "a.md", "b.md"]);
    expect((await root.get(graphOf("one", "/none.md"))).status).toBe(404);
    expect((await root.get(graphOf("none"))).status).toBe(404);
    for (const odd of ["?list=x", "?offset=-1", "?offset=1e3", "?list=broken&offset=99999999999"])
      expect([odd, (await root.get(graphOf("one", odd))).status]).toEqual([odd, 200]);
  });

  test("has another page for every hundred rows", async () => {
    const all = Array.from({ length: 250 }, (_, index) => String(index));
    await filled("many", { "a.md": all.map((index) => `[[none-${index}]]`).join("\n") });
    for (const address of [graphOf("many", "?list=broken"), graphOf("many", "/a.md")]) {
      const seen: string[] = [];
      for (let next: string | undefined = address; next !== undefined;) {
        const page: ConsolePage = await root.get(next);
        seen.push(...[...page.html.matchAll(/<bdi>none-(\d+)<\/bdi>/g)].map(([, index]) => index!));
        next = /href="([^"]*)" rel="next"/.exec(page.html)?.[1]?.replaceAll("&amp;", "&");
      }
      expect([address, seen]).toEqual([address, all]);
    }
  });

  test("of a person with rules is that of a space without the hidden documents", async () => {
    await filled("ruled", { "a.md": "[s](secret/plan.md) [[b]]", "b.md": "" });
    const rule = {
      effect: "deny" as const,
      path: "ruled/secret/**",
      capabilities: ["list", "read"] as const,
    };
    await server.rules("eve", { ...rule, capabilities: [...rule.capabilities] });
    const pages = () =>
      Promise.all(
        ["", "?list=broken", "?list=orphans", "/a.md"].map(async (rest) =>
          (await eve.get(graphOf("ruled", rest))).html.replaceAll(/nonce="[^"]*"/g, ""),
        ),
      );
    const before = await pages();
    expect(before[0]).toContain("a.md");
    await write("ruled", { "secret/plan.md": "[[a]] [[b]]" });
    expect(await pages()).toEqual(before);
    expect((await eve.get(graphOf("ruled", "/secret/plan.md"))).status).toBe(404);
    expect((await root.get(graphOf("ruled", "/secret/plan.md"))).status).toBe(200);
  });

  test("keeps odd names and targets text", async () => {
    const names = [
      "a&amp;b 'c' %25 #.md",
      "שלום עולם.md",
      `${"long ".repeat(40).trim()}.md`,
      "javascript;alert(1).md",
    ];
    const links = names.map((other) => `[x](<${encodeURI(other)}>)`).join(" ");
    await filled(
      "odd",
      Object.fromEntries(names.map((name) => [name, `${links} [[<img src=x>]] [[a\u202eb]]`])),
    );
    const addresses = ["", "?list=broken", ...names.map((name) => `/${encodeURIComponent(name)}`)];
    for (const address of addresses) {
      const { status, html } = await root.get(graphOf("odd", address));
      expect([address, status]).toEqual([address, 200]);
      expect(html).not.toMatch(/<img|\u202e|a&b/);
    }
  });
});

test("a picture that cannot be drawn in time leaves the lists", async () => {
  const core = { documents: [{ path: "a.md", linked: 0, links: 0, broken: 0 }], edges: [], left_out: 0 };
  const totals = { documents: 1, links: 0, broken: 0, orphans: 1 };
  const graph = () => Promise.resolve({ head: "a.1", totals, core });
  const space = { graph, lookedAt: () => undefined } as unknown as BrowsedSpace;
  const source: SpaceSource = {
    list: () => Promise.resolve({ spaces: [], unopened: [] }),
    use: (_caller, _name, work) => work(space),
  };
  const busy = (code: "refused" | "unavailable" | "internal") =>
    graphArea(source, { of: () => Promise.reject(new AppError(code, "no")) } as unknown as Pictures);
  const visit = { caller: { name: "ada" }, spaceTabs: [] } as unknown as Asked["visit"];
  const asked = { visit, params: { space: "main" }, query: new URLSearchParams() } as unknown as Asked;
  const shown = async (code: Parameters<typeof busy>[0]) => {
    const [route] = busy(code).routes;
    const answer = await (route as { answer: (one: Asked) => Promise<Answer> }).answer(asked);
    return answer.kind === "page" ? renderToString(h(Fragment, null, answer.body)) : "";
  };
  for (const code of ["refused", "unavailable"] as const) {
    const html = await shown(code);
    expect([html.includes("The picture could not be drawn,"), html.includes("a.md")]).toEqual([true, true]);
  }
  await expect(shown("internal")).rejects.toThrow("no");
});
