// Goal: admins read, filter, export and verify the audit record on pages, and acknowledge its breaks; nobody else sees any administration.

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { roles } from "../../src/context/access/schema.ts";
import { signedIn, signIn, visitor, willSignIn } from "../kit/context/console.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";

const server = shared(() => contextServer());
const root = willSignIn(server, "root");

describe("the audit pages", () => {
  test("list records newest first in pages, and show one in full", async () => {
    await server.user("ada", "contributor");
    for (let count = 0; count < 103; count += 1) await server.admin.write(`many/${count}.md`, "text\n");
    const first = await root.get("/console/audit?action=file.write&space=team");
    const numbers = (links: readonly string[]) =>
      links.filter((link) => link.includes("/records/")).map((link) => Number(link.split("/").at(-1)));
    const next = await root.get(first.links.find((link) => link.includes("before="))!);
    const all = [...numbers(first.links), ...numbers(next.links)];
    expect([numbers(first.links).length, all.length]).toEqual([100, 103]);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    const page = await root.get(`/console/audit/records/${all[0]}`);
    expect([page.status, page.title]).toEqual([200, `Record ${all[0]} · Cairn`]);
    expect(page.text).toContain("many/102.md");
    // Much happens in one minute.
    expect([first.text, page.text].map((text) => /\d\d:\d\d:\d\d UTC/.test(text))).toEqual([true, true]);
    expect((await root.get("/console/audit/records/999999")).status).toBe(404);
    expect((await root.get("/console/audit/records/1e3")).status).toBe(404);
  });

  test("filter by person, result and whole days, and say what is wrong with a filter", async () => {
    const [added] = await server.audit("action=user.add&limit=1");
    const day = added!.time.slice(0, 10);
    const found = await root.get(`/console/audit?actor=root&action=user.add&since=${day}&until=${day}`);
    expect(found.links).toContain(`/console/audit/records/${added!.seq}`);
    expect((await root.get("/console/audit?until=2020-01-01")).text).toContain("No records match.");
    const bad = await root.get("/console/audit?since=soon");
    expect([bad.status, bad.problems["since"]]).toEqual([400, expect.stringContaining("expected a time")]);
    expect(bad.text).not.toContain("No records match");
    expect((await root.get("/console/audit?result=maybe")).status).toBe(400);
  });

  test("export what is filtered, and show counts", async () => {
    const list = await root.get("/console/audit?action=user.add");
    const csv = await root.get(list.links.find((link) => link.includes("format=csv"))!);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    const lines = csv.html.trim().split("\n");
    expect(lines[0]).toStartWith("seq,time,actor");
    expect(lines.slice(1).every((line) => line.includes("user.add"))).toBe(true);
    expect((await root.get("/console/audit/stats")).links).toContain("/console/audit?action=user.add");
  });

  test("verify the record, show a break, and acknowledge it with a record", async () => {
    const ok = await root.submit(await root.get("/console/audit/verify"), "/console/audit/verify");
    expect(ok.text).toContain("The record is intact");
    expect((await root.get("/console/audit/breaks")).text).toContain("No breaks.");
    await using broken = await contextServer();
    for (const path of ["a.md", "b.md"]) await broken.admin.write(path, "one\n");
    await broken.restart((directory) => {
      const file = join(directory, "audit", "audit.jsonl");
      writeFileSync(file, readFileSync(file, "utf8").replace("a.md", "x.md"));
    });
    const admin = await signedIn(broken, "root");
    const bad = await admin.submit(await admin.get("/console/audit/verify"), "/console/audit/verify");
    expect(bad.text).toMatch(/The record is broken line \d+: the line was edited/);
    const breaks = await admin.get("/console/audit/breaks");
    const link = breaks.links.find((one) => one.includes("acknowledge"))!;
    const done = await admin.submit(await admin.get(link), "/console/audit/acknowledge");
    expect(done.text).toContain("Acknowledged 1 break.");
    const again = await admin.submit(await admin.get(link), "/console/audit/acknowledge");
    expect([again.status, again.problems[""]]).toEqual([
      409,
      expect.stringContaining("nothing to acknowledge"),
    ]);
    expect((await broken.audit("action=audit.acknowledge")).length).toBe(2);
  });
});

