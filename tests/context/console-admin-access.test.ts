// Goal: admins edit the access rules of a user as rows, with each mistake at its row, and learn why someone may or may not do something.

import { describe, expect, test } from "bun:test";
import { type ConsolePage, willSignIn } from "../kit/context/console.ts";
import { contextServer, deny } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";

const server = shared(() => contextServer());
const root = willSignIn(server, "root");

const pathOf = (user: string) => `/console/users/${user}/access`;
const row = (index: number, space: string, pattern: string, effect = "deny") => ({
  [`rules.${index}.effect`]: effect,
  [`rules.${index}.space`]: space,
  [`rules.${index}.pattern`]: pattern,
});
const fieldsOf = (page: ConsolePage, user: string) =>
  page.forms.find(({ action }) => action === pathOf(user))!.fields;
const save = (page: ConsolePage, user: string, fields: Record<string, string>, act = "save") =>
  root.submit(page, pathOf(user), { ...fields, do: act });

describe("access rules", () => {
  test("are added in rows, without scripts, and count at once", async () => {
    const ada = await server.user("ada", "viewer");
    await server.admin.write("private/plan.md", "plan\n");
    const more = await save(await root.get(pathOf("ada")), "ada", row(0, "team", "private/**"), "row");
    expect(fieldsOf(more, "ada")).toMatchObject({ rows: "2", "rules.0.pattern": "private/**" });
    expect((await server.admin.get("/users/ada/acl")).rules).toEqual([]);
    const saved = await save(more, "ada", row(1, "team", "open/*.md", "allow"));
    expect(saved.text).toContain("Saved 2 rules.");
    expect((await server.admin.get("/users/ada/acl")).rules).toEqual([
      { effect: "deny", path: "team/private/**", capabilities: ["list", "read"] },
      { effect: "allow", path: "team/open/*.md", capabilities: ["list", "read"] },
    ]);
    expect((await ada.raw("GET", "/spaces/team/files/private/plan.md")).status).toBe(404);
    const cleared = await save(saved, "ada", row(0, "", ""));
    expect(cleared.text).toContain("Saved 1 rule.");
    expect((await ada.raw("GET", "/spaces/team/files/private/plan.md")).status).toBe(200);
  });

  test.each<[string, Record<string, string>, Record<string, RegExp>]>([
    ["brackets", row(1, "team", "a/[x]"), { "rules.1": /only \* and \*\* are wildcards/ }],
    ["** within a name", row(1, "team", "a**"), { "rules.1": /\*\* must be a whole segment/ }],
    ["no pattern", row(1, "team", ""), { "rules.1": /expected <space>\/<path>/ }],
    ["4,000 characters", row(1, "team", "a".repeat(4_000)), { "rules.1": /at most 1024 characters/ }],
    ["another effect", row(1, "team", "b", "maybe"), { "rules.1": /expected one of: allow, deny/ }],
  ])("with %s are refused at the row, and nothing is saved", async (_, fields, problems) => {
    await server.admin.delete("/users/eve").catch(() => undefined);
    await server.user("eve", "viewer");
    await server.rules("eve", deny("kept/**", "read"));
    const page = await save(await root.get(pathOf("eve")), "eve", fields);
    expect([page.status, page.problems]).toEqual([
      400,
      Object.fromEntries(Object.entries(problems).map(([name, text]) => [name, expect.stringMatching(text)])),
    ]);
    expect(fieldsOf(page, "eve")).toMatchObject(fields["rules.1.effect"] === "maybe" ? {} : fields);
    expect((await server.admin.get("/users/eve/acl")).rules).toHaveLength(1);
  });

  test("without a permission are refused at the row", async () => {
    await server.user("ida", "viewer");
    const page = await root.get(pathOf("ida"));
    const { "rules.0.list": _list, "rules.0.read": _read, ...fields } = fieldsOf(page, "ida");
    const refused = await root.post(pathOf("ida"), { ...fields, ...row(0, "team", "x/**"), do: "save" });
    expect([refused.status, refused.problems]).toEqual([400, { "rules.0": "must not be empty" }]);
  });

  test("that someone else changed meanwhile are not overwritten, and what was typed stays", async () => {
    await server.user("finn", "viewer");
    const page = await root.get(pathOf("finn"));
    await server.rules("finn", deny("other/**", "read"));
    const refused = await save(page, "finn", row(0, "team", "mine/**"));
    expect([refused.status, refused.problems[""]]).toEqual([
      412,
      "the rules of finn have changed in the meantime",
    ]);
    expect(fieldsOf(refused, "finn")).toMatchObject({ "rules.0.pattern": "mine/**" });
    expect((await server.admin.get("/users/finn/acl")).rules).toHaveLength(1);
  });

  test("are edited in pages of 100, and rows of other pages stay", async () => {
    await server.user("gus", "viewer");
    await server.rules("gus", ...Array.from({ length: 103 }, (_, index) => deny(`d${index}/**`, "read")));
    const first = await root.get(pathOf("gus"));
    const second = await root.get(first.links.find((link) => link.includes("from=100"))!);
    const saved = await save(second, "gus", row(102, "team", "changed/**"));
    expect(saved.text).toContain("Saved 103 rules.");
    const paths = (await server.admin.get("/users/gus/acl")).rules.map(({ path }) => path);
    expect([paths.length, paths[0], paths[102]]).toEqual([103, "team/d0/**", "team/changed/**"]);
  });
});

describe("explaining access", () => {
  const ask = (fields: Record<string, string>) => root.get(`/console/access?${new URLSearchParams(fields)}`);

  test("names the rule or the role that decides each permission", async () => {
    await server.user("hana", "contributor");
    await server.rules("hana", deny("a &lt; b/**", "delete"));
    const page = await ask({ user: "hana", space: "team", path: "a &lt; b/a.md" });
    expect(page.status).toBe(200);
    expect(page.text).toContain(
      'delete Denied the rule "deny team/a &lt; b/**" denies it; deny rules take precedence',
    );
    expect(page.text).toContain("read Allowed no rule matches, and the role contributor may read there");
    expect(page.html).toContain("a &amp;lt; b");
  });

  test.each([
    [{ user: "nobody", space: "team", path: "a.md" }, { user: 'no user "nobody"' }],
    [{ user: "root", space: "team", path: "../a.md" }, { path: expect.stringContaining("..") }],
  ])("of %o is refused at its field", async (fields, problems) => {
    const page = await ask(fields);
    expect([page.status, page.problems]).toEqual([400, problems]);
  });
});
