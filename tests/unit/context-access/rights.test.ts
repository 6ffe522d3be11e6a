// Goal: rights are what role, spaces and rules say, each combination on its own.

import { describe, expect, test } from "bun:test";
import { Rights } from "../../../src/context/access/rights.ts";
import type { AclRule, Capability, Role } from "../../../src/context/access/schema.ts";

const ROLES = ["viewer", "contributor", "space-lead", "admin"] as const satisfies readonly Role[];

function rule(effect: AclRule["effect"], path: string, ...capabilities: Capability[]): AclRule {
  return { effect, path, capabilities } as AclRule;
}

describe("rights", () => {
  test.each([
    ["viewer", "read", "identity/me.md", true],
    ["viewer", "list", "a.md", true],
    ["viewer", "update", "a.md", false],
    ["contributor", "update", "a.md", true],
    ["contributor", "update", "identity/me.md", false],
    ["contributor", "create", "Identity/me.md", false],
    ["contributor", "create", "identity", false],
    ["contributor", "create", "Identity", false],
    ["contributor", "create", "identity.md", true],
    ["space-lead", "update", "identity/me.md", true],
    ["admin", "delete", "identity/me.md", true],
  ] as const)("%s: %s %s: %p", (role, capability, path, expected) => {
    const plain = new Rights(role, ["team"], []);
    expect(plain.may(capability, "team", path)).toBe(expected);
    expect(plain.may(capability, "other", path)).toBe(false);
    // A rule about something else changes nothing.
    const ruled = new Rights(role, ["team"], [rule("deny", "team/elsewhere/**", "read")]);
    expect(ruled.may(capability, "team", path)).toBe(expected);
    expect(ruled.verdict(capability, "other", path)).toEqual({ allowed: false, by: "scope" });
  });

  test("reads a whole space only with no rule at all, in a space where the role counts", () => {
    const deny = rule("deny", "team/a/**", "read");
    const allow = rule("allow", "other/a/**", "read");
    const answers = [[], [deny], [allow], [deny, allow]].map((rules) =>
      ["team", "other"].map((space) => new Rights("viewer", ["team"], rules).readsAll(space)),
    );
    expect(answers).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [false, false],
    ]);
    expect(new Rights("viewer", null, []).readsAll("other")).toBe(true);
    expect(new Rights("viewer", ["team"], []).spaces()).toEqual(["team"]);
    expect(new Rights("viewer", null, []).spaces()).toBe(null);
  });

  test("sees a space by its role or by an allow rule that reaches into it", () => {
    const rights = new Rights("viewer", ["team"], [rule("allow", "other/a/**", "read")]);
    expect(["team", "other", "third"].map((space) => rights.sees(space))).toEqual([true, true, false]);
  });

  test.each([
    { rules: [], team: true, other: false },
    { rules: [rule("deny", "team/docs/**", "list")], team: false, other: false },
    // Denied is the reading, not the listing.
    { rules: [rule("deny", "team/docs/**", "read")], team: true, other: false },
    { rules: [rule("deny", "team/docs/*", "list")], team: true, other: false },
    { rules: [rule("deny", "team/docs/a*", "list")], team: true, other: false },
    { rules: [rule("deny", "TEAM/DOCS/**", "list")], team: false, other: false },
    { rules: [rule("allow", "other/docs/x/**", "list")], team: true, other: true },
    { rules: [rule("allow", "other/docs/x/**", "read")], team: true, other: false },
    {
      rules: [rule("allow", "other/docs/a.md", "list"), rule("deny", "**/a.md", "list")],
      team: true,
      other: false,
    },
    // As deep as is searched, and one level more.
    { rules: [rule("allow", "other/docs/1/2/3/4/5/6/7/8", "list")], team: true, other: true },
    { rules: [rule("allow", "other/docs/1/2/3/4/5/6/7/8/9", "list")], team: true, other: false },
  ])("lists below a directory: case %#", ({ rules, team, other }) => {
    const rights = new Rights("viewer", ["team"], rules);
    expect([rights.mayListBelow("team", "docs"), rights.mayListBelow("other", "docs")]).toEqual([
      team,
      other,
    ]);
  });

  test("changes a space by a role above viewer, or by an allow rule for more than list and read", () => {
    const changes = (role: Role, ...rules: AclRule[]) =>
      ["team", "other"].map((space) => new Rights(role, ["team"], rules).mayChange(space));
    expect(changes("viewer")).toEqual([false, false]);
    expect(changes("contributor")).toEqual([true, false]);
    expect(changes("viewer", rule("allow", "other/a", "list"))).toEqual([false, false]);
    expect(changes("viewer", rule("allow", "other/a", "read"))).toEqual([false, false]);
    expect(changes("viewer", rule("allow", "other/a", "read", "update"))).toEqual([false, true]);
    expect(changes("viewer", rule("allow", "team/a", "create"))).toEqual([true, false]);
  });

  test("a deny rule also covers other spellings of a name; an allow rule does not", () => {
    const denied = new Rights("admin", null, [rule("deny", "team/Café/**", "read")]);
    for (const path of ["Café/a", "café/a", "CAFE\u0301/a", "cafe\u0301/A"])
      expect([path, denied.may("read", "team", path)]).toEqual([path, false]);
    const allowed = new Rights("viewer", [], [rule("allow", "team/Docs/**", "read")]);
    expect(["Docs/a", "docs/a"].map((path) => allowed.may("read", "team", path))).toEqual([true, false]);
  });

  test("are equal only with the same role, spaces and rules", () => {
    const rights = (role: Role, spaces: string[] | null, ...rules: AclRule[]) =>
      new Rights(role, spaces, rules);
    const some = rights("viewer", ["team"], rule("deny", "team/a", "read"));
    const others = [
      rights("viewer", ["team"], rule("deny", "team/a", "read")),
      rights("admin", ["team"], rule("deny", "team/a", "read")),
      rights("viewer", null, rule("deny", "team/a", "read")),
      rights("viewer", ["team"], rule("deny", "team/a", "list")),
      rights("viewer", ["team"]),
    ];
    expect(others.map((one) => some.isSame(one))).toEqual([true, false, false, false, false]);
  });

  test("give a lead and an admin their duties only in their spaces", () => {
    const duties = ROLES.map((role) => {
      const rights = new Rights(role, ["team"], []);
      return (["lead", "admin"] as const).flatMap((duty) => [
        rights.has(duty, "team"),
        rights.has(duty, "other"),
      ]);
    });
    expect(duties).toEqual([
      [false, false, false, false],
      [false, false, false, false],
      [true, false, false, false],
      [true, false, true, false],
    ]);
  });
});
