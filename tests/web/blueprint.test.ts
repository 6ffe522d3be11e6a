// Goal: on the canvas a person adds wires, moves and tidies agents, undoes, views earlier turns, and sees the edits of others.

import { expect, test } from "bun:test";
import { makeGear } from "../kit/service/gears.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import {
  blueprintOffice,
  card,
  drag,
  draw,
  middleOf,
  SCOUT_AT,
  SCRIBE_AT,
  toast,
} from "../kit/browser/blueprint-desk.ts";
import { eventually } from "../kit/eventually.ts";
import { call, gate, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("the blueprint", blueprintOffice, (office) => {
  test("lets the next turn delegate along a drawn wire, and not after its deletion", async () => {
    const at = await office.desk("drawing");
    await using page = await office.open(at.path);
    office.model.script("boss", [say("nobody to ask"), say("I could ask"), say("no more")]);
    expect(await office.turn(at, "one")).not.toContain("delegate");
    await draw(page, "orchestrator", card(page, "scribe"));
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    expect(await office.turn(at, "two")).toContain("delegate");

    await page.locator("[data-wire] .blueprint-wire-hit").click({ force: true });
    await page.waitForURL(/inspect=wire-/);
    await page.keyboard.press("Delete");
    await eventually(() => office.wires(at), []);
    expect(await office.turn(at, "three")).not.toContain("delegate");

    await page.getByRole("button", { name: "Undo", exact: true }).last().click();
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
  });

  test("reports refusals: a wire to itself, a duplicate, a wire to a deleted agent", async () => {
    const at = await office.desk("refusals");
    await at.wire(at.orchestratorId, at.scribe);
    const page = await office.open(at.path);
    await card(page, "scribe").waitFor();
    await draw(page, "orchestrator", card(page, "scribe"));
    await toast(page, 'A wire from "orchestrator" to "scribe" already exists').waitFor();
    await draw(page, "scribe", card(page, "scribe"));
    await toast(page, "An agent cannot be wired to itself").waitFor();
    await eventually(() => page.getByRole("button", { name: "Undo", exact: true }).isDisabled(), true);

    // This page receives no events, so it does not know that the agent was deleted.
    const context = page.context();
    await context.route("**/events?*", () => {});
    const deaf = await office.open(at.path, { context });
    await card(deaf, "scout").waitFor();
    await office.admin.delete(`/agents/${at.scout}`);
    await draw(deaf, "orchestrator", card(deaf, "scout"));
    await toast(deaf, `Agent ${at.scout} is not in this workspace`).waitFor();
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    await context.close();
    office.browser.expected(/status of (400|409)/);
  });

  test("saves moves of one and several agents, undoes and redoes them; tidy is one step", async () => {
    const at = await office.desk("moving");
    await at.wire(at.orchestratorId, at.scribe);
    await at.wire(at.scribe, at.scout);
    await using page = await office.open(at.path);
    await card(page, "scout").click();
    await drag(page, "scout", { x: 60, y: 80 });
    await eventually(async () => (await office.where(at, at.scout)).y > SCOUT_AT.y, true);
    const moved = await office.where(at, at.scout);
    await page.keyboard.press("Control+z");
    await eventually(() => office.where(at, at.scout), SCOUT_AT);
    await page.keyboard.press("Control+Shift+z");
    await eventually(() => office.where(at, at.scout), moved);
    await page.keyboard.press("Control+z");
    await eventually(() => office.where(at, at.scout), SCOUT_AT);

    // Both workers, selected by a box drawn with Shift, move together.
    const [first, last] = [await middleOf(card(page, "scribe")), await middleOf(card(page, "scout"))];
    await page.keyboard.down("Shift");
    await page.mouse.move(first.x - 120, first.y - 80);
    await page.mouse.down();
    await page.mouse.move(last.x, last.y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.locator('[data-agent][aria-pressed="true"]').nth(1).waitFor();
    // A click with Shift removes it from the selection, another one adds it again.
    await card(page, "scout").click({ modifiers: ["Shift"] });
    await eventually(() => page.locator('[data-agent][aria-pressed="true"]').count(), 1);
    await card(page, "scout").click({ modifiers: ["Shift"] });
    await drag(page, "scribe", { x: 40, y: 0 });
    await eventually(async () => (await office.where(at, at.scribe)).x > SCRIBE_AT.x, true);
    await eventually(async () => (await office.where(at, at.scout)).x > SCOUT_AT.x, true);
    const [scribe, scout] = [await office.where(at, at.scribe), await office.where(at, at.scout)];
    expect([scribe.x - 340, scribe.y]).toEqual([scout.x - 340, -90]);
    await page.keyboard.press("Control+z");
    await eventually(
      async () => [await office.where(at, at.scribe), await office.where(at, at.scout)],
      [SCRIBE_AT, SCOUT_AT],
    );

    await page.getByRole("button", { name: "Tidy" }).click();
    await eventually(async () => (await office.where(at, at.scout)).x > 500, true);
    await page.getByRole("button", { name: "Undo: tidy layout" }).click();
    await eventually(
      async () => [await office.where(at, at.scribe), await office.where(at, at.scout)],
      [SCRIBE_AT, SCOUT_AT],
    );
  });

  test("reverts a refused move", async () => {
    const at = await office.desk("refused move");
    await using page = await office.open(at.path);
    await card(page, "scout").waitFor();
    const start = await middleOf(card(page, "scout"));
    await page.route("**/api/v1/agents/*", (route) =>
      route.fulfill({ status: 500, json: { error: { message: "the disk is full", code: "internal" } } }),
    );
    await drag(page, "scout", { x: 50, y: 30 });
    await toast(page, "The disk is full").waitFor();
    await eventually(() => middleOf(card(page, "scout")), start);
    await eventually(() => office.where(at, at.scout), SCOUT_AT);
    office.browser.expected(/status of 500/);
  });

  test("shows earlier blueprints read-only, and returns to the current one", async () => {
    const at = await office.desk("past");
    const first = await office.open(at.path);
    await first.getByText("No turns yet.").waitFor();
    await first.close();
    await at.wire(at.orchestratorId, at.scribe);
    office.model.script("boss", [say("one"), say("two")]);
    await office.turn(at, "one");
    await office.admin.delete(`/agents/${at.scribe}`);
    await office.turn(at, "two");
    await using page = await office.open(at.path);
    await card(page, "scout").waitFor();
    expect(await card(page, "scribe").count()).toBe(0);
    const slider = page.getByRole("slider", { name: "Blueprint as of" });
    await eventually(() => slider.getAttribute("aria-valuetext"), "now");
    const label = page.locator(".blueprint-time");
    await eventually(() => label.getByText(/\bnow\b/).allTextContents(), ["now"]);
    for (const [key, turn] of [
      ["Home", 1],
      ["ArrowRight", 2],
      ["ArrowLeft", 1],
    ] as const) {
      await slider.press(key);
      await label.getByText(`turn ${turn}`, { exact: true }).waitFor();
      expect(await slider.getAttribute("aria-valuetext")).toStartWith(`turn ${turn},`);
    }
    await card(page, "scribe").waitFor();
    await page.getByText(/The blueprint as of turn 1, .*\. Read-only\./).waitFor();
    await eventually(() => page.locator("[data-wire]").count(), 1);
    expect(await page.getByRole("button", { name: "Tidy" }).count()).toBe(0);
    await drag(page, "scout", { x: 50, y: 50 });
    await eventually(() => office.where(at, at.scout), SCOUT_AT);
    await page.getByRole("button", { name: "Show current" }).click();
    await card(page, "scribe").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Tidy" }).waitFor();
  });

  test("shows edits to other people, and highlights the path of a running turn", async () => {
    const at = await office.desk("together");
    const [one, other] = await Promise.all([office.open(at.path), office.open(at.path)]);
    await card(other, "scribe").waitFor();
    await draw(one, "orchestrator", card(one, "scribe"));
    await other.locator("[data-wire]").waitFor({ state: "attached" });
    await drag(one, "scout", { x: 0, y: 60 });
    await eventually(async () => (await office.where(at, at.scout)).y !== SCOUT_AT.y, true);
    const moved = await office.where(at, at.scout);
    await other.waitForFunction(
      `document.getElementById("blueprint-agent-${at.scout}").style.transform.includes("${moved.y}px")`,
    );

    const held = gate();
    office.model.script("boss", [call("delegate", { agent: "scribe", task: "write" }), say("done")]);
    office.model.script("worker", [[held, ...say("written")]]);
    await office.admin.post(`${at.own}/chat`, { text: "go" });
    await held.reached;
    for (const page of [one, other]) {
      await page.getByRole("button", { name: /^scribe ?, worker, ?thinking/ }).waitFor();
      await page.getByRole("button", { name: /^orchestrator ?, orchestrator, ?working/ }).waitFor();
      await page.locator("[data-wire].live").waitFor({ state: "attached" });
    }
    held.open();
    await one.getByRole("button", { name: /^scribe ?, worker, ?idle/ }).waitFor();
    await one.locator("[data-wire].live").waitFor({ state: "detached" });
    await Promise.all([one.close(), other.close()]);
  });

  test("moves between agents, inspects, moves an agent and zooms by keyboard", async () => {
    const at = await office.desk("keys");
    await using page = await office.open(at.path);
    await card(page, "orchestrator").focus();
    await page.keyboard.press("ArrowRight");
    await eventually(() => page.evaluate("document.activeElement?.id"), `blueprint-agent-${at.scribe}`);
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.evaluate("document.activeElement?.id"), `blueprint-agent-${at.scout}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`inspect=agent-${at.scout}`));
    for (let press = 0; press < 3; press++) await page.keyboard.press("Shift+ArrowDown");
    await eventually(() => office.where(at, at.scout), { x: 340, y: 150 });
    await page.keyboard.press("Control+z");
    await eventually(() => office.where(at, at.scout), SCOUT_AT);
    await page.keyboard.press("0");
    await page.getByRole("button", { name: "Zoom 100%, reset to 100%" }).waitFor();
    await page.keyboard.press("+");
    await page.getByRole("button", { name: "Zoom 125%, reset to 100%" }).waitFor();
    await page.keyboard.press("-");
    await page.getByRole("button", { name: "Zoom 100%, reset to 100%" }).waitFor();
  });

  test("binds a gear by dragging it onto an agent, and an instruction to all agents by name", async () => {
    const at = await office.desk("palette");
    await makeGear(office.admin, { name: "draft_notes" });
    await office.admin.post("/instructions", { name: "tone", text: "Be calm." });
    await using page = await office.open(at.path);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const palette = page.getByRole("region", { name: "Add to this blueprint" });
    await palette.getByRole("button", { name: /draft_notes/ }).dragTo(card(page, "scribe"));
    await page.getByRole("button", { name: "gear draft_notes pending of scribe" }).waitFor();
    await palette.getByRole("button", { name: /^tone/ }).click();
    await palette.getByRole("button", { name: "Bind", exact: true }).click();
    await page.getByRole("button", { name: "instruction tone all agents" }).waitFor();
    const { gear_bindings: gears, instruction_bindings: texts } = await at.blueprint();
    expect(gears.map(({ agent_id: id }) => id)).toEqual([at.scribe]);
    expect(texts.map(({ agent_id: id }) => id)).toEqual([null]);
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "gear draft_notes pending of scribe" }).click();
    await page.waitForURL(/inspect=gear-binding-/);
    await page.keyboard.press("Delete");
    await page
      .getByRole("button", { name: "gear draft_notes pending of scribe" })
      .waitFor({ state: "detached" });
  });

  test("passes axe in both themes", async () => {
    const at = await office.desk("axe");
    await at.wire(at.orchestratorId, at.scribe);
    await using page = await office.open(at.path);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("region", { name: "Add to this blueprint" }).waitFor();
    await card(page, "scribe").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });
});
