// Goal: tests run in empty surroundings, and a rejection that nobody handles fails them.

import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";

const PRELOAD = join(import.meta.dir, "..", "kit", "preload.ts");

async function runTestFile(code: string, environment: Record<string, string> = {}) {
  await using folder = await temporaryFolder();
  await folder.write("bunfig.toml", `[test]\npreload = [${JSON.stringify(PRELOAD)}]\n`);
  await folder.write("one.test.ts", `import { expect, test } from "bun:test";\n${code}`);
  const child = Bun.spawn([process.execPath, "test"], {
    cwd: folder.path,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stderr, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  return { stderr: Bun.stripANSI(stderr), exitCode };
}

test("HOME is a folder of its own, and keys, service settings and proxies are gone", async () => {
  const code = `test("clean", () => {
    const names = ["ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "SERVICE_DATA", "https_proxy", "HTTP_PROXY", "BUN_OPTIONS"];
    expect(names.filter((name) => process.env[name] !== undefined)).toEqual([]);
    expect(process.env.HOME).toStartWith(${JSON.stringify(join(tmpdir(), "cairn-test-home-"))});
    expect(process.env.KEPT).toBe("yes");
  });`;
  const hostile = {
    ANTHROPIC_API_KEY: "sk-x",
    OPENAI_BASE_URL: "http://127.0.0.1:1",
    SERVICE_DATA: "x",
    https_proxy: "http://127.0.0.1:1",
    HTTP_PROXY: "http://127.0.0.1:1",
    KEPT: "yes",
  };
  expect(await runTestFile(code, hostile)).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining(" 1 pass\n"),
  });
});

test("a docker daemon of the machine is found only by tests about containers", async () => {
  const kit = JSON.stringify(join(import.meta.dir, "..", "kit", "isolation.ts"));
  const code = `import { machinesDocker } from ${kit};
  const found = ({ DOCKER_HOST, DOCKER_CONTEXT }) => ({ DOCKER_HOST, DOCKER_CONTEXT });
  test("clean", () => {
    expect(found(process.env)).toEqual({ DOCKER_HOST: "unix:///nonexistent/docker.sock" });
    expect(machinesDocker()).toEqual(MACHINE);
  });`;
  const machine = { DOCKER_HOST: "tcp://127.0.0.1:1", DOCKER_CONTEXT: "far" };
  expect(await runTestFile(code.replace("MACHINE", JSON.stringify(machine)), machine)).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining(" 1 pass\n"),
  });
});

test("an unhandled rejection fails the run", async () => {
  const code = `test("leaks", () => { void Promise.reject(new Error("nobody waits for me")); });`;
  expect(await runTestFile(code)).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining("nobody waits for me"),
  });
});
