// Small gears for tests, and a sandbox that only says what it was asked to run. Programs run for real unless a test hands that in.

import type { GearDetail } from "../../../src/service/gears/schema.ts";
import type { Sandbox, SandboxRequest, SandboxResult } from "../../../src/service/sandbox/sandbox.ts";
import type { Client } from "../http/client.ts";
import { NO_DOCKER } from "../isolation.ts";
import { within } from "../within.ts";
import { GEAR_RUNS_AT_ONCE_MAX } from "../../../src/service/gears/schema.ts";

/** Lets the service find the interpreters of this machine, and no container daemon. */
export const withPrograms = { environment: { PATH: process.env.PATH ?? "", DOCKER_HOST: NO_DOCKER } };

/**
 * Bash, on Linux: three processes in sessions of their own, one of them no longer a child of the gear, one with an empty environment. Says
 * `child <pid>` of each, once it has left the gear's group.
 */
export const DAEMONS = [
  `read -r one < <(setsid sh -c 'echo $$; exec sleep 600')`,
  `read -r two < <(setsid sh -c '(setsid sh -c "echo \\$\\$; exec sleep 600" &)')`,
  `read -r three < <(env -i setsid nohup sh -c 'echo $$; exec sleep 600')`,
  "echo child $one; echo child $two; echo child $three",
].join("\n");

/** Of what a gear says of its children. */
export function childrenIn(text: string): number[] {
  return [...text.matchAll(/child (\d+)/g)].map((match) => Number(match[1]));
}

export const ANY_ARGS = JSON.stringify({ type: "object" });

/** Writes its arguments back. */
export const ECHO = { name: "echo_args", runtime: "bash", code: "cat\n", args_schema: ANY_ARGS };

/** Creates a gear and returns it as its own page shows it. */
export async function makeGear(client: Client, fields: Record<string, unknown> = {}): Promise<GearDetail> {
  const { id } = await client.post("/gears", { ...ECHO, ...fields });
  return client.get(`/gears/${id}`);
}

export async function approvedGear(admin: Client, fields: Record<string, unknown> = {}): Promise<GearDetail> {
  const gear = await makeGear(admin, fields);
  return admin.patch(`/gears/${gear.id}`, { status: "approved", content_hash: gear.content_hash });
}

/** Says that it isolates, keeps what it was asked to run, and answers with the arguments. */
export function isolatedSandbox(
  run?: (request: SandboxRequest) => Promise<Partial<SandboxResult>>,
): Sandbox & { requests: SandboxRequest[] } {
  const requests: SandboxRequest[] = [];
  return {
    kind: "docker",
    isolated: true,
    requests,
    decided: async () => {},
    prepare: async () => {},
    unenforced: [],
    missingImages: async () => [],
    requireRuntime: async () => {},
    run: async (request) => {
      requests.push(request);
      const result = {
        exitCode: 0,
        stdout: request.stdin,
        stderr: "",
        timedOut: false,
        truncated: false,
        durationMs: 1,
      };
      return { ...result, ...(await run?.(request)) };
    },
    stop: async () => {},
  };
}

/** A sandbox whose runs go on until `open` is called. The promise of `full` resolves when as many run as may at once. */
export function heldSandbox() {
  const opened = Promise.withResolvers<void>();
  const filled = Promise.withResolvers<void>();
  const sandbox = isolatedSandbox(async () => {
    if (sandbox.requests.length === GEAR_RUNS_AT_ONCE_MAX) filled.resolve();
    await opened.promise;
    return {};
  });
  const full = () => within(`${GEAR_RUNS_AT_ONCE_MAX} gears run`, filled.promise);
  return { sandbox, open: opened.resolve, full };
}
