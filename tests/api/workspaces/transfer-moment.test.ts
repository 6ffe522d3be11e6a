// Goal: an export is the workspace as it was when the export began, however slowly its client reads, and whatever happens there meanwhile.

import { connect } from "node:net";
import { expect, test } from "bun:test";
import { INSTRUCTION_CHARACTERS_MAX } from "../../../src/service/library/schema.ts";
import { EXPORTS_AT_ONCE_MAX } from "../../../src/service/transfer/schema.ts";
import { attach } from "../../kit/service/attaching.ts";
import { makeGear } from "../../kit/service/gears.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { eventually } from "../../kit/eventually.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { world, type World } from "../../kit/service/world.ts";
import { within } from "../../kit/within.ts";

/** More than the buffers between a server and a client that does not read. */
const GEARS = 4;
const GEAR_CHARACTERS = 3_900_000;
const INSTRUCTIONS = 150;

async function addLargeGears({ admin, own }: World): Promise<void> {
  for (let number = 0; number < GEARS; number += 1) {
    const gear = await makeGear(admin, { name: `big_${number}`, code: `# ${"x".repeat(GEAR_CHARACTERS)}\n` });
    await admin.post(`${own}/gears`, { gear_id: gear.id });
  }
}

interface Reading {
  /** Reads the rest, and returns the whole file. */
  rest(): Promise<string>;
}

/** Reads the beginning of an export and no more. HTTP/1.0 ends an answer with its connection. */
async function slowExport({ url, own }: World): Promise<Reading> {
  const { hostname, host, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const pieces: Buffer[] = [];
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    if (pieces.length > 1) return;
    socket.pause();
    begun.resolve();
  });
  socket.on("error", over.reject);
  socket.on("close", () => over.resolve());
  socket.write(`GET /api/v1${own}/export HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
  await within("the export begins", begun.promise);
  return {
    async rest() {
      socket.resume();
      await within("the export ends", over.promise);
      return Buffer.concat(pieces).toString().split("\r\n\r\n")[1]!;
    },
  };
}

async function imported({ admin }: World, file: string): Promise<number> {
  const response = await admin.raw("PUT", "/workspaces/import", {
    body: file,
    headers: { "Content-Type": "application/x-ndjson" },
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([201, text]);
  return (JSON.parse(text) as { workspace: { id: number } }).workspace.id;
}

test("a file holds no change that was made while its client read", async () => {
  await using lab = await world({ model: true, workers: ["scout"] });
  const { admin, own } = lab;
  await addLargeGears(lab);
  const reading = await slowExport(lab);
  const late = await lab.agent("late");
  await admin.post(`${own}/context`, { path: "team/style.md", agent_id: late.id });
  await admin.post(`${own}/wires`, { from_agent_id: lab.orchestratorId, to_agent_id: late.id });
  lab.model.script("boss", [call("delegate", { agent: "late", task: "Do." }), say("Done.")]);
  lab.model.script("late", [say("Yes.")]);
  await lab.chat("Go.");
  const file = await reading.rest();
  const there = `/workspaces/${await imported(lab, file)}` as const;
  expect(await admin.get(`${there}/context`)).toEqual([]);
  expect(await admin.get(`${there}/turns`)).toEqual([]);
  expect((await admin.get(`${there}/agents`)).map(({ name }) => name)).toEqual(["orchestrator", "scout"]);
});

test("an instruction or gear that is deleted while the client reads is named as left out", async () => {
  await using lab = await world({ model: true });
  const { admin, own } = lab;
  const made: number[] = [];
  for (let number = 0; number < INSTRUCTIONS; number += 1) {
    const text = "x".repeat(INSTRUCTION_CHARACTERS_MAX);
    const { id } = await admin.post("/instructions", { name: `rule ${number}`, text });
    await admin.post(`${own}/instructions`, { instruction_id: id });
    made.push(id);
  }
  const gear = await makeGear(admin, { name: "tool" });
  await admin.post(`${own}/gears`, { gear_id: gear.id });
  const reading = await slowExport(lab);
  await admin.delete(`/instructions/${made.at(-1)!}`);
  await admin.delete(`/gears/${gear.id}`);
  const file = await reading.rest();
  const left = file.split("\n").filter((line) => line.startsWith('{"type":"left_out"'));
  expect(left.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      type: "left_out",
      kind: "instruction",
      name: `rule ${INSTRUCTIONS - 1}`,
      reason: "deleted during the export",
    },
    { type: "left_out", kind: "gear", name: "tool", reason: "deleted during the export" },
  ]);
  const there = `/workspaces/${await imported(lab, file)}` as const;
  expect(await admin.get(`${there}/instructions`)).toHaveLength(INSTRUCTIONS - 1);
});

test("no more exports run than may, also if they begin at once, and none that is refused is on record", async () => {
  await using lab = await world({ model: true });
  await addLargeGears(lab);
  const ask = () => lab.admin.raw("GET", `${lab.own}/export`);
  const answers = await Promise.all(Array.from({ length: EXPORTS_AT_ONCE_MAX + 3 }, ask));
  const refused = answers.filter(({ ok }) => !ok);
  expect(refused).toHaveLength(3);
  for (const answer of refused)
    await refusal(answer, "unavailable", `${EXPORTS_AT_ONCE_MAX} exports are running; try again in 10 s`, {
      retry_after_seconds: 10,
    });
  const actions = (await lab.admin.get("/audit")).map(({ action }) => action);
  expect(actions.filter((action) => action === "workspace.export")).toHaveLength(EXPORTS_AT_ONCE_MAX);
  for (const answer of answers) if (answer.ok) await answer.body!.cancel();
  await eventually(async () => {
    const { status, body } = await ask();
    await body!.cancel();
    return status;
  }, 200);
});

test("a workspace whose first turn runs, with an attachment, comes back from its file", async () => {
  await using lab = await world({ model: true });
  const { hash } = await attach(lab, "The sea is cold.", "sea.txt");
  const hanging = gate();
  lab.model.script("boss", [[say("It "), hanging, say("is.")]]);
  const turn = await lab.begin("Is it?", { attachments: [{ hash }] });
  await hanging.reached;
  const file = await (await lab.admin.raw("GET", `${lab.own}/export`)).text();
  hanging.open();
  await lab.end(turn);
  const there = `/workspaces/${await imported(lab, file)}` as const;
  expect(await lab.admin.get(`${there}/entries`)).toEqual([]);
});
