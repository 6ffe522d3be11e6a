// Goal: admins manage users and tokens on pages that work without scripts, under the rules of the API; everyone manages their own password and
// tokens, and nobody else gets any of it.

import { describe, expect, test } from "bun:test";
import { PASSWORD, signedIn, signIn, visitor, type ConsolePage, willSignIn } from "../kit/context/console.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";

const server = shared(() => contextServer());
const root = willSignIn(server, "root");

const told = ({ html }: ConsolePage) => /role="status"><p[^>]*>(.*?)<\/p>/s.exec(html)?.[1];
const secret = ({ html }: ConsolePage) => /console-secret"[^>]*>(.*?)</s.exec(html)?.[1];
const userPath = (name: string, below = "") => `/console/users/${encodeURIComponent(name)}${below}`;

describe("users", () => {
  test("an admin creates one, with a role in some spaces, and the token works", async () => {
    const form = await root.get("/console/users/new");
    const page = await root.submit(form, "/console/users/new", {
      name: "ada",
      role: "viewer",
      everywhere: "no",
      "space team": "on",
      password: PASSWORD,
    });
    expect([page.status, page.path, page.title]).toEqual([200, "/console/users/ada", "ada · Cairn"]);
    const who = await server.as(secret(page)!).get("/auth/whoami");
    expect(who).toEqual({ name: "ada", role: "viewer", spaces: ["team"], auth: "token" });
    expect(secret(await root.get(page.path))).toBeUndefined();
    expect((await signIn(visitor(server.url), "ada", PASSWORD)).path).toBe("/console");
    expect((await root.get("/console/users")).links).toContain("/console/users/ada");
  });

  test.each<[Record<string, string>, number, Record<string, RegExp>]>([
    [{ name: "" }, 400, { name: /^must not be empty/ }],
    [{ name: "ROOT" }, 409, { name: /^a user "ROOT" already exists/ }],
    [{ name: "a\u202eb" }, 400, { name: /^must not contain control or invisible/ }],
    [{ name: "n".repeat(4_000) }, 400, { name: /^at most 100 characters/ }],
    [{ name: "server" }, 400, { name: /reserved name/ }],
    [{ name: "eve", password: "short" }, 400, { password: /^at least 8 characters/ }],
    [{ name: "eve", role: "owner" }, 400, { role: /^expected one of: admin/ }],
  ])("a form with %o is refused at its field", async (fields, status, problems) => {
    const page = await root.submit(await root.get("/console/users/new"), "/console/users/new", fields);
    expect([page.status, page.path]).toEqual([status, "/console/users/new"]);
    expect(page.problems).toEqual(
      Object.fromEntries(Object.entries(problems).map(([name, text]) => [name, expect.stringMatching(text)])),
    );
    expect((await server.admin.get("/users")).map(({ name }) => name)).not.toContain("eve");
  });

  test("a name with markup and a slash is shown as text, and its page works", async () => {
    const name = `<b>eve</b> & "co"/x`;
    await server.user(name, "viewer");
    const list = await root.get("/console/users");
    expect(list.html).not.toContain("<b>eve");
    const page = await root.get(userPath(name));
    expect([page.status, page.title]).toEqual([200, `${name} · Cairn`]);
    const asked = await root.get(userPath(name, "/delete"));
    const wrong = await root.submit(asked, userPath(name, "/delete"), { confirm: "eve" });
    expect([wrong.status, wrong.problems]).toEqual([400, { confirm: `type ${name} to confirm` }]);
    const gone = await root.submit(wrong, userPath(name, "/delete"), { confirm: name });
    expect([gone.path, (await root.get(userPath(name))).status]).toEqual(["/console/users", 404]);
  });

  test("a changed role counts at once, and the form shows what is in force", async () => {
    const bob = await server.user("bob", "contributor");
    const form = await root.get(userPath("bob", "/edit"));
    expect(form.forms.at(-1)!.fields).toMatchObject({ role: "contributor", everywhere: "yes" });
    await root.submit(form, userPath("bob", "/edit"), { role: "space-lead", everywhere: "no" });
    expect(await bob.get("/auth/whoami")).toMatchObject({ role: "space-lead", spaces: [] });
  });

  test("disabling says what ends and ends it; enabling brings no token back", async () => {
    const carl = await server.user("carl", "viewer");
    const session = await signedIn(server, "carl");
    const asked = await root.get(userPath("carl", "/disable"));
    expect(asked.text).toContain("Revokes 1 token and ends every session of carl at once.");
    const page = await root.submit(asked, userPath("carl", "/disable"));
    expect(told(page)).toBe("Disabled carl and revoked 1 token.");
    expect((await session.get("/console")).path).toBe("/console/login");
    await root.submit(page, userPath("carl", "/enable"));
    expect((await carl.raw("GET", "/auth/whoami")).status).toBe(401);
    expect((await signIn(visitor(server.url), "carl", PASSWORD)).path).toBe("/console");
  });

  test("the last admin stays, and the page says why", async () => {
    const page = await root.submit(
      await root.get(userPath("root", "/disable")),
      userPath("root", "/disable"),
    );
    expect([page.status, page.problems[""]]).toEqual([422, expect.stringContaining("is the last admin")]);
  });

  test("lists are paged by name", async () => {
    for (let count = 0; count < 101; count += 1) await server.user(`many-${count}`, "viewer");
    const first = await root.get("/console/users");
    const next = first.links.find((link) => link.includes("after="))!;
    const names = (page: ConsolePage) => page.links.filter((link) => /users\/many-\d+$/.test(link));
    const second = await root.get(next);
    expect(new Set([...names(first), ...names(second)]).size).toBe(101);
    expect(names(first).length + names(second).length).toBe(101);
    const found = await root.get("/console/users?q=MANY-");
    const rest = await root.get(found.links.find((link) => link.includes("after="))!);
    expect([names(found).length, names(rest).length, rest.links.includes("/console/users?q=MANY-")]).toEqual([
      100,
      1,
      true,
    ]);
    const one = await root.get("/console/users?q=y-42");
    expect([names(one), one.text.includes("the only user")]).toEqual([["/console/users/many-42"], false]);
    const none = await root.get("/console/users?q=%3Cb%3E");
    expect([none.text.includes("No name contains “ <b> ”."), none.links.includes("/console/users")]).toEqual([
      true,
      true,
    ]);
  });
});

