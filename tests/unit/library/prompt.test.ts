// Goal: bound instructions reach the prompt once, in a stable order, with their source, and only where they are bound.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { Instructions, type InstructionsDeps } from "../../../src/service/library/instructions.ts";
import { libraryStore } from "../../../src/service/library/store.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { world } from "../../kit/service/world.ts";

test("orders the workspace's instructions before the agent's, by name and without duplicates", async () => {
  await using folder = await temporaryFolder();
  let ids = { workspace: 0, boss: 0, writer: 0, removed: 0 };
  {
    await using lab = await world({ model: true, data: folder.path });
    const [writer, removed] = [await lab.addWorker("writer"), await lab.addWorker("removed")];
    ids = { workspace: lab.workspaceId, boss: lab.orchestratorId, writer, removed };
    const make = async (name: string) =>
      (await lab.admin.post("/instructions", { name, text: `text of ${name}` })).id;
    const bind = (instruction: number, agent: number | null) =>
      lab.admin.post(`${lab.own}/instructions`, { instruction_id: instruction, agent_id: agent });
    const [both, own, shared, other, capital] = [
      await make("both"),
      await make("a-own"),
      await make("z-shared"),
      await make("other"),
      await make("B-own"),
    ];
    for (const [instruction, agent] of [
      [own, writer],
      [capital, writer],
      [both, writer],
      [shared, null],
      [both, null],
      [other, removed],
    ] as const)
      await bind(instruction!, agent);
    await lab.admin.put(`/instructions/${shared}`, { text: "newer text" });
    await lab.admin.delete(`/agents/${removed}`);
    const elsewhere = await lab.admin.post("/workspaces", { name: "elsewhere", orchestrator_model_id: 1 });
    await lab.admin.post(`/workspaces/${elsewhere.id}/instructions`, { instruction_id: other });
  }
  const db = openDatabase(join(folder.path, "service.db"));
  const instructions = new Instructions({ store: libraryStore(db) } as InstructionsDeps);
  const part = (source: string, text: string) => ({ source: `instruction:${source}`, text });
  const shared = [part("both@v1", "text of both"), part("z-shared@v2", "newer text")];
  const own = [part("a-own@v1", "text of a-own"), part("B-own@v1", "text of B-own")];
  expect(instructions.instructionsFor(ids.workspace, ids.boss)).toEqual(shared);
  expect(instructions.instructionsFor(ids.workspace, ids.writer)).toEqual([...shared, ...own]);
  expect(instructions.instructionsFor(999, ids.boss)).toEqual([]);
  db.close();
});
