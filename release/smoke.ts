// Does what was built run at all? Starts the native programs the way a person would: version, help, serve, health, stop.
// Tests go deeper; this is for the machine that just built a release and for CI on systems where a full run is slow.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, capture, fail, readManifest, seconds } from "./step.ts";
import { nativeExtension, programs, type ProgramName } from "./targets.ts";

const START_DEADLINE_MS = 15_000;
const STOP_DEADLINE_MS = 15_000;

function binary(name: ProgramName): string {
  const path = join(ROOT, "dist", `${name}${nativeExtension}`);
  return existsSync(path) ? path : fail(`${path} is missing: run npm run build`);
}

async function expectOutput(command: string[], wanted: string): Promise<void> {
  const { exitCode, output } = await capture(command);
  const shown = [command[0]?.slice(ROOT.length + 1), ...command.slice(1)].join(" ");
  if (exitCode !== 0) fail(`${shown}: exit code ${exitCode}\n${output}`);
  if (!output.includes(wanted)) fail(`${shown}: “${wanted}” is not in the output\n${output}`);
  console.log(`smoke: ${shown} ok`);
}

/** The address is in the log, since port 0 lets the system choose; whatever comes first, address or exit, decides. */
async function serveAndStop(): Promise<void> {
  const started = performance.now();
  const data = await mkdtemp(join(tmpdir(), "cairn-smoke-"));
  const child = Bun.spawn([binary("service"), "serve", "--data", data, "--listen", "127.0.0.1:0"], {
    cwd: data,
    stdio: ["ignore", "inherit", "pipe"],
  });
  const overdue = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  let log = "";
  let url: string | undefined;
  try {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      log += decoder.decode(chunk, { stream: true });
      if (url !== undefined) continue; // Read on to the end, so that the program never waits for us.
      const address = /127\.0\.0\.1:[1-9]\d*/.exec(log)?.[0];
      if (address === undefined) continue;
      url = `http://${address}`;
      clearTimeout(overdue);
      await expectHealthy(url);
      stop(child);
    }
    const exitCode = await child.exited;
    if (url === undefined) fail(`service serve never said where it listens (exit code ${exitCode})\n${log}`);
    // Windows knows no SIGTERM for another process: stopping it is killing it.
    if (exitCode !== 0 && process.platform !== "win32")
      fail(`service serve: exit code ${exitCode} after SIGTERM\n${log}`);
    console.log(`smoke: service serve, /health, SIGTERM ok  ${seconds(started)}`);
  } finally {
    clearTimeout(overdue);
    child.kill("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
}

async function expectHealthy(url: string): Promise<void> {
  const answer = await fetch(`${url}/health`);
  const body = await answer.text();
  if (answer.status !== 200 || !body.includes('"ok"')) fail(`/health: ${answer.status} ${body}`);
}

function stop(child: Bun.Subprocess): void {
  child.kill("SIGTERM");
  const overdue = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
  overdue.unref();
}

const { version } = await readManifest();
for (const { name } of programs) {
  await expectOutput([binary(name), "version"], version);
  await expectOutput([binary(name), "--help"], name);
}
await serveAndStop();
