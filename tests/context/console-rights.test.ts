// Goal: whoever has no right to something is shown neither the page nor the form for it, by every route that the console has: a space that they may
// not see is the page of one that does not exist, and a page for admins says that it is for admins.

import { beforeAll, describe, expect, test } from "bun:test";
import { contextServer, deny } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import { CONSOLE_ROUTES } from "../kit/context/console-routes.ts";
import { signedIn, type ConsolePage, type Visitor } from "../kit/context/console.ts";

const HIDDEN = "hidden/plan.md";
const PREFIX = "/console/spaces/:space";
/** For everyone who is signed in. */
const OWN = [
  "GET /console",
  "GET /console/live",
  "GET /console/spaces",
  "POST /console/logout",
  "GET /console/account",
  "POST /console/account/password",
  "GET /console/account/tokens/revoke",
  "POST /console/account/tokens/revoke",
  "GET /console/account/tokens/:id/revoke",
  "POST /console/account/tokens/:id/revoke",
];
/** Fields that let each form come as far as the question of rights. */
const FIELDS = {
  action: "save",
  base: "1",
  confirm: "v1",
  content: "x",
  current: "1",
  do: "save",
  keep: "ours",
  name: "x",
  path: HIDDEN,
  rows: "0",
  template: "blank",
  version: "1",
};

const inSpace = CONSOLE_ROUTES.filter(({ path }) => path.startsWith(PREFIX));
const forAdmins = CONSOLE_ROUTES.filter(({ path, name }) => !path.startsWith(PREFIX) && !OWN.includes(name));

const server = shared(() => contextServer());
beforeAll(async () => {
  for (const text of ["one\n", "two\n"]) await server.admin.write(HIDDEN, text);
  await server.admin.post("/spaces/team/snapshots", { name: "first" });
});

async function person(name: string, ...user: [role: "viewer" | "contributor", spaces?: string[]]) {
  await server.user(name, ...user);
  const one = await signedIn(server, name);
  const csrf = (await one.get("/console")).forms[0]!.fields["csrf"]!;
  const ask = (method: string, path: string) =>
    method === "GET" ? one.get(path) : one.post(path, { csrf, ...FIELDS });
  return { one, ask };
}

function addressOf(path: string, space: string, document = HIDDEN): string {
  const known: Record<string, string> = { space, user: "root", id: "1", delivery: "none" };
  const filled = path.replaceAll(/:([a-z]+)/g, (_, name: string) => known[name]!).replace("*", document);
  return filled.includes("/destroy/") ? `${filled}?version=1` : filled;
}

/** Everything that a person could compare. */
function seen({ status, title, text }: ConsolePage): string {
  return `${status} ${title} ${text.replace(/Request ID \S+/, "")}`;
}

describe("a user without any space", () => {
  test("finds the same page at every address of a space as where there is none", async () => {
    const { ask } = await person("nobody", "contributor", []);
    const shown = { GET: new Set<string>(), POST: new Set<string>() };
    for (const { method, path } of inSpace)
      for (const space of ["team", "nowhere"])
        shown[method].add(seen(await ask(method, addressOf(path, space))));
    const missing = expect.stringMatching(/^404 Not found · Cairn /);
    expect([[...shown.GET], [...shown.POST]]).toEqual([[missing], [missing]]);
    expect(inSpace.length).toBeGreaterThan(35);
  });

  test("is refused every page of the administration, whether or not there is what it names", async () => {
    const { one, ask } = await person("stranger", "contributor", []);
    const found: Record<string, number> = {};
    for (const { method, path, name } of forAdmins) {
      const page = await ask(method, addressOf(path, "team"));
      found[name] = page.status;
      expect(page.text).not.toContain("first sign-in");
    }
    expect(found).toEqual(Object.fromEntries(forAdmins.map(({ name }) => [name, 403])));
    expect(forAdmins.length).toBeGreaterThan(40);
    expect((await linksOf(one)).filter((link) => isForAdmins(link))).toEqual([]);
    expect((await server.admin.get("/users")).map(({ name }) => name)).not.toContain("x");
  });
});

describe("a contributor who may not see a document", () => {
  test("finds the same page at every address of it as at one of a document that does not exist", async () => {
    const { ask } = await person("hal", "contributor");
    await server.rules("hal", deny("hidden/**", "list", "read", "create", "update", "delete"));
    const shown: string[] = [];
    for (const { method, path } of inSpace.filter((route) => route.path.endsWith("*"))) {
      const [hidden, missing] = [addressOf(path, "team"), addressOf(path, "team", "hidden/none.md")];
      const [one, other] = [await ask(method, hidden), await ask(method, missing)].map((page) =>
        seen(page).replaceAll("plan.md", "none.md"),
      );
      if (one !== other) shown.push(`${method} ${hidden}: ${one?.slice(0, 200)} | ${other?.slice(0, 200)}`);
    }
    expect(shown).toEqual([]);
    expect(await server.admin.read(HIDDEN)).toBe("two\n");
  });
});

describe("a viewer", () => {
  test("is shown no form that would be refused, by its address either", async () => {
    const { ask } = await person("vic", "viewer");
    const forms = ["new", "edit/*", "remove/*", "destroy/*", "settings", "delete"].map(
      (area) => `${PREFIX}/${area}`,
    );
    expect(inSpace.filter(({ method, path }) => method === "GET" && forms.includes(path))).toHaveLength(6);
    for (const path of forms) {
      const page = await ask("GET", addressOf(path, "team"));
      expect([path, page.status, page.forms.map(({ action }) => action)]).toEqual([
        path,
        403,
        ["/console/logout"],
      ]);
    }
  });
});

async function linksOf(one: Visitor): Promise<readonly string[]> {
  return (await one.get("/console")).links;
}

function isForAdmins(link: string): boolean {
  return forAdmins.some(({ path }) => path === link);
}
