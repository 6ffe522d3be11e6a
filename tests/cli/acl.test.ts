// Goal: an admin sees the rules of all users, however many users there are, and hears of a rule that protects nothing.

import { expect, test } from "bun:test";
import type { Acl } from "../../src/context/access/schema.ts";
import { cairnAt, stoppedContext } from "../kit/cli/cairn.ts";
import { contextServer, deny } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { frontOf } from "../kit/http/front.ts";
import { refusal } from "../kit/http/refusal.ts";

const USERS = 9;
/** As many as fit on one page. */
const RULES_PER_PAGE = 1_000;

test("acl list asks for the rules of all users page by page, not for each user", async () => {
  const people = Object.fromEntries(
    Array.from({ length: USERS }, (_, index) => [`user${index}`, "viewer"] as const),
  );
  await using server = await contextServer({ people });
  await using folder = await temporaryFolder();
  await using front = frontOf(() => server.url);
  let asked = 0;
  front.answer = () => void (asked += 1);
  const at = cairnAt(["--server", front.url], {
    environment: { HOME: folder.path, SERVICE_TOKEN: server.admin.token },
  });
  const rules = (count: number) =>
    Array.from({ length: count }, (_, index) => deny(`docs/${index}/**`, "read"));
  expect(await at.printed("acl", "list")).toBe("no user has rules; roles decide\n");
  await server.rules("user1", ...rules(RULES_PER_PAGE - 1));
  await server.rules("user2", ...rules(2));
  await server.rules("user8", ...rules(1));
  const page = async (query = "") =>
    (await server.admin.get(`/acl${query}`)).map(({ user, rules: { length } }) => [user, length]);
  expect(await page()).toEqual([["user1", RULES_PER_PAGE - 1]]);
  expect(await page("?after=USER1")).toEqual([
    ["user2", 2],
    ["user8", 1],
  ]);
  expect(await page("?after=user8")).toEqual([]);
  const viewer = await server.user("vera", "viewer");
  await refusal(viewer.raw("GET", "/acl"), "forbidden");

  asked = 0;
  const all = await at.data<Acl[]>("acl", "list");
  expect(all.map(({ user }) => user)).toEqual(["user1", "user2", "user8"]);
  expect(all[1]).toEqual(await server.admin.get("/users/user2/acl"));
  // Two pages, and the answer after the last one.
  expect(asked).toBe(3);
});

test("a rule for a space that is not there says so, and is kept", async () => {
  await using server = await stoppedContext("blank");
  const says = 'warning: no space "mian" found; the rule applies once there is one\n';
  await server.printed("user", "add", "bob", "--role", "viewer", "--json");
  const added = await server.cairn("acl", "deny", "bob", "mian/finance/**", "--json");
  expect([added.exitCode, added.stderr]).toEqual([0, says]);
  expect((JSON.parse(added.stdout) as Acl).rules.map(({ path }) => path)).toEqual(["mian/finance/**"]);
  for (const pattern of ["main/finance/**", "*/finance/**", "**/plan.md"])
    await server.printed("acl", "allow", "bob", pattern);
  // A deny rule covers every spelling of a name, an allow rule one.
  await server.printed("acl", "deny", "bob", "Main/**");
  expect((await server.said("acl", "allow", "bob", "Main/**"))[1]).toBe(says.replace("mian", "Main"));
});
