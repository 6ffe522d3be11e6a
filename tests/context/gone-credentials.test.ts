// Goal: an account or a token that is gone gives nothing to a later one with its name or its number, and takes nothing from it.

import { expect, test } from "bun:test";
import { openedContext } from "../kit/context/opened-context.ts";
import type { Token } from "../../src/context/people/schema.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { refusal } from "../kit/http/refusal.ts";

interface Issued {
  readonly token: string;
}

const ABOUT = { address: () => "192.0.2.1", requestId: "test" };

for (const next of ["eve", "ann"])
  test(`an account that was removed gives nothing to ${next}, who is added after it`, async () => {
    await using server = await openedContext();
    await server.ask("POST", "/users", { name: "eve", role: "viewer" });
    const eve = server.parts.authentication.byName("eve", ABOUT)!;
    expect(eve.rights.role).toBe("viewer");
    await server.ask("DELETE", "/users/eve");
    await server.ask("POST", "/users", { name: next, role: "admin" });
    await refusal(() => eve.rights, "unauthenticated", "the account was disabled or deleted", {
      credential: "invalid",
    });
    expect(server.parts.authentication.byName(next, ABOUT)!.rights.role).toBe("admin");
  });

test("a new token does not count as used because a revoked one was", async () => {
  const clock = manualClock();
  await using server = await openedContext({ clock });
  const { token } = await server.ask<Issued>("POST", "/users", { name: "eve", role: "viewer" });
  expect((await server.send(token, { method: "GET", path: "/spaces" })).status).toBe(200);
  const uses = async () =>
    (await server.ask<Token[]>("GET", "/users/eve/tokens")).map(({ label, last_used_at }) => [
      label,
      last_used_at,
    ]);
  clock.advance(1);
  const [{ id }] = (await server.ask<[Token]>("GET", "/users/eve/tokens"))!;
  await server.ask("DELETE", `/users/eve/tokens/${id}`);
  await server.ask("POST", "/users/eve/tokens", { label: "second" });
  await server.parts.authentication.flushLastUsed();
  expect(await uses()).toEqual([["second", null]]);
});
