// Goal: a search finds what its caller may list and read, whatever is on disk and whatever is asked, and nothing else.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import type { SearchAnswer } from "../../src/context/search/schema.ts";
import { contextServer, deny, type ContextClient } from "../kit/context/context-server.ts";
import { refusal } from "../kit/http/refusal.ts";

function search(client: ContextClient, query: Record<string, string | number>): Promise<SearchAnswer> {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.set(name, String(value));
  return client.get(`/spaces/team/search?${text}`);
}

const paths = ({ results }: SearchAnswer) => results.map(({ path }) => path);

test("each caller finds the files that they may list and read, however many others match better", async () => {
  await using server = await contextServer();
  const { admin } = server;
  for (let index = 0; index < 30; index += 1) await admin.write(`secret/${index}.md`, "budget budget budget");
  await admin.write("open/plan.md", "One long text that mentions the budget only once, at its end: budget.");
  await admin.write("open/listed.md", "the budget of a file that may be listed and not read");
  const [bob, eve, out] = [
    await server.user("bob", "viewer"),
    await server.user("eve", "contributor"),
    await server.user("out", "viewer", []),
  ];
  await server.rules("bob", deny("secret/**", "list"), deny("open/listed.md", "read"));
  const queries = [{ q: "budget" }, { q: "bud*" }, { q: "bud.et", regex: 1 }];
  for (const query of queries) {
    expect(await search(bob, { ...query, limit: 1 })).toMatchObject({
      results: [{ path: "open/plan.md" }],
      more: false,
    });
    const found = await Promise.all(
      [admin, eve, bob].map((client) => search(client, { ...query, limit: 31 })),
    );
    expect(found.map(({ results, more }) => [results.length, more])).toEqual([
      [31, true],
      [31, true],
      [1, false],
    ]);
    expect(paths(await search(admin, { ...query, path: "open/*.md" })).sort()).toEqual([
      "open/listed.md",
      "open/plan.md",
    ]);
    await refusal(search(out, query), "not_found");
  }
  await refusal(server.anonymous().get("/spaces/team/search?q=x"), "unauthenticated");
  // Rights apply from the next request.
  await server.rules("bob");
  expect(paths(await search(bob, { q: "budget", limit: 100 })).length).toBe(32);
});

test("an answer names the best files first, with lines, ranges and what was left out", async () => {
  await using server = await contextServer();
  const { admin } = server;
  await admin.write("often.md", "retry budget\nretry\n\nthe budget of a retry\nretry budget\n");
  await admin.write("once.md", `retry ${"filler ".repeat(200)} budget`);
  await admin.write("not.md", "retry only");
  expect(await search(admin, { q: "retry budget", lines: 2 })).toEqual({
    results: [
      {
        path: "often.md",
        score: expect.any(Number),
        lines: [
          {
            line: 1,
            text: "retry budget",
            ranges: [
              { start: 0, end: 5 },
              { start: 6, end: 12 },
            ],
          },
          {
            line: 4,
            text: "the budget of a retry",
            ranges: [
              { start: 4, end: 10 },
              { start: 16, end: 21 },
            ],
          },
        ],
        more_lines: true,
      },
      {
        path: "once.md",
        score: expect.any(Number),
        lines: [expect.objectContaining({ line: 1 })],
        more_lines: false,
      },
    ],
    more: false,
  });
  const [first] = (await search(admin, { q: "^re(t)ry$", regex: 1 })).results;
  expect(first).toEqual({
    path: "often.md",
    score: null,
    lines: [{ line: 2, text: "retry", ranges: [{ start: 0, end: 5 }] }],
    more_lines: false,
  });
  expect(await search(admin, { q: "RETRY", regex: 1, ignore_case: 1, lines: 0, limit: 2 })).toEqual({
    results: [
      { path: "not.md", score: null, lines: [], more_lines: true },
      { path: "often.md", score: null, lines: [], more_lines: true },
    ],
    more: true,
  });
  expect(await search(admin, { q: "nothing*" })).toEqual({ results: [], more: false });
});

