// Goal: lists by name are in natural order, 2 before 10, on every screen; the pages of the API stay in the order of their keys.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../kit/eventually.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const NAMES = ["item10", "item2", "item1"];
const IN_ORDER = ["item1", "item2", "item10"];

const named = async () => {
  const at = await screen({ model: true });
  const { admin } = at;
  const team = await admin.post("/teams", { name: "item10" });
  await admin.post("/teams", { name: "item2" });
  for (const name of NAMES) {
    const { user } = await admin.post("/users", { name, role: "member" });
    await admin.put(`/teams/${team.id}/members/${user.id}`);
    await admin.post("/instructions", { name, text: "Be kind." });
    await admin.post("/gears", { name, runtime: "bash", code: "echo\n", args_schema: '{"type":"object"}' });
    await admin.post("/models", { provider_id: 1, model_name: name, label: name });
    await Bun.write(`${at.data}/files/${at.workspaceId}/${name}.txt`, "");
  }
  return Object.assign(at, { teamId: team.id });
};

onScreen("names in order", named, (at) => {
  const shown = (page: Page, selector: string) => async () => {
    const texts = await page.locator(selector).allTextContents();
    return texts.flatMap((text) => /item\d+/.exec(text)?.[0] ?? []);
  };

  const lists: readonly (readonly [
    list: string,
    path: () => string,
    selector: string,
    order: readonly string[],
  ])[] = [
    ["people", () => "/people", "table[aria-label=People] tbody tr > :first-child", IN_ORDER],
    ["teams", () => "/people", "table[aria-label=Teams] tbody tr > :first-child", ["item2", "item10"]],
    ["the members of a team", () => `/people?show=team-${at.teamId}`, ".people-members li", IN_ORDER],
    ["gears", () => "/gears", "table[aria-label=Gears] tbody tr > :first-child", IN_ORDER],
    ["instructions", () => "/library", "table[aria-label=Instructions] tbody tr > :first-child", IN_ORDER],
    ["models", () => "/models", "table[aria-label=Models] tbody tr > :first-child", IN_ORDER],
    ["files", () => `${at.own}/files`, "[role=treeitem]", IN_ORDER],
  ];
  test.each(lists)("%s", async (_, path, selector, order) => {
    const page = await at.look(path());
    await eventually(shown(page, selector), [...order]);
  });

  test("leaves the pages of the API in the order of their keys", async () => {
    const names = (await at.admin.get("/instructions")).map(({ name }: { name: string }) => name);
    expect(names).toEqual(["item1", "item10", "item2"]);
  });
});
