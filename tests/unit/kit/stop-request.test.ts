// Goal: a process that is asked to stop learns it, on Windows by a file that no later process takes for its own.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { forgetStop, requestStop, waitForStop } from "../../../src/kit/processes/stop-request.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { within } from "../../kit/within.ts";

const program = (folder: string, system: string) => `
  const { waitForStop } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/kit/processes/stop-request.ts"))});
  const stopped = waitForStop(${JSON.stringify(folder)}, ${JSON.stringify(system)});
  console.log("waiting");
  console.log(await stopped);
  process.exit(0);`;

/** Stops once its standard input has ended. */
const slow = (folder: string) => `
  const { waitForStop } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/kit/processes/stop-request.ts"))});
  const stopped = waitForStop(${JSON.stringify(folder)});
  console.log("waiting");
  await stopped;
  console.log("stopping");
  await Bun.stdin.text();
  console.log("stopped");
  process.exit(0);`;

async function slowProcess(folder: string) {
  const child = Bun.spawn([process.execPath, "-e", slow(folder)], { stdio: ["pipe", "pipe", "inherit"] });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const says = async () => (await within("the process says something", reader.read())).value;
  expect(await says()).toBe("waiting\n");
  return { child, says };
}

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

test.skipIf(process.platform === "win32")(
  "a second request does not hurry a process that stops",
  async () => {
    await using folder = await temporaryFolder();
    const { child, says } = await slowProcess(folder.path);
    // At once, as two people do, and once it is stopping.
    for (let request = 0; request < 2; request += 1) requestStop(child.pid, folder.path);
    expect(await says()).toBe("stopping\n");
    requestStop(child.pid, folder.path);
    child.stdin.end();
    expect([await says(), await within("the process ends", child.exited)]).toEqual(["stopped\n", 0]);
    expect(existsSync(join(folder.path, `stop-${child.pid}`))).toBe(false);
    // It is gone.
    requestStop(child.pid, folder.path);
    expect(existsSync(join(folder.path, `stop-${child.pid}`))).toBe(false);
  },
);

test.skipIf(process.platform === "win32")(
  "a request does not hurry a process that a signal stops",
  async () => {
    await using folder = await temporaryFolder();
    const { child, says } = await slowProcess(folder.path);
    child.kill("SIGTERM");
    expect(await says()).toBe("stopping\n");
    requestStop(child.pid, folder.path);
    child.stdin.end();
    expect([await says(), await within("the process ends", child.exited)]).toEqual(["stopped\n", 0]);
  },
);

test.skipIf(process.platform === "win32")(
  "a request reaches a process also where no file can be written",
  async () => {
    await using folder = await temporaryFolder();
    const { child, says } = await slowProcess(folder.path);
    requestStop(child.pid, join(folder.path, "missing"));
    expect(await says()).toBe("stopping\n");
    child.stdin.end();
    expect([await says(), await within("the process ends", child.exited)]).toEqual(["stopped\n", 0]);
  },
);

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

test.skipIf(process.platform === "win32")(
  "a request that its process did not remove any more is forgotten",
  async () => {
    await using folder = await temporaryFolder();
    const child = Bun.spawn(["sleep", "60"]);
    requestStop(child.pid, folder.path);
    await within("the process ends", child.exited);
    const request = join(folder.path, `stop-${child.pid}`);
    expect(existsSync(request)).toBe(true);
    forgetStop(child.pid, folder.path);
    expect(existsSync(request)).toBe(false);
  },
);
