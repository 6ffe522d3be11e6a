// Goal: names of everything that people name are normalised once, on input, and names that look the same are the same.

import { expect, test } from "bun:test";
import { type World, world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

interface Named {
  name: string;
}

/** Everything that people name, with its create request and conflict message. */
const nouns: {
  noun: string;
  clash: (name: string) => string;
  create: (at: World, name: string) => { path: string; body: object };
  longest: number;
}[] = [
  {
    noun: "user",
    longest: 100,
    clash: (name) => `name: a user named "${name}" already exists`,
    create: (_, name) => ({ path: "/users", body: { name } }),
  },
  {
    noun: "team",
    longest: 100,
    clash: (name) => `name: a team named "${name}" already exists`,
    create: (_, name) => ({ path: "/teams", body: { name } }),
  },
  {
    noun: "provider",
    longest: 100,
    clash: (name) => `name: a provider named "${name}" already exists`,
    create: (_, name) => ({ path: "/providers", body: { name, type: "anthropic" } }),
  },
  {
    noun: "workspace",
    longest: 100,
    clash: (name) => `name: you already have a workspace named "${name}"`,
    create: (at, name) => ({ path: "/workspaces", body: { name, orchestrator_model_id: at.bossId } }),
  },
  {
    noun: "agent",
    longest: 60,
    clash: () => 'name: an agent named "Café ﬁnal" already exists',
    create: (at, name) => ({ path: "/workspaces/1/agents", body: { name, role: "", model_id: at.bossId } }),
  },
];

for (const { noun, clash, create, longest } of nouns) {
  const post = async (at: World, name: string) => {
    const { path, body } = create(at, name);
    const made = await at.admin.post<Named & { user?: Named }>(path, body);
    return (made.user ?? made).name;
  };
  const refused = (at: World, name: string) => {
    const { path, body } = create(at, name);
    return refusalOf(at.admin.post(path, body));
  };

  test(`${noun}: trims white space, normalises Unicode, and refuses a name that looks the same`, async () => {
    await using at = await world({ model: "silent" });
    await at.workspace("first");

    expect(await post(at, "  Cafe\u0301 ﬁnal\u00a0\t")).toBe("Café ﬁnal");

    for (const same of [
      "Café ﬁnal",
      "café FINAL",
      "CAFE\u0301 final ",
      "Ｃａｆé ﬁnal",
      "\nCafé\u00a0final",
    ]) {
      expect(await refused(at, same)).toEqual({
        status: 409,
        code: "conflict",
        message: clash(same.normalize("NFC").trim()),
      });
    }
    expect(await post(at, "cafe final")).toBe("cafe final");
  });

  test(`${noun}: refuses empty and long names, and control and invisible characters, naming the field`, async () => {
    await using at = await world({ model: "silent" });
    await at.workspace("first");
    const invalid = (message: string) => ({ status: 400, code: "invalid", message: `name: ${message}` });

    for (const empty of ["", " ", "\t\n", "\u00a0\u3000"])
      expect(await refused(at, empty)).toEqual(invalid("must not be empty"));
    for (const hidden of [
      "a\u0000b",
      "a\u0007",
      "a\nb",
      "a\u200bb",
      "a\u202eb",
      "\u2066a",
      "a\u2060b",
      "a\ufeffb",
      "a\u0085b",
      "a\u200f",
    ]) {
      expect(await refused(at, hidden)).toEqual(invalid("must not contain control or invisible characters"));
    }
    expect(await refused(at, "a\ud800b")).toEqual(invalid("not valid Unicode"));
    const tooLong = longest === 100 ? "at most 100 characters" : `at most ${longest} characters for an agent`;
    expect(await refused(at, "x".repeat(longest + 1))).toEqual(invalid(tooLong));
    expect(await refused(at, "🧪".repeat(longest + 1))).toEqual(invalid(tooLong));
    expect(await post(at, "🧪".repeat(longest))).toBe("🧪".repeat(longest));
  });

  test(`${noun}: accepts any script, emoji, quotes, and text that looks like code`, async () => {
    await using at = await world({ model: "silent" });
    await at.workspace("first");
    for (const name of [
      "שלום עולם",
      "مرحبا",
      "日本語",
      "🚀",
      "a'b\"c",
      "<b>x</b>",
      "Robert'); DROP TABLE users;--",
      "../../etc",
      "%s%n",
      "${x}",
      "null",
      "0",
      "CON",
    ]) {
      expect(await post(at, name)).toBe(name);
    }
  });
}

test("applies the same rules to renaming, without a conflict with itself", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const [one, two] = [await at.in(lab.id).agent("One"), await at.in(lab.id).agent("Two")];
  const anna = await at.user("anna");

  expect(await at.admin.patch(`/agents/${one.id}`, { name: " ONE " })).toMatchObject({ name: "ONE" });
  await refusal(
    at.admin.patch(`/agents/${two.id}`, { name: "ｏｎｅ" }),
    "conflict",
    'name: an agent named "ONE" already exists',
  );
  await refusal(at.admin.patch(`/agents/${two.id}`, { name: "Orchestrator" }), "conflict");
  await refusal(at.admin.patch(`/users/${anna.id}`, { name: "ADMIN" }), "conflict");
  await refusal(
    at.admin.patch(`/users/${anna.id}`, { name: "\u200b" }),
    "invalid",
    "name: must not contain control or invisible characters",
  );
});

test("gives a name to exactly one of many concurrent requests", async () => {
  await using at = await world({ model: "silent" });
  await at.workspace("first");
  for (const { create, noun } of nouns) {
    const answers = await Promise.all(
      ["same", "SAME", " same", "ｓａｍｅ", "Same", "same ", "sAME", "same"].map((name) => {
        const { path, body } = create(at, name);
        return at.admin.raw("POST", path, { body });
      }),
    );
    expect({ noun, statuses: answers.map((answer) => answer.status).toSorted() }).toEqual({
      noun,
      statuses: [201, 409, 409, 409, 409, 409, 409, 409],
    });
  }
});

test("makes a branch of two path segments from any name", async () => {
  await using at = await world({ model: "silent" });
  const branches: [name: string, segment: string][] = [
    ["lab", "lab"],
    ["My Lab", "My Lab"],
    ["a/b\\c", "a-b-c"],
    ["..", "-"],
    ["../../etc/passwd", "--..-etc-passwd"],
    [".hidden", "-hidden"],
    ['c:*?"<>|', "c-------"],
    ["日本語", "日本語"],
    ["𝕏".repeat(100), "𝕏".repeat(25)],
    [`a${"é".repeat(99)}`, `a${"é".repeat(49)}`],
  ];
  for (const [name, segment] of branches) {
    const { id, branch, shared_branch } = await at.workspace(name);
    expect({ name, branch, shared_branch }).toEqual({
      name,
      branch: `workspaces/${segment}-${id}`,
      shared_branch: `workspaces/${segment}-${id}/shared`,
    });
  }
});
