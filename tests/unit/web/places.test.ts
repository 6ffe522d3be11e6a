// Goal: the decisions of screens without a page: the typed server, figures of a model, search results, rights.

import { describe, expect, test } from "bun:test";
import { threadTimeMs } from "../../../src/kit/clock.ts";
import type { WhoAmI } from "../../../src/service/people/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { findCommands, type Found, rangesIn, scoreOf } from "../../../web/frame/command-search.ts";
import { serverAddress } from "../../../web/screens/login/server-address.ts";
import { figuresOf, noFigures, textsOf } from "../../../web/parts/catalog/figures.ts";
import { suggestedName } from "../../../web/parts/catalog/provider-words.ts";
import { owns, mayShare } from "../../../web/screens/workspaces/rights.ts";

describe("the server of the login", () => {
  const origin = "http://127.0.0.1:8688";
  test.each([
    ["http://127.0.0.1:8688"],
    [" http://127.0.0.1:8688/ "],
    ["127.0.0.1:8688"],
    ["http://127.0.0.1:8688/library/3?x=1"],
  ])("%p is this one", (typed) => expect(serverAddress(typed, origin)).toEqual({ kind: "here" }));

  test.each([
    ["https://cairn.example.org", "cairn.example.org", "https://cairn.example.org/login"],
    ["cairn.example.org:9000/somewhere", "cairn.example.org:9000", "http://cairn.example.org:9000/login"],
    ["https://127.0.0.1:8688", "127.0.0.1:8688", "https://127.0.0.1:8688/login"],
    ["http://127.0.0.1:8689?next=http://127.0.0.1:8688", "127.0.0.1:8689", "http://127.0.0.1:8689/login"],
  ])("%p is another one", (typed, host, login) =>
    expect(serverAddress(typed, origin)).toEqual({ kind: "other", host, login }),
  );

  test.each([
    [""],
    ["   "],
    ["javascript:alert(1)"],
    ["javascript://127.0.0.1:8688/%0aalert(1)"],
    ["data:text/html,x"],
    ["ftp://example.org"],
    ["file:///etc/passwd"],
    ["http://user:secret@example.org"],
    ["http://exa mple.org"],
    ["http://"],
    ["https:\\\\example.org"],
  ])("%p is none", (typed) => expect(serverAddress(typed, origin).kind).toBe("wrong"));
});

describe("figures of a model", () => {
  test("treats empty as unknown and 0 as 0", () => {
    expect(figuresOf(noFigures)).toEqual({
      context_tokens: null,
      output_tokens: null,
      input_price: null,
      cached_input_price: null,
      output_price: null,
    });
    expect(figuresOf({ ...noFigures, input_price: "0", output_price: " 15 " })).toMatchObject({
      input_price: 0,
      output_price: 15,
    });
  });

  test.each([
    ["200000", 200_000],
    ["200,000", 200_000],
    ["200 000", 200_000],
    ["1_000_000", 1_000_000],
  ])("%p tokens", (text, value) =>
    expect(figuresOf({ ...noFigures, context_tokens: text }).context_tokens).toBe(value),
  );

  test.each([
    ["0.25", 0.25],
    ["0,25", 0.25],
    ["0,125", 0.125],
    [".5", 0.5],
    ["3.", 3],
  ])("a price of %p", (text, value) =>
    expect(figuresOf({ ...noFigures, output_price: text }).output_price).toBe(value),
  );

  test.each([
    ["context_tokens", "many"],
    ["context_tokens", "1.5"],
    ["output_tokens", "-1"],
    ["output_tokens", "1,5"],
    ["input_price", "$3"],
    ["cached_input_price", "1e9"],
    ["output_price", "0x10"],
  ] as const)("%s does not take %p, and says so at the field", (field, text) => {
    const problem = expect.stringMatching(/^Enter a/) as string;
    expect(() => figuresOf({ ...noFigures, [field]: text })).toThrow(
      expect.objectContaining({ code: "invalid", details: { field, problem } }),
    );
  });

  test.each(["1,500", "12,000,000"])("a price of %p could be two numbers, so it is refused", (text) => {
    const problem = "A comma before three digits can mean two numbers. Write 1500 or 1.5.";
    expect(() => figuresOf({ ...noFigures, input_price: text })).toThrow(
      expect.objectContaining({ code: "invalid", details: { field: "input_price", problem } }),
    );
  });

  test("shows what is stored", () => {
    const model = {
      context_tokens: 200_000,
      output_tokens: null,
      input_price: 0,
      cached_input_price: 0.3,
      output_price: 15,
    };
    expect(figuresOf(textsOf(model))).toEqual(model);
  });
});

