// Goal: what is selected on the blueprint is explained beside it, and taken away there, with a way back.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { accessibilityProblems } from "../kit/axe.ts";
import { blueprintOffice, type Office, toast } from "../kit/blueprint-desk.ts";
import { hasBrowser } from "../kit/browser.ts";
import { eventually } from "../kit/eventually.ts";

let office: Office;
beforeAll(async () => {
  if (hasBrowser) office = await blueprintOffice();
}, 30_000);
afterAll(async () => {
  if (hasBrowser) await office[Symbol.asyncDispose]();
}, 30_000);

test.if(hasBrowser)(
  "a wire says what it means, since when and by whom; removed there, the message brings it back",
  async () => {
    const at = await office.desk("wire inspector");
    const wire = await office.addWire(at, at.boss, at.scribe);
    const page = await office.browser.open(office.service.url, `${at.path}?inspect=wire-${wire.id}`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("orchestrator can hand work to scribe with the tool").waitFor();
    await inspector.getByText(/^Since just now by admin$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await inspector.getByRole("button", { name: "Remove wire" }).click();
    await eventually(() => office.wires(at), []);
    await toast(page, "Wire from orchestrator to scribe removed.").waitFor();
    await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" }).click();
    await eventually(() => office.wires(at), [[at.boss, at.scribe]]);
    await page.goto(`${office.service.url}${at.path}?inspect=wire-${wire.id}`);
    await inspector.getByText("This wire does not exist any more.").waitFor();
    await page.context().close();
  },
  20_000,
);

test.if(hasBrowser)(
  "a bound gear that waits for approval leads to its review; an instruction of all agents says so",
  async () => {
    const at = await office.desk("binding inspectors");
    const { admin, url } = office.service;
    const schema = '{"type":"object"}';
    const gear = await admin.post("/gears", {
      name: "draft_notes",
      runtime: "bash",
      code: "cat\n",
      args_schema: schema,
    });
    const bound = await admin.post(`/workspaces/${at.id}/gears`, {
      gear_id: gear.id,
      agent_id: at.scribe,
    });
    const text = await admin.post("/instructions", { name: "tone", text: "Be calm." });
    const told = await admin.post(`/workspaces/${at.id}/instructions`, {
      instruction_id: text.id,
    });
    const page = await office.browser.open(url, `${at.path}?inspect=gear-binding-${bound.id}`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("Until then it is not offered.").waitFor();
    const review = inspector.getByRole("link", { name: "Review the gear" });
    expect(await review.getAttribute("href")).toBe(`/gears/${gear.id}/review`);
    await inspector.getByRole("button", { name: "Unbind gear" }).click();
    await eventually(async () => (await office.blueprint(at)).gear_bindings, []);

    await page.goto(`${url}${at.path}?inspect=instruction-binding-${told.id}`);
    await inspector.getByText("every agent of this workspace").waitFor();
    await inspector.getByText(/^Since just now by admin$/).waitFor();
    await inspector.getByRole("button", { name: "Unbind instruction" }).click();
    await eventually(async () => (await office.blueprint(at)).instruction_bindings, []);
    await page.context().close();
  },
  20_000,
);
