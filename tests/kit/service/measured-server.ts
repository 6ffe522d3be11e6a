// A server in a process of its own that says how long its event loop was kept, in processor time of its main thread: by the clock, a machine
// that is busy with other tests would be measured as well. Run as a program, this is the server; imported, it starts one.

import { openUi } from "../../../src/context/local-console.ts";
import { startServer } from "../../../src/context/main.ts";
import { startService } from "../../../src/service/main.ts";
import { localDeps } from "../context/space-doors.ts";
import { within } from "../within.ts";

const TICK_MS = 2;
const US_PER_MS = 1_000;

type Kind = "context" | "service" | "ui";

interface Started {
  readonly url: string;
  readonly sshPort: number | undefined;
}

interface Stretch {
  /** The longest since the last question, ms of processor. */
  readonly longest: number;
}

export interface MeasuredServer extends AsyncDisposable {
  readonly url: string;
  /** Of the terminal interface over SSH, if it is on. */
  readonly sshPort: number | undefined;
  /** Processor time of the longest stretch without a pause while `act` ran, in ms. */
  longestStretch(act: () => Promise<unknown>): Promise<number>;
  /** Keeps its main thread busy for so long: for the test of the measurement. */
  block(ms: number): void;
}

/** `directory`: of the data; for `service` it may be new, for `ui` it is a space, and the address has the key. */
export async function measuredServer(kind: Kind, directory: string): Promise<MeasuredServer> {
  const started = Promise.withResolvers<Started>();
  let answered: PromiseWithResolvers<number> | undefined;
  const child = Bun.spawn([process.execPath, import.meta.path, kind, directory], {
    env: process.env,
    stdio: ["ignore", "ignore", "inherit"],
    ipc: (message: Started | Stretch) => {
      if ("url" in message) started.resolve(message);
      else answered?.resolve(message.longest);
    },
    onExit: (_, code) => started.reject(new Error(`the measured server ended with ${code}`)),
  });
  const ask = () => {
    answered = Promise.withResolvers<number>();
    child.send("ask");
    return within("the measured server says how long its event loop was kept", answered.promise);
  };
  return {
    ...(await startOf(child, started.promise)),
    async longestStretch(act) {
      await ask();
      await act();
      return ask();
    },
    block: (ms) => child.send(ms),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** A server that does not start in time is killed, because its test cannot name it. */
async function startOf(child: Bun.Subprocess, started: Promise<Started>): Promise<Started> {
  try {
    return await within("the measured server starts", started);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

if (import.meta.main) {
  const [kind, directory] = process.argv.slice(2) as [Kind, string];
  let longest = 0;
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / US_PER_MS;
  };
  let before = used();
  const measure = () => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  };
  process.on("message", (message: "ask" | number) => {
    if (message !== "ask") {
      for (const end = used() + message; used() < end;);
      return;
    }
    measure();
    process.send!({ longest } satisfies Stretch);
    longest = 0;
  });
  process.on("disconnect", () => process.exit(0));
  let sshPort: number | undefined;
  const write = (line: string) => {
    const { message, port } = JSON.parse(line) as { message: string; port: number };
    if (message === "terminal interface over SSH") sshPort = port;
  };
  const log = { format: "json" as const, write };
  const start: Readonly<Record<Kind, () => Promise<{ readonly url: string }>>> = {
    context: () => startServer({ directory, log, port: 0 }),
    service: () =>
      startService({
        flags: { data: directory, listen: "127.0.0.1:0", logLevel: "error" },
        environment: { HOME: directory, PATH: "/nonexistent" },
        log,
      }),
    ui: async () => {
      const ui = await openUi({ directory, deps: localDeps, address: "127.0.0.1", port: 0 });
      return { url: ui.newAddress() };
    },
  };
  const { url } = await start[kind]();
  setInterval(measure, TICK_MS);
  process.send!({ url, sshPort } satisfies Started);
}
