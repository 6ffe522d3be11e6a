// Goal: what a person began who signed in by a key ends with their account, also if a new account gets its name or its number.

import { expect, test } from "bun:test";
import { openedContext } from "../kit/context/opened-context.ts";
import { refusal } from "../kit/http/refusal.ts";

const ABOUT = { address: () => "192.0.2.1", requestId: "test" };

for (const next of ["eve", "ann"])
  test(`an account that was removed gives nothing to ${next}, who is added after it`, async () => {
    await using server = await openedContext();
    await server.ask("POST", "/users", { name: "eve", role: "viewer" });
    const eve = server.parts.authentication.byName("eve", ABOUT)!;
    expect(eve.rights.role).toBe("viewer");
    await server.ask("DELETE", "/users/eve");
    await server.ask("POST", "/users", { name: next, role: "admin" });
    await refusal(() => eve.rights, "unauthenticated", "the account was disabled or removed", {
      credential: "invalid",
    });
    expect(server.parts.authentication.byName(next, ABOUT)!.rights.role).toBe("admin");
  });
