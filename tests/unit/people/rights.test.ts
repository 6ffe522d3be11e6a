// Goal: a caller's role is current at each check, even within one commit and after a rolled-back change.

import { expect, test } from "bun:test";
import { Bodies } from "../../../src/kit/http/bodies.ts";
import { innerExchange } from "../../../src/kit/http/exchange.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { actingAs, requireAdmin, type Caller } from "../../../src/service/identity/caller.ts";
import { testDatabase } from "../../kit/database.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { testParts } from "../../kit/service/parts.ts";

const GONE = [
  "unauthenticated",
  "the token is not valid: it is unknown, revoked or expired",
  { credential: "invalid" },
] as const;

const FIRST = "token-of-the-first-admin";

async function staff() {
  const made = await testDatabase(migrations);
  const parts = testParts(made.db);
  parts.users.seedAdmin(FIRST);
  const signIn = (token: string): Caller => {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    const exchange = innerExchange("1", request, new Bodies());
    return parts.authentication.caller(exchange);
  };
  const root = signIn(FIRST);
  return { parts, root, signIn, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

const instruction = (name: string) => ({ name, text: "Be kind." });

test("refuses an act that follows a revocation in the same commit", async () => {
  await using made = await staff();
  const { parts, root, signIn } = made;
  const { user, token } = await parts.users.create(root, { name: "ann", role: "admin" });
  const ann = signIn(token);
  expect(ann.role).toBe("admin");
  const [revoked, late] = await Promise.allSettled([
    parts.users.revokeTokens(root, user.id),
    parts.instructions.create(ann, instruction("late")),
  ]);
  expect([revoked.status, late.status]).toEqual(["fulfilled", "rejected"]);
  expect([...parts.instructions.pages()].flat()).toEqual([]);
  await refusal(() => requireAdmin(actingAs(ann, "scout", 1)), ...GONE);
});

test("changes no rights if the change is rolled back", async () => {
  await using made = await staff();
  const { parts, root, signIn } = made;
  const { token } = await parts.users.create(root, { name: "ann" });
  const ann = signIn(token);
  await refusal(parts.users.update(root, root.userId, { role: "member" }), "conflict");
  expect([root.role, ann.role]).toEqual(["admin", "member"]);
  await parts.instructions.create(ann, instruction("kept"));
  expect([...parts.instructions.pages()].flat()).toHaveLength(1);
});

test("lets an agent act with its person's current role", async () => {
  await using made = await staff();
  const { parts, root, signIn } = made;
  const { user, token } = await parts.users.create(root, { name: "ann", role: "admin" });
  const agent = actingAs(signIn(token), "scout", 1);
  requireAdmin(agent);
  await parts.users.update(root, user.id, { role: "member" });
  await refusal(() => requireAdmin(agent), "forbidden", "only an admin may do this");
  await parts.users.remove(root, user.id, undefined);
  await refusal(() => requireAdmin(agent), ...GONE);
});
