// Goal: the demo's workers remember together: one writes, in a later turn the other reads, and `cairn file history` shows a version by each.

import { expect, test } from "bun:test";
import { rememberTogether } from "../../release/demo-memory.ts";
import { printed } from "../kit/cli/cairn.ts";
import { memoryKinds, memoryWorld } from "../kit/service/memory-world.ts";
import { demoScript } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";

for (const kind of memoryKinds)
  test(`the demo's workers share a document, in a ${kind}`, async () => {
    await using memory = await memoryWorld(kind, { model: true });
    const { at } = memory;
    demoScript(at.model, 0);
    const boss = await at.addModel("demo-orchestrator");
    await at.addModel("demo-worker");
    const { id } = await at.admin.post("/workspaces", { name: "demo", orchestrator_model_id: boss });
    let shown = "";
    const history = await rememberTogether({
      url: at.url,
      workspaceId: id,
      history: (path) => printed("file", "history", path, ...memory.command),
      write: (text) => (shown += text),
    });
    const by = (agent: string) => (kind === "folder" ? agent : `root (${agent})`);
    expect(history).toContain(by("reviewer"));
    expect(history.indexOf(by("reviewer"))).toBeLessThan(history.indexOf(by("researcher")));
    expect(history).toContain(`turn 2 of workspace ${id}`);
    expect(shown).toContain("researcher ← memory_write: ok: Created shared/decisions.md, version 1.");
    expect(shown).toContain("reviewer ← memory_read: ok: shared/decisions.md, version 1:\n\n# Decisions\n");
    expect(shown).toContain("reviewer ← memory_write: ok: Saved shared/decisions.md, version 2.");
  });

test("without a space the same turns end well, and say that there is no memory", async () => {
  await using at = await world({ model: true });
  demoScript(at.model, 0);
  await at.addModel("demo-worker");
  const boss = await at.addModel("demo-orchestrator");
  const { id } = await at.admin.post("/workspaces", { name: "demo", orchestrator_model_id: boss });
  let shown = "";
  const told = rememberTogether({
    url: at.url,
    workspaceId: id,
    history: async () => "nothing",
    write: (text) => (shown += text),
  });
  expect(await told.catch((error: Error) => error.message)).toContain("does not have versions by researcher");
  expect(shown.match(/turn done/g)).toHaveLength(2);
  expect(shown).toContain("I have no memory here");
});