test("suggests an unused name for a new provider", () => {
  const others = ["Anthropic", "anthropic 2", "localhost:11434"].map((name, index) => ({
    id: index + 1,
    name,
    type: "anthropic" as const,
    base_url: "https://api.anthropic.com",
    has_key: false,
  }));
  expect(suggestedName("anthropic", "", [])).toBe("Anthropic");
  expect(suggestedName("anthropic", "", others)).toBe("Anthropic 3");
  expect(suggestedName("openai-compatible", "http://localhost:11434/v1", others)).toBe("localhost:11434 2");
  expect(suggestedName("openai-compatible", "not an address", others)).toBe("OpenAI-compatible");
});

describe("the palette's search", () => {
  const commands: Found[] = [
    { id: "a", group: "Pages", label: "Workspaces" },
    { id: "b", group: "Pages", label: "Models" },
    { id: "c", group: "Workspaces", label: "Release desk", note: "Notes of each release" },
    { id: "d", group: "Workspaces", label: "Old releases" },
    { id: "e", group: "Gears", label: "changelog_draft", note: "approved" },
    { id: "f", group: "Workspaces", label: "Café münchen" },
  ];
  const ids = (search: string, recent: string[] = []) =>
    findCommands(commands, search, recent).flatMap(({ items }) => items.map(({ id }) => id));

  test("ranks the start of the name before a word in it, and that before the note", () => {
    expect(ids("release")).toEqual(["c", "d"]);
    expect(ids("draft")).toEqual(["e"]);
    expect(ids("approved")).toEqual(["e"]);
  });
  test("requires every word, in any order", () => {
    expect(ids("desk rel")).toEqual(["c"]);
    expect(ids("desk models")).toEqual([]);
  });
  test("matches words and their parts, ignoring case and accents, and no loose letters", () => {
    expect(ids("eleas")).toEqual(["c", "d"]);
    expect(ids("rlsdsk")).toEqual([]);
    expect(ids("CAFE MUN")).toEqual(["f"]);
    expect(ids("zz")).toEqual([]);
  });
  test("lists recent commands first without a search, once each", () => {
    const groups = findCommands(commands, " ", ["e", "gone", "c"]);
    expect(groups.map(({ name, items }) => [name, items.map(({ id }) => id)])).toEqual([
      ["Recent", ["e", "c"]],
      ["Pages", ["a", "b"]],
      ["Workspaces", ["d", "f"]],
    ]);
  });
  test("searches ten thousand commands fast and shows only some", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      id: `w${index}`,
      group: "Workspaces",
      label: `Project ${index}`,
      note: "Something else",
    }));
    const before = threadTimeMs();
    const [group] = findCommands(many, "proj 99", []);
    expect(threadTimeMs() - before).toBeLessThan(200);
    expect(group!.items).toHaveLength(20);
    expect(group!.items.every(({ label }) => label.includes("99"))).toBe(true);
  });
  test("marks each word at the start of a word, or else where it is first", () => {
    const marked = (label: string, search: string) =>
      rangesIn(label, search).map(({ start, end }) => label.slice(start, end));
    expect(marked("count_words", "count wor")).toEqual(["count", "wor"]);
    expect(rangesIn("reorder order", "order")).toEqual([{ start: 8, end: 13 }]);
    expect(marked("Été 2", "ete")).toEqual(["Été"]);
    expect(marked("models", "xyz el")).toEqual(["el"]);
    // Folded, the letter is two.
    expect(marked("ﬁle name", "name")).toEqual([]);
  });
  test("ranks an exact name first", () => {
    expect(scoreOf(commands[1]!, ["models"])).toBeGreaterThan(scoreOf(commands[1]!, ["model"]));
  });
});

describe("rights on a workspace", () => {
  const workspace = { owner_id: 2, team_ids: [] } as unknown as Workspace;
  const who = (id: number, role: WhoAmI["role"], teams: number[] = []): WhoAmI => ({
    id,
    name: "somebody",
    role,
    auth: "session",
    team_ids: teams,
  });
  test("lets admins share, and owners who lead the team", () => {
    expect(mayShare(who(1, "admin"), workspace, 5)).toBe(true);
    expect(mayShare(who(2, "team-lead", [5]), workspace, 5)).toBe(true);
    expect(mayShare(who(2, "team-lead", [6]), workspace, 5)).toBe(false);
    expect(mayShare(who(3, "team-lead", [5]), workspace, 5)).toBe(false);
    expect(mayShare(who(2, "member", [5]), workspace, 5)).toBe(false);
  });
  test("lets admins and the owner delete", () => {
    expect(owns(who(1, "admin"), workspace)).toBe(true);
    expect(owns(who(2, "member"), workspace)).toBe(true);
    expect(owns(who(3, "team-lead", [5]), workspace)).toBe(false);
  });
});