/** One page of each kind; a page with a form takes it at the same address. */
const PAGES = [
  "/console/users",
  "/console/users/new",
  "/console/users/root",
  "/console/users/root/edit",
  "/console/users/root/password",
  "/console/users/root/disable",
  "/console/users/root/delete",
  "/console/users/root/access",
  "/console/users/root/tokens/revoke",
  "/console/access",
  "/console/webhooks",
  "/console/webhooks/new",
  "/console/webhooks/1",
  "/console/webhooks/dead-letters",
  "/console/audit",
  "/console/audit/records/1",
  "/console/audit/stats",
  "/console/audit/export?format=csv",
  "/console/audit/verify",
  "/console/audit/breaks",
  "/console/audit/acknowledge",
  "/console/backups",
  "/console/backups/live",
  "/console/settings",
];
const FORMS = [
  ["/console/users/new", { name: "mallory", role: "admin", everywhere: "yes" }],
  ["/console/users/root/edit", { role: "viewer", everywhere: "yes" }],
  ["/console/users/root/password", { password: "another password" }],
  ["/console/users/root/disable", {}],
  ["/console/users/root/enable", {}],
  ["/console/users/root/delete", { confirm: "root" }],
  ["/console/users/root/tokens", { label: "mine", days: "" }],
  ["/console/users/root/tokens/revoke", {}],
  ["/console/users/root/access", { rows: "0", do: "save" }],
  ["/console/webhooks/new", { url: "https://example.org/", everything: "yes" }],
  ["/console/webhooks/1/test", {}],
  ["/console/webhooks/1/delete", {}],
  ["/console/audit/verify", {}],
  ["/console/audit/acknowledge", { up_to: "1" }],
  ["/console/backups", {}],
  ["/console/backups/1/cancel", {}],
  ["/console/settings", {}],
] as const;

describe("administration", () => {
  test.each(roles)("is shown to an admin only, and refused with a record to a %s", async (role) => {
    const name = `a-${role}`;
    await server.user(name, role);
    const one = role === "admin" ? root : await signedIn(server, name);
    const home = await one.get("/console");
    expect(home.links.includes("/console/users")).toBe(role === "admin");
    if (role === "admin") return;
    const statuses = new Set<number>();
    for (const path of PAGES) statuses.add((await one.get(path)).status);
    const csrf = home.forms[0]!.fields["csrf"]!;
    for (const [path, fields] of FORMS) statuses.add((await one.post(path, { csrf, ...fields })).status);
    expect([...statuses]).toEqual([403]);
    const refused = await server.audit(`actor=${name}&action=request.refused&limit=100`);
    expect(refused.length).toBe(PAGES.length + FORMS.length);
    expect(refused.map(({ target }) => target)).toContain("POST /console/users/:user/delete");
    const names = (await server.admin.get("/users")).map((user) => user.name);
    expect([names.includes("root"), names.includes("mallory")]).toEqual([true, false]);
  });

  test("ends with the role, also for a page that is open", async () => {
    await server.user("nora", "admin");
    const nora = await signedIn(server, "nora");
    const page = await nora.get("/console/users/new");
    await server.admin.patch("/users/nora", { role: "viewer" });
    const refused = await nora.submit(page, "/console/users/new", { name: "late", role: "admin" });
    expect([refused.status, refused.title]).toEqual([403, "Not allowed · Cairn"]);
  });

  test("is nothing for strangers: each page leads to the sign-in and back", async () => {
    const one = visitor(server.url);
    for (const path of PAGES) expect((await one.get(path)).path).toStartWith("/console/login?next=");
    await server.admin.put("/users/root/password", { password: "correct horse battery" });
    const back = await signIn(one, "root", "correct horse battery");
    expect(back.path).toBe("/console");
  });
});
