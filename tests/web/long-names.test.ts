// Goal: names, texts and words of maximum length leave every pane its width: nothing is cut off or needs sideways scrolling, except code and tables,
// which scroll in their own boxes.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { say } from "../kit/model/index.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const NAME = "Averylongnamewithoutanyspaces".repeat(4).slice(0, 100);
const GEAR = `g${"x".repeat(48)}`;
const WIDTHS = [390, 1280] as const;
/** Loading indicators of every screen. */
const LOADING = ".skeleton, .spinner, [aria-busy=true]";

/** Panes that scroll sideways or cut their content, and tags of one or two words that are cut. */
const CROWDED = `(() => {
  const beyond = (element) => element.scrollWidth - element.clientWidth > 1;
  const panes = document.querySelectorAll("html, main, .split-main, .split-side, .chat-scroll, .dialog, .gear-narrow");
  const tags = [...document.querySelectorAll(".tag")].filter((tag) => tag.textContent.trim().length < 16);
  return [...panes, ...tags].filter(beyond).map((one) => one.className || one.tagName);
})()`;

const crowded = async () => {
  const at = await screen({ model: { boss: [say(`Done with ${NAME.repeat(3)}.`)] } });
  const { admin } = at;
  await admin.patch("/providers/1", { name: NAME });
  const model = await admin.post("/models", { provider_id: 1, model_name: "m".repeat(200), label: NAME });
  const { user } = await admin.post("/users", { name: NAME, role: "member" });
  const team = await admin.post("/teams", { name: NAME });
  await admin.put(`/teams/${team.id}/members/${user.id}`);
  const agent = await admin.post(`${at.own}/agents`, {
    name: NAME.slice(0, 60),
    role: NAME.repeat(3),
    model_id: model.id,
  });
  const gear = await admin.post("/gears", {
    name: GEAR,
    description: "long ".repeat(400),
    tags: Array.from({ length: 8 }, (_, index) => "t".repeat(40) + index),
    runtime: "bash",
    code: `echo ${"long ".repeat(50)}\n`,
    args_schema: JSON.stringify({ type: "object", properties: { [NAME]: { type: "string" } } }),
  });
  const instruction = await admin.post("/instructions", { name: NAME, text: NAME.repeat(2) });
  await admin.post(`${at.own}/instructions`, { instruction_id: instruction.id, agent_id: null });
  const { turn } = await at.chat(NAME.repeat(3));
  return Object.assign(at, { agent, gear, instruction, person: user, team, turnId: turn.id });
};

onScreen("long names", crowded, (at) => {
  const pages: readonly (readonly [
    screen: string,
    path: () => string,
    act?: (page: Page) => Promise<void>,
  ])[] = [
    ["chat", () => at.own],
    ["an agent", () => `${at.own}?inspect=agent-${at.agent.id}`],
    ["a turn beside its call", () => `${at.own}/activity?turn=${at.turnId}&inspect=call-1`],
    ["gears", () => "/gears"],
    ["a gear", () => `/gears/${at.gear.id}/review`],
    ["an instruction", () => `/library/${at.instruction.id}`],
    ["a person", () => `/people?show=person-${at.person.id}`],
    ["a team", () => `/people?show=team-${at.team.id}`],
    ["a provider", () => "/models?show=provider-1"],
    ["adding models", () => "/models", (page) => page.getByRole("button", { name: "Add models" }).click()],
  ];
  test.each(WIDTHS.flatMap((width) => pages.map(([name, path, act]) => [name, width, path, act] as const)))(
    "%s fits %i px",
    async (_, width, path, act) => {
      const page = await at.look(path(), { width });
      await page.locator("h1, h2").first().waitFor({ state: "attached" });
      await act?.(page);
      await page
        .getByText(/Averylongname|gxxxx/)
        .first()
        .waitFor({ state: "attached" });
      await page.locator(LOADING).first().waitFor({ state: "detached" });
      expect(await page.evaluate(CROWDED)).toEqual([]);
    },
  );
});
