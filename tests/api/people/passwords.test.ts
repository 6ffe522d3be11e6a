// Goal: only the right people set valid passwords, and a new password revokes the right sessions.

import { expect, test } from "bun:test";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const OLD = "the old password";
const NEW = "the new password";

test("lets an admin set anyone's password, and revokes that user's tokens", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  const bert = await at.user("bert");

  const response = await at.admin.raw("PUT", `/users/${anna.id}/password`, { body: { password: NEW } });

  expect(response.status).toBe(204);
  expect(await response.text()).toBe("");
  await refusal(anna.get("/whoami"), "unauthenticated");
  await bert.get("/whoami");
  await at.admin.post("/login", { user: "anna", password: NEW });
});

test("keeps the presented token and revokes the others when users set their own password", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  await at.admin.put(`/users/${anna.id}/password`, { password: OLD });
  const login = async (password: string) => (await at.admin.post("/login", { user: "anna", password })).token;
  const mine = at.as(await login(OLD));
  const other = at.as(await login(OLD));

  await mine.put(`/users/${anna.id}/password`, { password: NEW, current_password: OLD });

  await mine.get("/whoami");
  await refusal(other.get("/whoami"), "unauthenticated");
  expect(await refusalOf(at.admin.post("/login", { user: "anna", password: OLD }))).toMatchObject({
    message: "invalid username or password",
  });
  await login(NEW);
});

test("requires the current password of non-admins, who can only set their own", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  const bert = await at.user("bert");
  await at.admin.put(`/users/${anna.id}/password`, { password: OLD });
  const { token } = await at.admin.post("/login", { user: "anna", password: OLD });
  const own = at.as(token);
  const mine = `/users/${anna.id}/password`;

  await refusal(own.put(mine, { password: NEW }), "invalid", "current_password: missing");
  for (const current_password of ["wrong", ""]) {
    await refusal(
      own.put(mine, { password: NEW, current_password }),
      "forbidden",
      "current_password: not your current password",
    );
  }
  for (const id of [1, bert.id, 999]) {
    await refusal(
      own.put(`/users/${id}/password`, { password: NEW, current_password: OLD }),
      "forbidden",
      "only an admin may set someone else's password",
    );
  }
  await refusal(
    bert.put(`/users/${bert.id}/password`, { password: NEW }),
    "forbidden",
    "you have no password yet; ask an admin to set the first one",
  );
  await at.admin.post("/login", { user: "anna", password: OLD });
});

test("limits guesses of the current password like logins", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  await at.admin.put(`/users/${anna.id}/password`, { password: OLD });
  const { token } = await at.admin.post("/login", { user: "anna", password: OLD });
  const guess = () =>
    refusalOf(at.as(token).put(`/users/${anna.id}/password`, { password: NEW, current_password: "guess" }));

  const answers = await Promise.all(Array.from({ length: 11 }, guess));

  expect(answers.map((answer) => answer.status).toSorted()).toEqual([
    ...Array.from({ length: 10 }, () => 403),
    429,
  ]);
});

test("requires 8 to 1024 characters of everyone, and an empty password clears nothing", async () => {
  await using at = await world();
  const anna = await at.user("anna");
  await at.admin.put(`/users/${anna.id}/password`, { password: OLD });
  const refused = (password: string) => refusalOf(at.admin.put(`/users/${anna.id}/password`, { password }));

  const short = { status: 400, code: "invalid", message: "password: at least 8 characters" };
  expect(await refused("")).toEqual(short);
  expect(await refused("1234567")).toEqual(short);
  expect(await refused("🔑".repeat(7))).toEqual(short);
  expect(await refused("x".repeat(1025))).toEqual({
    status: 400,
    code: "invalid",
    message: "password: at most 1024 characters",
  });
  await at.admin.post("/login", { user: "anna", password: OLD });
  for (const password of [" 8 chars", "🔑".repeat(8), "x".repeat(1024)]) {
    await at.admin.put(`/users/${anna.id}/password`, { password });
    await at.admin.post("/login", { user: "anna", password });
  }
});

test("returns 404 for a user who does not exist", async () => {
  await using at = await world();

  await refusal(at.admin.put("/users/999/password", { password: NEW }), "not_found", "user 999: not found");
});
