// Goal: health of the context server writes wherever it keeps something: a full disk is 503 with the kind of problem and no path, `doctor` says
// the same, and both end when there is space again.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examine } from "../../src/context/doctor/doctor.ts";
import { initServer } from "../../src/context/init-server.ts";
import { startServer } from "../../src/context/main.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { HealthState } from "../../src/kit/health.ts";
import { Value } from "@sinclair/typebox/value";
import { contextClient } from "../kit/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { smallDisk } from "../kit/small-disk.ts";

const log = { format: "json" as const, write: () => {} };

test("a full disk is 503, doctor says so, and reads go on", async () => {
  await using folder = await temporaryFolder();
  await using disk = await smallDisk(folder);
  if (!disk) return;
  const directory = join(disk.path, "server");
  const { token } = await initServer(
    { directory, space: "team", admin: "root", port: 0, template: "blank" },
    log,
  );
  const server = await startServer({ directory, log, port: 0 });
  try {
    const client = contextClient(server.url, token);
    await client.write("a.md", "one");
    const health = async () => {
      const response = await fetch(`${server.url}/health`);
      const state = (await response.json()) as HealthState;
      expect(Value.Check(HealthState, state)).toBe(true);
      return [
        response.status,
        state.problems.map(({ what, reason }) => `${what} ${reason}`).includes("disk full"),
      ];
    };
    expect(await health()).toEqual([200, false]);
    await disk.fill();
    await eventually(health, [503, true]);
    expect(await client.read("a.md")).toBe("one");
    const { checks } = await examine(directory, folder.path, systemClock);
    expect(checks.find(({ check }) => check === "health")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("degraded, "),
      fix: `free some space on the disk of ${directory}`,
    });
    await disk.free();
    await eventually(health, [200, false]);
  } finally {
    await server.stop("test is over");
  }
});

/** A server that can be stopped and started again. */
async function restartable(folder: { readonly path: string }) {
  const directory = join(folder.path, "server");
  const { token } = await initServer(
    { directory, space: "team", admin: "root", port: 0, template: "blank" },
    log,
  );
  let server = await startServer({ directory, log, port: 0 });
  const client = () => contextClient(server.url, token);
  return {
    client,
    spaces: join(directory, "spaces"),
    addSpace: (name: string) => client().post("/spaces", { name, template: "blank" }),
    databaseOf: (name: string) => join(directory, "spaces", name, ".cairn/space.db"),
    async health() {
      const response = await fetch(`${server.url}/health`);
      const { problems } = (await response.json()) as HealthState;
      return [response.status, problems.map(({ what, reason }) => `${what} ${reason}`)];
    },
    /** `between`: done while the server is stopped. */
    async restart(between: () => void | Promise<void>) {
      await server.stop("a restart");
      await between();
      server = await startServer({ directory, log, port: 0 });
    },
    [Symbol.asyncDispose]: () => server.stop("test is over"),
  };
}

test("a space with a broken database is degraded without anybody asking for it, until it is opened again", async () => {
  await using folder = await temporaryFolder();
  await using at = await restartable(folder);
  await at.addSpace("other");
  expect(await at.health()).toEqual([200, []]);
  const path = at.databaseOf("other");
  let bytes = Buffer.alloc(0);
  await at.restart(() => {
    bytes = readFileSync(path);
    writeFileSync(path, Buffer.alloc(bytes.length, 0x5a));
  });
  await eventually(at.health, [200, ["spaces broken"]]);
  await at.client().write("a.md", "the others are served");
  writeFileSync(path, bytes);
  expect(await at.client().get<unknown[]>("/spaces")).toHaveLength(2);
  await eventually(at.health, [200, []]);
});

test("a full disk of a space that cannot be opened is 503", async () => {
  await using folder = await temporaryFolder();
  await using at = await restartable(folder);
  await using disk = await smallDisk({ ...folder, path: at.spaces });
  if (!disk) return;
  await at.addSpace("disk");
  await at.restart(async () => {
    writeFileSync(at.databaseOf("disk"), "no database");
    await disk.fill();
  });
  await eventually(at.health, [503, ["spaces full", "spaces broken"]]);
  await disk.free();
  await eventually(at.health, [200, ["spaces broken"]]);
});
