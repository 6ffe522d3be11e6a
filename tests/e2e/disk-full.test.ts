// Goal: on a full disk, writes are refused with the specified message and change nothing, and reads continue; everything recovers when there is
// space again; turns end in a defined state.

import { expect } from "bun:test";
import type { HealthState } from "../../src/kit/health.ts";
import type { Client, Refusal } from "../kit/http/client.ts";
import { eventually } from "../kit/eventually.ts";
import { brokenInvariants } from "../kit/service/invariants.ts";
import { gate, say } from "../kit/model/index.ts";
import { runService } from "../kit/service/running.ts";
import { onSmallDisk } from "../kit/small-disk.ts";
import { compiledWorld } from "../kit/service/world.ts";
import { refusalOf } from "../kit/http/refusal.ts";

const DISK_FULL: Refusal = {
  status: 503,
  message: "the disk is full; nothing was changed; free some space and try again",
  code: "unavailable",
};
const WRITES_MAX = 500;
const OVER = ["done", "failed", "cancelled", "interrupted"];

/** Creates teams until one is refused; returns the names of those created. The WAL has some room left at first. */
async function writeUntilRefused(admin: Client): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number < WRITES_MAX; number++) {
    const name = `team ${number} ${"x".repeat(60)}`;
    const response = await admin.raw("POST", "/teams", { body: { name } });
    if (!response.ok) {
      expect(await refusalOf(response)).toEqual(DISK_FULL);
      return made;
    }
    await response.text();
    made.push(name);
  }
  throw new Error("the disk did not fill up");
}

async function teamNames(admin: Client): Promise<string[]> {
  return (await admin.get("/teams")).map((team) => team.name);
}

onSmallDisk("a full disk refuses writes, and everything works again with space", async (disk) => {
  const data = `${disk.path}/data`;
  await using at = await compiledWorld({ model: true, data });
  const { admin, model } = at;
  model.on("boss", () => say("all is well"));

  await disk.fill();
  const made = await writeUntilRefused(admin);
  // Refused writes changed nothing, accepted writes are there.
  const together = await Promise.all(
    Array.from({ length: 20 }, (_, number) => refusalOf(admin.post("/teams", { name: `late ${number}` }))),
  );
  expect(together).toEqual(together.map(() => DISK_FULL));
  expect((await teamNames(admin)).toSorted()).toEqual(made.toSorted());
  expect(await refusalOf(admin.post(`${at.own}/chat`, { text: "x" }))).toEqual(DISK_FULL);
  expect(await refusalOf(admin.delete(at.own))).toEqual(DISK_FULL);
  expect(await admin.get(`${at.own}/turns`)).toEqual([]);
  expect((await fetch(`${at.url}/health`)).status).toBe(503);

  await disk.free();
  await admin.post("/teams", { name: "after" });
  expect((await teamNames(admin)).toSorted()).toEqual([...made, "after"].toSorted());
  expect((await at.chat("again")).turn.status).toBe("done");
  expect(model.problems).toEqual([]);
  expect(await at.program.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  expect(await brokenInvariants(data, "at rest")).toEqual([]);
});

onSmallDisk(
  "a turn stopped by the full disk ends once there is space, and the next one runs",
  async (disk) => {
    const data = `${disk.path}/data`;
    const held = gate();
    await using at = await compiledWorld({
      model: { boss: [[held, say("said while the disk was full")]] },
      data,
    });
    const { admin, model } = at;
    const turn = await at.begin("before");
    await held.reached;
    await disk.fill();
    await writeUntilRefused(admin);
    // The model answers, but the answer cannot be stored.
    held.open();
    await model.waitFor((request) => request.state !== "open");
    await writeUntilRefused(admin);

    await disk.free();
    expect(OVER).toContain((await at.end(turn)).status);
    model.on("boss", () => say("all is well"));
    expect((await at.chat("again")).turn.status).toBe("done");
    expect(model.problems).toEqual([]);
    await at.program.end("SIGTERM");
    expect(await brokenInvariants(data, "at rest")).toEqual([]);
  },
);

onSmallDisk("health reports a full disk while reads continue, and its recovery", async (disk) => {
  await using service = await runService({ data: `${disk.path}/data` });
  const health = async () => {
    const response = await fetch(`${service.url}/health`);
    const { status, problems } = (await response.json()) as HealthState;
    return {
      code: response.status,
      status,
      full: problems.filter(({ reason }) => reason === "full").length > 0,
    };
  };
  expect(await health()).toEqual({ code: 200, status: "ok", full: false });
  await disk.fill();
  await eventually(health, { code: 503, status: "degraded", full: true });
  await disk.free();
  await eventually(health, { code: 200, status: "ok", full: false });
});

onSmallDisk("stops cleanly on a full disk", async (disk) => {
  const data = `${disk.path}/data`;
  await using service = await runService({ data });
  // A used token has a last-used time to write at the stop.
  await fetch(`${service.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${service.token}` } });
  await disk.fill();
  await writeUntilRefused(service.admin);
  expect(await service.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  await disk.free();
  await using again = await runService({ data });
  expect(
    (await fetch(`${again.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${service.token}` } }))
      .status,
  ).toBe(200);
});

onSmallDisk("refuses to start on a full disk and leaves nothing behind", async (disk) => {
  await disk.fill();
  const refused = await runService({ data: `${disk.path}/data` }).catch((error: unknown) => String(error));
  expect(refused).toMatch(/Error: .*(disk is full|no space left)/i);
  expect(refused).not.toContain("unexpected failure");
  const names = [...new Bun.Glob("**").scanSync({ cwd: disk.path, onlyFiles: false })];
  expect(names).toEqual(["filler"]);
});
