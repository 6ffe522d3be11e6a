// Goal: a process that is asked to stop learns it, on Windows by a file that no later process takes for its own.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { requestStop, waitForStop } from "../../../src/kit/processes/stop-request.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { within } from "../../kit/within.ts";

const program = (folder: string, system: string) => `
  const { waitForStop } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/kit/processes/stop-request.ts"))});
  const stopped = waitForStop(${JSON.stringify(folder)}, ${JSON.stringify(system)});
  console.log("waiting");
  console.log(await stopped);
  process.exit(0);`;

test.each([
  ["win32", "request"],
  ["linux", "SIGTERM"],
])("on %s the process learns of the request as %s", async (system, learned) => {
  await using folder = await temporaryFolder();
  const child = Bun.spawn([process.execPath, "-e", program(folder.path, system)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = child.stdout.pipeThrough(new TextDecoderStream());
  const reader = output.getReader();
  expect((await reader.read()).value).toBe("waiting\n");
  requestStop(child.pid, folder.path, system);
  expect((await reader.read()).value).toBe(`${learned}\n`);
  expect(await within("the process ends", child.exited)).toBe(0);
  expect(existsSync(join(folder.path, `stop-${child.pid}`))).toBe(false);
});

test("a request for an earlier process with the same ID is not for this one", async () => {
  await using folder = await temporaryFolder();
  requestStop(process.pid, folder.path, "win32");
  const stopped = waitForStop(folder.path, "win32");
  expect(existsSync(join(folder.path, `stop-${process.pid}`))).toBe(false);
  requestStop(process.pid, folder.path, "win32");
  expect(await stopped).toBe("request");
});

test("a request that cannot be removed is a request", async () => {
  await using folder = await temporaryFolder();
  const stopped = waitForStop(folder.path, "win32");
  mkdirSync(join(folder.path, `stop-${process.pid}`, "held"), { recursive: true });
  expect(await stopped).toBe("request");
});
