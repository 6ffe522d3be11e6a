// Goal: the checker of the database invariants detects each violation, so that its silence after a crash is meaningful.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { temporaryFolder } from "../kit/folder.ts";
import { brokenInvariants } from "../kit/service/invariants.ts";
import { call, say } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";

const damages: [string, string][] = [
  [
    "DELETE FROM entries WHERE kind = 'person'",
    "a turn that began has exactly one run of the orchestrator and one message",
  ],
  ["UPDATE turns SET started_at = NULL", "a turn that has not begun has nothing"],
  ["DELETE FROM entries WHERE kind = 'task'", "a worker's run has its call, begun, and exactly one task"],
  ["UPDATE tool_calls SET state = 'asked' WHERE tool = 'agent_create'", "a result has its call, done"],
  [
    "DELETE FROM entries WHERE kind = 'tool' AND tool = 'agent_create'",
    "a call that is done has exactly one result, another none",
  ],
  ["UPDATE entries SET calls = '[]' WHERE kind = 'agent'", "a call was asked for by what its agent said"],
  ["DELETE FROM wires", "an agent that a tool created has the wire from its creator, or had it"],
  [
    "UPDATE agents SET name = 'twice' WHERE orchestrator = 0",
    "an agent that was created has exactly one call that did it, and the other way round",
  ],
  ["DELETE FROM events WHERE type = 'tool.call'", "a call and its result are told once each"],
  ["DELETE FROM events WHERE id = 3", "events are numbered without a gap"],
  ["UPDATE runs SET status = 'running'", "a done turn has no open part"],
  ["UPDATE audit_head SET seq = seq + 1", "the audit ends where its anchor says"],
  ["UPDATE turns SET status = 'running'", "no turn, run or model call is open"],
];

test("finds each kind of damage", async () => {
  await using folder = await temporaryFolder();
  {
    await using at = await world({ model: { worker: [say("answer")] }, data: folder.path });
    await at.addModel("worker");
    at.model.script("boss", [
      [call("agent_create", { name: "w", role: "r", model: "worker" })],
      [call("delegate", { agent: "w", task: "t" })],
      say("done"),
    ]);
    await at.chat("go");
  }
  expect(await brokenInvariants(folder.path, "at rest")).toEqual([]);
  const intact = await Bun.file(`${folder.path}/service.db`).bytes();
  for (const [damage, title] of damages) {
    await Bun.write(`${folder.path}/service.db`, intact);
    const sqlite = new Database(`${folder.path}/service.db`);
    sqlite.run("PRAGMA foreign_keys = OFF");
    expect([damage, sqlite.run(damage).changes > 0]).toEqual([damage, true]);
    sqlite.close();
    const found = (await brokenInvariants(folder.path, "at rest")).map(
      (sentence) => sentence.split(": not ")[0]!,
    );
    expect(found).toContain(title);
  }
});
