// Goal: a full run at the most verbose log level writes no token, password, provider key, prompt or tool argument to the log.

import { expect, test } from "bun:test";
import { call, echoKey, httpError, say } from "../kit/model/index.ts";
import { compiledWorld, KEY, protocols } from "../kit/service/world.ts";

const SECRETS = {
  password: "canary-password-77",
  wrongPassword: "canary-wrong-password",
  role: "canary role of the worker",
  prompt: "canary prompt of a person",
  task: "canary task for the worker",
  answer: "canary answer of the worker",
  badToken: "cairn_canaryTokenThatIsNotValid",
  bodyField: "canary body field",
};

test.each(protocols)("logs nothing secret: %s", async (protocol) => {
  await using at = await compiledWorld({ protocol, args: ["--log-level", "debug"] });
  const { admin, model, program: service } = at;
  const { token } = service;
  await at.addModel("worker");
  model.script("boss", [
    [call("agent_create", { name: "w", role: SECRETS.role, model: "worker" })],
    [
      call("delegate", { agent: "w", task: SECRETS.task }),
      call("delegate", { agent: "none", task: SECRETS.task }),
    ],
    say("done"),
    // The next turn uses a provider that echoes the key in its error.
    echoKey(),
  ]);
  model.on("worker", () => say(SECRETS.answer));
  for (const text of [SECRETS.prompt, `${SECRETS.prompt} again`]) await at.chat(text);
  model.on("boss", () => httpError(500, "broken {key}"));
  await admin.raw("POST", "/providers/1/test");

  const { user, token: userToken } = await admin.post("/users", { name: "eve", role: "member" });
  await admin.put(`/users/${user.id}/password`, { password: SECRETS.password });
  const login = (password: string) => admin.raw("POST", "/login", { body: { user: "eve", password } });
  expect((await login(SECRETS.wrongPassword)).status).toBe(401);
  const session = await (await login(SECRETS.password)).json();
  await admin.raw("GET", "/whoami", { headers: { Authorization: `Bearer ${SECRETS.badToken}` } });
  await admin.raw("GET", "/whoami", { headers: { Cookie: `cairn_session=${SECRETS.badToken}` } });
  await admin.raw("POST", "/teams", { body: { name: SECRETS.bodyField, other: SECRETS.bodyField } });
  await admin.raw("POST", "/teams", { body: `{"name": "${SECRETS.bodyField}` });
  await admin.raw("PATCH", "/providers/1", { body: { api_key: 7, name: SECRETS.bodyField } });
  await service.end("SIGTERM");

  const announced = service.log.findIndex((line) => line.token !== undefined);
  const rest = service.log.filter((_, index) => index !== announced).map((line) => JSON.stringify(line));
  const secrets = { ...SECRETS, KEY, token, userToken, sessionToken: session.token };
  const found = Object.entries(secrets).filter(([, secret]) => rest.some((line) => line.includes(secret)));
  expect(found.map(([name]) => name)).toEqual([]);
  expect(rest.length).toBeGreaterThan(2);
  expect(Object.values(secrets).every((secret) => secret.length > 10)).toBe(true);
});
