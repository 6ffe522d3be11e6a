// Goal: a granted gate to the internet is in view, beside the inspector, and its wire leads straight to it.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { card } from "../kit/browser/blueprint-desk.ts";
import { hasBrowser } from "../kit/browser/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { withBrowser } from "../kit/browser/screen.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";
import { edgesOf } from "../kit/browser/edges.ts";

setDefaultTimeout(90_000);

describe.if(hasBrowser && searchable)("the gate", () => {
  test("appears inside the pane while the inspector is open, and no card is in the way of its wire", async () => {
    await using lab = await withBrowser(await searchLab());
    // Two workers in one row with the orchestrator: whatever is right of them, is behind them.
    const { position } = await lab.orchestrator();
    for (const [name, x] of [
      ["scribe", 340],
      ["scout", 680],
    ] as const)
      await lab.agent(name, { model: "boss", position: { x: position.x + x, y: position.y } });
    const page = await lab.open(`${lab.own}/blueprint?inspect=agent-${lab.orchestratorId}`, { width: 1280 });
    await card(page, "scout").waitFor();
    await page.getByRole("complementary", { name: "Inspector" }).getByText("Budget").waitFor();
    await lab.grant();
    const [wire, gate, pane] = [
      page.locator("[data-grant] .blueprint-wire-line"),
      page.locator(".gate"),
      page.locator(".blueprint-pane"),
    ];
    await wire.waitFor({ state: "attached" });
    await eventually(async () => {
      const [small, large] = [await edgesOf(gate), await edgesOf(pane)];
      return (
        small.left >= large.left &&
        small.top >= large.top &&
        small.right <= large.right &&
        small.bottom <= large.bottom
      );
    }, true);
    // A curve from side to side; a lane around cards has corners and straight parts.
    expect(await wire.getAttribute("d")).toMatch(/^M[^HV]*C[^HV]*$/);
    await page.context().close();
  });
});