test("files on disk are found: edits, new and large files, and nothing behind a link", async () => {
  await using server = await contextServer();
  const { admin } = server;
  const byHand = (path: string, text: string | Uint8Array) => writeFileSync(server.inSpace(path), text);
  await admin.write("a.md", "oldword");
  await admin.write("gone.md", "oldword");
  expect(paths(await search(admin, { q: "oldword" }))).toEqual(["a.md", "gone.md"]);
  byHand("a.md", "newword");
  mkdirSync(server.inSpace("drafts"));
  byHand("drafts/b.txt", `${"x".repeat(300_000)} newword \u001b[31m${"y".repeat(300_000)}`);
  byHand("binary.md", "newword\0");
  byHand("latin1.md", Uint8Array.from([0xe9, 0x20, ...Buffer.from("newword")]));
  byHand("large.md", "newword ".repeat(300_000));
  mkdirSync(server.inSpace(".git"));
  byHand(".git/config", "newword");
  writeFileSync(`${server.directory}/outside.md`, "newword");
  symlinkSync(`${server.directory}/outside.md`, server.inSpace("link.md"));
  symlinkSync(server.directory, server.inSpace("linked"));
  await admin.delete("/spaces/team/files/gone.md");
  for (const query of [{ q: "newword" }, { q: "newword", regex: 1 }]) {
    const answer = await search(admin, query);
    expect(paths(answer).sort()).toEqual(["a.md", "drafts/b.txt"]);
    const [line] = answer.results.find(({ path }) => path === "drafts/b.txt")!.lines;
    expect(line!.text).toMatch(/^…x+ newword \W\[31my+…$/);
    expect(line!.text.slice(line!.ranges[0]!.start, line!.ranges[0]!.end)).toBe("newword");
  }
  expect(paths(await search(admin, { q: "oldword" }))).toEqual([]);
  rmSync(server.inSpace("drafts"), { recursive: true });
  expect(paths(await search(admin, { q: "newword" }))).toEqual(["a.md"]);
});

test("a query that cannot be one says what to do", async () => {
  await using server = await contextServer();
  const { admin } = server;
  const cases: [Record<string, string | number>, RegExp][] = [
    [{ q: "" }, /contains no word to search for/],
    [{ q: "--" }, /search for punctuation with a regular expression/],
    [{ q: "a*" }, /at least 2 letters before \*/],
    [{ q: "x".repeat(1_001) }, /at most 1000 characters/],
    [{ q: "(", regex: 1 }, /not a regular expression/],
    [{ q: "x", path: "[a]*" }, /expected a path or a pattern/],
    [{ q: "x", limit: 0 }, /limit/],
    [{ q: "x", limit: 1_001 }, /limit/],
    [{ q: "x", lines: 21 }, /lines/],
    [{ q: "x", regex: "yes" }, /regex/],
    [{ q: "x", colour: "red" }, /colour/],
    [{ regex: 1 }, /q/],
  ];
  for (const [query, why] of cases) await refusal(search(admin, query), "invalid", why, expect.anything());
  // Nothing in a query is syntax of the index.
  for (const q of [
    'a" OR "b',
    "text:x",
    "NEAR(a b)",
    "{x} ^y",
    "'; DROP TABLE words; --",
    '"',
    "x\0y",
    "\ud800x",
  ])
    expect(await search(admin, { q: `zz ${q}` })).toEqual({ results: [], more: false });
  const answer = await admin.raw("GET", `/spaces/team/search?q=${"x".repeat(100_000)}`);
  expect([400, 414, 431]).toContain(answer.status);
});

test("a damaged index is built again, and one that is gone, too", async () => {
  await using server = await contextServer({ files: { "a.md": "word" } });
  const { admin } = server;
  expect(paths(await search(admin, { q: "word" }))).toEqual(["a.md"]);
  expect(statSync(server.inSpace(".cairn/search.db")).mode & 0o777).toBe(0o600);
  for (const suffix of ["-wal", "-shm"]) rmSync(server.inSpace(`.cairn/search.db${suffix}`), { force: true });
  writeFileSync(server.inSpace(".cairn/search.db"), "no database".repeat(1_000));
  expect(paths(await search(admin, { q: "word" }))).toEqual(["a.md"]);
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(server.inSpace(`.cairn/search.db${suffix}`), { force: true });
  expect(paths(await search(admin, { q: "word" }))).toEqual(["a.md"]);
});

test("the words of a destroyed version leave the disk with it", async () => {
  await using server = await contextServer({ files: { "a.md": "classified ordinary" } });
  const { admin } = server;
  expect(paths(await search(admin, { q: "classified" }))).toEqual(["a.md"]);
  await admin.write("a.md", "ordinary");
  expect(paths(await search(admin, { q: "classified" }))).toEqual([]);
  await admin.delete("/spaces/team/versions/a.md?version=1");
  expect(paths(await search(admin, { q: "ordinary" }))).toEqual(["a.md"]);
  for (const suffix of ["", "-wal"]) {
    const file = Bun.file(server.inSpace(`.cairn/search.db${suffix}`));
    const content = (await file.exists()) ? await file.text() : "";
    expect([suffix, /classif/.test(content)]).toEqual([suffix, false]);
  }
});

test("many users search and write at once, and each finds what was written before", async () => {
  await using server = await contextServer();
  const users = await Promise.all(["a", "b", "c", "d"].map((name) => server.user(name, "contributor")));
  const act = async (user: ContextClient, name: string) => {
    for (let turn = 0; turn < 8; turn += 1) {
      const word = `word${name}${turn}`;
      await user.write(`${name}/${turn}.md`, `${word} shared`);
      expect(paths(await search(user, { q: word }))).toEqual([`${name}/${turn}.md`]);
    }
  };
  await Promise.all(users.map((user, index) => act(user, `u${index}`)));
  expect((await search(server.admin, { q: "shared", limit: 100 })).results.length).toBe(32);
});
