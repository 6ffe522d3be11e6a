// Goal: for random users and rules, every route agrees with `acl explain`: denied files are invisible and immutable, allowed operations work.

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import {
  capabilities,
  roles,
  type AclRule,
  type Capability,
  type Role,
} from "../../src/context/access/schema.ts";
import type { FileRecord, NetChange } from "../../src/context/versioned-store/schema.ts";
import {
  deny,
  contextServer,
  filePath,
  type ContextClient,
  type ContextServer,
} from "../kit/context/context-server.ts";
import { errorIn } from "../kit/http/client.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const RUNS = 25;
const RUNS_LIMIT_MS = 240_000;

const FILES = [
  "readme.md",
  "docs/a.md",
  "docs/deep/b.md",
  "secret/plan.md",
  "identity/me.md",
  "x/docs/a.md",
] as const;

interface Person {
  role: Role;
  spaces: string[] | null;
  rules: AclRule[];
}

const globs =
  "team/** */** team/docs/** team/docs/* team/**/a.md team/secret/** team/SECRET/** team/readme.md team/* team/identity/** other/** **/plan.md";
const glob = fc.constantFrom(...globs.split(" "));
const rule: fc.Arbitrary<AclRule> = fc.record({
  effect: fc.constantFrom("allow", "deny"),
  path: glob,
  capabilities: fc.uniqueArray(fc.constantFrom(...capabilities), { minLength: 1 }),
});
const person: fc.Arbitrary<Person> = fc.record({
  role: fc.constantFrom(...roles.filter((role) => role !== "admin")),
  spaces: fc.constantFrom(null, ["team"], ["other"], []),
  rules: fc.array(rule, { maxLength: 4 }),
});

/** Returns the rights of a user in each file, as the server explains them. */
async function explained(
  server: ContextServer,
  user: string,
): Promise<Record<string, Record<Capability, boolean>>> {
  const all: Record<string, Record<Capability, boolean>> = {};
  for (const path of FILES) {
    const one = {} as Record<Capability, boolean>;
    for (const capability of capabilities) {
      const query = `user=${user}&path=${encodeURIComponent(`team/${path}`)}&capability=${capability}`;
      one[capability] = (await server.admin.get(`/acl/explain?${query}`)).allowed;
    }
    all[path] = one;
  }
  return all;
}

const push = (client: ContextClient, op: object) =>
  client.raw("POST", "/spaces/team/push", { body: { ops: [op] } });