describe("tokens of a user", () => {
  test("are created with a label and an expiry, listed, and revoked one by one or all", async () => {
    await server.user("dora", "viewer");
    const page = await root.submit(await root.get(userPath("dora")), userPath("dora", "/tokens"), {
      label: "laptop <1>",
      days: "30",
    });
    const client = server.as(secret(page)!);
    expect((await client.raw("GET", "/auth/whoami")).status).toBe(200);
    expect(page.text).toContain("laptop <1>");
    const tokens = await server.admin.get("/users/dora/tokens");
    const { id, expires_at: expiry } = tokens.find(({ label }) => label === "laptop <1>")!;
    expect(Date.parse(expiry!) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    const revoke = userPath("dora", `/tokens/${id}/revoke`);
    await root.submit(await root.get(revoke), revoke);
    expect((await client.raw("GET", "/auth/whoami")).status).toBe(401);
    expect((await root.get(revoke)).status).toBe(404);
    const all = userPath("dora", "/tokens/revoke");
    expect(told(await root.submit(await root.get(all), all))).toBe("Revoked 1 token of dora.");
    expect((await root.get(userPath("dora"))).text).toContain("No valid tokens.");
  });

  test.each([
    [{ days: "soon" }, { days: "expected a whole number from 0" }],
    [{ days: "0" }, { days: "at least 1" }],
    [{ days: "99999" }, { days: "at most 3,650" }],
    [{ label: "x".repeat(101) }, { label: "at most 100 characters" }],
  ])("%o is refused at its field, and what was typed stays", async (fields, problems) => {
    const page = await root.submit(await root.get(userPath("root")), userPath("root", "/tokens"), fields);
    expect([page.status, page.problems]).toEqual([400, problems]);
    expect(page.forms.find(({ action }) => action.endsWith("/tokens"))!.fields).toMatchObject(fields);
  });
});

describe("my account", () => {
  test("shows own tokens only, and revokes them", async () => {
    const own = await server.user("finn", "viewer");
    const finn = await signedIn(server, "finn");
    const page = await finn.get("/console/account");
    expect(page.text).toContain("first token");
    const [foreign] = await server.admin.get("/users/root/tokens");
    const path = `/console/account/tokens/${foreign!.id}/revoke`;
    const csrf = page.forms[0]!.fields["csrf"]!;
    expect([(await finn.get(path)).status, (await finn.post(path, { csrf })).status]).toEqual([404, 404]);
    const all = "/console/account/tokens/revoke";
    expect(told(await finn.submit(await finn.get(all), all))).toBe("Revoked 1 token.");
    expect((await own.raw("GET", "/auth/whoami")).status).toBe(401);
    expect((await finn.get("/console/account")).status).toBe(200);
  });

  test("changes the own password with the current one, and ends other sessions", async () => {
    await server.user("gus", "viewer");
    const [here, elsewhere] = [await signedIn(server, "gus"), await signedIn(server, "gus")];
    // Giving a password for the second session has ended the first one.
    const gus = elsewhere;
    expect((await here.get("/console")).path).toBe("/console/login");
    const other = visitor(server.url);
    await signIn(other, "gus", PASSWORD);
    const form = await gus.get("/console/account");
    const action = "/console/account/password";
    const wrong = await gus.submit(form, action, { current: "wrong password", password: "a new password" });
    expect([wrong.status, Object.keys(wrong.problems)]).toEqual([422, ["current"]]);
    const short = await gus.submit(form, action, { current: PASSWORD, password: "short" });
    expect([short.status, short.problems]).toEqual([400, { password: "at least 8 characters" }]);
    const done = await gus.submit(form, action, { current: PASSWORD, password: "a new password" });
    expect(told(done)).toBe("Changed your password. Your other sessions have ended.");
    expect((await other.get("/console")).path).toBe("/console/login");
    expect((await signIn(visitor(server.url), "gus", "a new password")).path).toBe("/console");
  });

  test("five wrong passwords there lock the account, as at the login", async () => {
    await server.user("hana", "viewer");
    const hana = await signedIn(server, "hana");
    const form = await hana.get("/console/account");
    const typed = { current: "wrong password", password: "a new password" };
    for (let count = 0; count < 5; count += 1) await hana.submit(form, "/console/account/password", typed);
    const right = { ...typed, current: PASSWORD };
    expect((await hana.submit(form, "/console/account/password", right)).status).toBe(422);
    expect((await server.admin.get("/users/hana")).locked_until).not.toBeNull();
    const [locked] = await server.audit("action=auth.locked&limit=1");
    expect(locked!.actor.name).toBe("hana");
  });
});
