// Goal: no page and no form of the console takes a parameter in its address that it does not know, that is repeated, or that is not UTF-8: a
// misspelled filter must not show everything.

import { expect, test } from "bun:test";
import { contextServer } from "../kit/context/context-server.ts";
import { CONSOLE_ROUTES } from "../kit/context/console-routes.ts";
import { signedIn } from "../kit/context/console.ts";

test("an unknown parameter is refused by every route, before the form does anything", async () => {
  await using server = await contextServer();
  await server.user("ada", "admin");
  const ada = await signedIn(server, "ada");
  const csrf = (await ada.get("/console")).forms[0]!.fields["csrf"]!;
  const before = await server.admin.get("/audit");
  const accepted: string[] = [];
  for (const { method, path, name } of CONSOLE_ROUTES) {
    const filled = path
      .replaceAll(/:([a-z]+)/g, (_, one: string) => (one === "space" ? "team" : "1"))
      .replace("*", "a.md");
    const address = `${filled}?unknown=1`;
    const page = method === "GET" ? await ada.get(address) : await ada.post(address, { csrf });
    if (page.status !== 400 || !page.text.includes("query parameter unknown: unknown field"))
      accepted.push(`${name}: ${page.status}`);
  }
  expect(accepted).toEqual([]);
  expect(CONSOLE_ROUTES.length).toBeGreaterThan(60);
  expect(await server.admin.get("/audit")).toEqual(before);
});

test("a parameter that is repeated or not UTF-8 is refused", async () => {
  await using server = await contextServer();
  await server.user("ada", "admin");
  const ada = await signedIn(server, "ada");
  const statusOf = async (query: string) => (await ada.get(`/console/audit?${query}`)).status;
  expect(await statusOf("actor=ada&action=")).toBe(200);
  expect(await statusOf("actor=ada&actor=bob")).toBe(400);
  expect(await statusOf("actor=%ff")).toBe(400);
});