describe("with random users and rules", () => {
  test(
    "every route agrees with explain, for every file",
    async () => {
      await using server = await contextServer();
      const { admin } = server;
      await admin.post("/spaces", { name: "other", template: "blank" });
      // Sync rules must not interfere with pushes here.
      await admin.put("/spaces/team/sync", {});
      const { head } = await admin.get("/spaces/team");
      for (const path of FILES) await admin.write(path, `content of ${path}`);
      let count = 0;
      await fc.assert(
        fc.asyncProperty(person, async ({ role, spaces, rules }) => {
          const name = `user-${(count += 1)}`;
          const { token } = await admin.post("/users", { name, role, spaces });
          await admin.put(`/users/${name}/acl`, { rules });
          const client = server.as(token);
          const may = await explained(server, name);
          const sees = (await client.raw("GET", "/spaces/team")).status === 200;
          // A space exists for every user who may do anything in it.
          if (FILES.some((path) => Object.values(may[path]!).some(Boolean))) expect(sees).toBe(true);

          const expectedList = sees ? FILES.filter((path) => may[path]!.list).toSorted() : undefined;
          const pathsOf = async (place: string, key?: "changes") => {
            const response = await client.raw("GET", place);
            if (response.status === 404) return undefined;
            const body = (await response.json()) as { changes: NetChange[] } & FileRecord[];
            const found = (key ? body[key] : body).map(({ path }) => path);
            return found.filter((path) => (FILES as readonly string[]).includes(path)).toSorted();
          };
          expect(await pathsOf("/spaces/team/files")).toEqual(expectedList!);
          expect(await pathsOf("/spaces/team/files?deleted=1")).toEqual(expectedList!);
          const now = (await admin.get("/spaces/team")).head;
          expect(await pathsOf(`/spaces/team/files?at=${now}`)).toEqual(expectedList!);
          expect(await pathsOf(`/spaces/team/changes?since=${head}`, "changes")).toEqual(expectedList!);

          for (const path of FILES) {
            const { list, read, create, update, delete: remove } = may[path]!;
            const hidden = {
              status: 404,
              code: "not_found",
              message: sees ? `file ${path}: not found` : "space team: not found",
              ...(sees && { details: { path } }),
            };
            const known = list || read;
            const about = { name, role, spaces, rules, path, may: may[path] };
            const told = (found: object, expected: object) =>
              expect({ ...about, ...found }).toEqual({ ...about, ...expected });
            const judged = async (
              answer: Promise<Response> | Response,
              allowed: boolean,
              isKnown: boolean,
            ) => {
              const response = await answer;
              if (allowed) return told({ status: response.status }, { status: 200 });
              const refused = await refusalOf(response);
              if (isKnown) return told({ status: refused.status }, { status: 403 });
              told(refused, hidden);
            };
            const judgedPush = async (answer: Response) => {
              const error = errorIn(await answer.clone().text());
              if (error?.message !== `${name} (${role}) may not change team`)
                return judged(answer, false, known);
              // The refusal names the space, not the path: this user may change nothing in it.
              const changeable = Object.values(may).filter((one) => one.create || one.update || one.delete);
              told({ status: answer.status, changeable }, { status: 403, changeable: [] });
            };
            await judged(client.raw("GET", filePath(path)), read, list);
            await judged(client.raw("GET", filePath(path, "history")), read, list);
            await judged(client.raw("GET", `${filePath(path, "diff")}?from=0&to=1`), read, list);
            await judged(client.raw("POST", "/spaces/team/pull", { body: { paths: [path] } }), read, list);
            // Unchanged content is refused like any other.
            const same = `content of ${path}`;
            const content_b64 = Buffer.from(same).toString("base64");
            if (!known || !(create || update)) {
              await judged(client.raw("PUT", filePath(path), { body: "other" }), false, known);
              await judgedPush(await push(client, { op: "put", path, content_b64 }));
            } else {
              const answer = await client.raw("PUT", filePath(path), { body: "changed" });
              told({ status: answer.status }, { status: update ? 200 : 403 });
              if (update) await admin.write(path, same);
              const beside = `${path}.${name}`;
              const asked = `user=${name}&path=team/${encodeURIComponent(beside)}&capability=create`;
              const { allowed } = await admin.get(`/acl/explain?${asked}`);
              const made = await client.raw("PUT", filePath(beside), { body: "new" });
              if (made.status === 201) await admin.raw("DELETE", filePath(beside));
              told({ made: made.status === 201 }, { made: allowed && made.status !== 404 });
            }
            if (!known || !remove) {
              await judged(client.raw("DELETE", filePath(path)), false, known);
              await judgedPush(await push(client, { op: "delete", path }));
            } else {
              await judged(client.raw("DELETE", filePath(path)), true, known);
              await admin.raw("POST", filePath(path, "undelete"));
            }
            // Only leads may destroy, whatever the rules grant.
            if (role !== "space-lead") {
              const { status } = await client.raw("DELETE", `${filePath(path, "versions")}?version=1`);
              told({ status }, { status: sees ? 403 : 404 });
            }
          }
        }),
        { numRuns: RUNS },
      );
    },
    RUNS_LIMIT_MS,
  );

  test("a clash does not reveal the name of a file that the caller may not list", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "contributor");
    await server.admin.write("vault/takeover.md", "x");
    await server.rules("Ann", deny("vault/**", "list", "read"));
    for (const path of ["vault", "Vault"]) {
      const taken = "path: the name is already taken or clashes with another";
      await refusal(ann.raw("PUT", filePath(path), { body: "x" }), "conflict", taken);
    }
  });

  test("listings show what a rule allows, and hide everything below what a rule denies", async () => {
    await using server = await contextServer({ files: { "\u65e5\u672c/a.md": "x", "vault/b.md": "x" } });
    const { admin } = server;
    const tree = server.inSpace();
    // The working tree may lag a moment.
    for (const folder of ["vault/.git", "\u65e5\u672c"]) mkdirSync(join(tree, folder), { recursive: true });
    // Folding gives the second one an extra slash.
    for (const name of ["a:b.md", "\u2100.md"]) writeFileSync(join(tree, "vault", name), "x");
    writeFileSync(join(tree, "\u65e5\u672c", "c:d.md"), "x");
    const seen = async (client: ContextClient) =>
      (await client.get("/spaces/team/files")).map(({ path }) => path);
    const only = await server.user("Ann", "viewer");
    await admin.patch("/users/Ann", { spaces: [] });
    const allow: AclRule = { effect: "allow", path: "team/\u65e5\u672c/**", capabilities: ["list", "read"] };
    await admin.put("/users/Ann/acl", { rules: [allow] });
    expect(await seen(only)).toEqual(["\u65e5\u672c/a.md", "\u65e5\u672c/c:d.md"]);
    const other = await server.user("Bob", "viewer");
    await admin.put("/users/Bob/acl", { rules: [deny("vault/*", "list")] });
    expect(await seen(other)).toEqual(["\u65e5\u672c/a.md", "\u65e5\u672c/c:d.md"]);
    expect(await seen(admin)).toContain("vault/\u2100.md");
  });

  test("restoring a snapshot changes no file that the lead may not change", async () => {
    await using server = await contextServer();
    const lee = await server.user("Lee", "space-lead");
    await server.admin.write("a.md", "one");
    await server.admin.write("vault/b.md", "one");
    const { id } = await server.admin.post("/spaces/team/snapshots", { name: "before" });
    await server.admin.write("a.md", "two");
    await server.admin.write("vault/b.md", "two");
    await server.rules("Lee", deny("vault/**", "update"));
    await refusal(lee.raw("POST", `/spaces/team/snapshots/${id}/restore`), "forbidden");
    const contents = () => Promise.all(["a.md", "vault/b.md"].map((path) => server.admin.read(path)));
    expect(await contents()).toEqual(["two", "two"]);
    await server.admin.delete("/users/Lee/acl");
    await lee.post(`/spaces/team/snapshots/${id}/restore`);
    expect(await contents()).toEqual(["one", "one"]);
  });

  test("an operation on a whole space names no file that the lead may not see, in results or refusals", async () => {
    await using server = await contextServer();
    const lee = await server.user("Lee", "space-lead");
    await server.admin.write("vault/takeover.md", "one");
    const { id } = await server.admin.post("/spaces/team/snapshots", { name: "before" });
    await server.admin.write("vault/takeover.md", "two");
    await server.admin.write("open.md", "two");
    const denied = (...kinds: Capability[]) => server.rules("Lee", deny("vault/*", ...kinds));
    const restore = `/spaces/team/snapshots/${id}/restore`;
    const unseen = "blocked by a file that you cannot see";

    await denied("list", "read", "update");
    await refusal(lee.post(restore), "forbidden", unseen);
    const byHand = server.inSpace("vault", "plan.md");
    writeFileSync(byHand, `key: ${"ghp_"}${"a1B2".repeat(9)}`);
    writeFileSync(server.inSpace("vault", "a:b.md"), "x");
    const nothing = { adopted: [], refused: [] };
    expect(await lee.post("/spaces/team/adopt")).toMatchObject(nothing);
    const listed = await lee.get("/spaces/team/files");
    expect(listed.map(({ path }) => path)).toEqual(["open.md"]);
    const [record] = await server.admin.get("/audit?actor=Lee&action=file.adopt&result=error");
    expect(record?.error).toContain("vault/plan.md: line 1");

    writeFileSync(byHand, "the plan");
    await denied("list", "read");
    expect(await lee.post("/spaces/team/adopt")).toMatchObject(nothing);
    expect(await server.admin.read("vault/plan.md", "?version=1")).toBe("the plan");
    expect(await lee.post(restore)).toMatchObject({ files: ["open.md"] });
    expect(await server.admin.read("vault/takeover.md")).toBe("one");
  });
});
