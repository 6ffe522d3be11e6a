// Goal: on every route with an id in its path, a hidden record answers exactly like a missing one.

import { expect, test } from "bun:test";
import { filledPath, fitting, type DescribedRoute } from "../../kit/http/described-routes.ts";
import { everything, inhabited, routesOf } from "../../kit/service/inhabited.ts";
import { type Client, errorIn } from "../../kit/http/client.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const MISSING = 987_654;

/** Visible to everyone, so a forbidden act is 403 and a missing record 404. */
const VISIBLE_TO_ALL = ["teams", "instructions", "gears"];

async function answer(client: Client, method: string, path: string, body: unknown): Promise<unknown> {
  const response = await client.raw(method, path, { body });
  const error = errorIn(await response.text())!;
  expect(error.request_id).toBe(response.headers.get("x-request-id")!);
  const headers = [...response.headers].filter(
    ([name]) => !["x-request-id", "date", "content-length"].includes(name),
  );
  return { status: response.status, headers, error: { ...error, request_id: "" } };
}

/** A response with its id removed from the message. */
function modulo(value: unknown, id: number): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(new RegExp(`\\b${id}\\b`, "g"), "<id>"));
}

test("does not let a stranger distinguish a hidden id from a missing one, on any route", async () => {
  await using lab = await inhabited();
  const stranger = await lab.user("stranger");
  const lead = await lab.user("lead", "team-lead");
  const routes = (await routesOf(lab)).filter((route) => route.path.includes("{"));
  const before = await everything(lab);
  const kinds = new Map<string, number>();

  for (const route of routes) {
    const noun = route.path.split("/")[1]!;
    if (VISIBLE_TO_ALL.includes(noun)) continue;
    for (const client of [stranger, lead]) {
      const ask = (id: number) =>
        answer(
          client,
          route.method,
          filledPath(route, { id, user_id: lab.ids["users"]!, team_id: lab.ids["teams"]! }),
          bodyOf(route),
        );
      const real = lab.ids[noun]!;
      const [foreign, missing] = [await ask(real), await ask(MISSING)];
      expect({ route: `${route.method} ${route.path}`, answer: modulo(foreign, real) }).toEqual({
        route: `${route.method} ${route.path}`,
        answer: modulo(missing, MISSING),
      });
      const status = (foreign as { status: number }).status;
      expect({ path: route.path, status }).toEqual({
        path: route.path,
        status: ["admin", "self"].includes(route.caller) ? 403 : 404,
      });
    }
    kinds.set(noun, (kinds.get(noun) ?? 0) + 1);
  }

  expect([...kinds.keys()].toSorted()).toEqual(
    Object.keys(lab.ids)
      .filter((noun) => !VISIBLE_TO_ALL.includes(noun))
      .toSorted(),
  );
  expect(await everything(lab)).toEqual(before);
});

function bodyOf(route: DescribedRoute): unknown {
  return route.body === undefined ? undefined : fitting(route.body);
}

test("hides ids in queries and bodies too", async () => {
  await using lab = await inhabited();
  const { ids } = lab;
  const anna = await lab.user("anna");
  const own = await anna.post("/workspaces", { name: "own", orchestrator_model_id: ids["models"] });
  const [boss] = await anna.get(`/workspaces/${own.id}/agents`);
  const notFound = (message: string) => ["not_found", message] as const;
  const invalid = (message: string) => ["invalid", message] as const;

  for (const id of [ids["turns"]!, MISSING]) {
    await refusal(anna.get(`/workspaces/${own.id}/blueprint?at=${id}`), ...notFound(`turn ${id}: not found`));
  }
  for (const id of [ids["agents"]!, MISSING]) {
    const wires = `/workspaces/${own.id}/wires`;
    await refusal(
      anna.post(wires, { from_agent_id: boss!.id, to_agent_id: id }),
      ...invalid(`to_agent_id: agent ${id} is not in this workspace`),
    );
    await refusal(
      anna.post(wires, { from_agent_id: id, to_agent_id: boss!.id }),
      ...invalid(`from_agent_id: agent ${id} is not in this workspace`),
    );
  }
  expect(await anna.get<unknown>(`/workspaces/${own.id}/entries?before=${MISSING}`)).toEqual([]);
});

test("returns 400 naming an invalid id, on every route", async () => {
  await using lab = await inhabited();
  const routes = (await routesOf(lab)).filter((route) => route.path.includes("{id}"));

  for (const route of routes) {
    for (const id of [
      "0",
      "-1",
      "1.5",
      "1e3",
      "01",
      "+1",
      "x",
      "%00",
      "%20",
      "9007199254740992",
      "99999999999999999999",
    ]) {
      const path = filledPath(route, { id: 0, user_id: 1, team_id: 1 }).replace("/0", `/${id}`);
      expect({
        path,
        ...(await refusalOf(lab.admin.raw(route.method, path, { body: bodyOf(route) }))),
      }).toEqual({
        path,
        status: 400,
        code: "invalid",
        message: "path parameter id: expected an integer from 1 to 9007199254740991",
      });
    }
  }
});
