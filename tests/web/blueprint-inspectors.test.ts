// Goal: the inspector explains the selected wire or binding, deletes it, and offers undo.

import { expect, test } from "bun:test";
import { makeGear } from "../kit/service/gears.ts";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { blueprintOffice, toast } from "../kit/browser/blueprint-desk.ts";
import { eventually } from "../kit/eventually.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("the blueprint's inspectors", blueprintOffice, (office) => {
  test("explains a wire and its creation; deletes it, and undoes from the toast", async () => {
    const at = await office.desk("wire inspector");
    const wire = await at.wire(at.orchestratorId, at.scribe);
    await using page = await office.open(`${at.path}?inspect=wire-${wire.id}`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("orchestrator can delegate work to scribe with the tool").waitFor();
    await inspector.getByText(/^Created just now by admin$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await inspector.getByRole("button", { name: "Delete wire" }).click();
    await eventually(() => office.wires(at), []);
    await toast(page, "Wire from orchestrator to scribe deleted.").waitFor();
    await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" }).click();
    await eventually(() => office.wires(at), [[at.orchestratorId, at.scribe]]);
    await page.goto(`${office.url}${at.path}?inspect=wire-${wire.id}`);
    await inspector.getByText("This wire no longer exists.").waitFor();
  });

  test("links a bound pending gear to its review; marks an instruction of all agents", async () => {
    const at = await office.desk("binding inspectors");
    const { admin, url } = office;
    const schema = '{"type":"object"}';
    const gear = await makeGear(admin, { name: "draft_notes", args_schema: schema });
    const bound = await admin.post(`${at.own}/gears`, { gear_id: gear.id, agent_id: at.scribe });
    const text = await admin.post("/instructions", { name: "tone", text: "Be calm." });
    const told = await admin.post(`${at.own}/instructions`, { instruction_id: text.id });
    await using page = await office.browser.open(url, `${at.path}?inspect=gear-binding-${bound.id}`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("can call this gear as a tool once it is approved.").waitFor();
    const review = inspector.getByRole("link", { name: "Review gear" });
    await eventually(() => review.getAttribute("href"), `/gears/${gear.id}/review`);
    await inspector.getByRole("button", { name: "Unbind gear" }).click();
    await eventually(async () => (await at.blueprint()).gear_bindings, []);

    await page.goto(`${url}${at.path}?inspect=instruction-binding-${told.id}`);
    await inspector.getByText("every agent of this workspace").waitFor();
    await inspector.getByText(/^Created just now by admin$/).waitFor();
    await inspector.getByRole("button", { name: "Unbind instruction" }).click();
    await eventually(async () => (await at.blueprint()).instruction_bindings, []);
  });
});
