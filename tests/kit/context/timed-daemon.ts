// A daemon on a clock that a test moves, with every request that it sends.

import { Client, networkTransport, type Transport } from "../../../src/context/client/client.ts";
import { Daemon } from "../../../src/context/replica/daemon.ts";
import { daemonStatus, lockDaemon, type DaemonStatus } from "../../../src/context/replica/daemon-status.ts";
import { eventually } from "../eventually.ts";
import { within } from "../within.ts";
import { silent } from "../silent.ts";
import type { ManualClock } from "../manual-clock.ts";
import { replica, type Replica } from "./replica.ts";

export interface TimedDaemon extends AsyncDisposable {
  readonly copy: Replica;
  /** Of its cycles: method and path. */
  readonly requests: string[];
  /** When it sent each request, also those for event streams. */
  readonly times: number[];
  status(): DaemonStatus | undefined;
}

interface TimedDaemonOptions {
  readonly directory: string;
  readonly url: string;
  readonly token: string;
  readonly clock: ManualClock;
  readonly through?: (transport: Transport) => Transport;
}

/** Joins the space, and starts. */
export async function timedDaemon(options: TimedDaemonOptions): Promise<TimedDaemon> {
  const { directory, url, token, clock, through = (transport) => transport } = options;
  const copy = replica({ directory, url, token, clock });
  await copy.join();
  const requests: string[] = [];
  const times: number[] = [];
  const connect = () => {
    const network = through(networkTransport(url, token, clock));
    const send: Transport["send"] = (method, path, ...rest) => {
      times.push(clock.elapsed());
      if (!isStream(path)) requests.push(`${method} ${path.replace(/^.*\//, "/").replace(/\?.*/, "")}`);
      return network.send(method, path, ...rest);
    };
    return new Client({ ...network, send });
  };
  const lock = lockDaemon(directory);
  const daemon = new Daemon({
    directory,
    connect: () => Promise.resolve(connect()),
    clock,
    timers: clock,
    log: silent,
    pid: 1,
  });
  const running = daemon.run();
  return {
    copy,
    requests,
    times,
    status: () => daemonStatus(directory),
    async [Symbol.asyncDispose]() {
      daemon.stop();
      await within("the daemon ends", running);
      lock[Symbol.dispose]();
    },
  };
}

export function isStream(path: string): boolean {
  return path.startsWith("/api/v1/events");
}

/** Until it follows the server's events and has nothing to do before the next regular look. Forgets its requests so far. */
export async function settled(clock: ManualClock, ...daemons: readonly TimedDaemon[]): Promise<void> {
  for (const one of daemons) await eventually(() => one.status()?.connected, true);
  const looks = () => clock.waits().filter((ms) => ms === FULL_LOOK_MS).length;
  await eventually(looks, daemons.length);
  for (const { requests, times } of daemons) requests.length = times.length = 0;
}

/** As docs/sync.md says. */
export const FULL_LOOK_MS = 15 * 60_000;

/** Event streams that carry only what the test sends. */
export function scriptedStreams() {
  const opened: ReadableStreamDefaultController<Uint8Array>[] = [];
  const stream = (signal: AbortSignal | undefined) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        opened.push(controller);
        signal?.addEventListener("abort", () => controller.error(signal.reason));
        controller.enqueue(HEARTBEAT);
      },
    });
  return {
    opened,
    beat: () => opened.at(-1)!.enqueue(HEARTBEAT),
    through: (transport: Transport): Transport => ({
      ...transport,
      send: (...request) =>
        isStream(request[1])
          ? Promise.resolve(new Response(stream(request[2].signal)))
          : transport.send(...request),
    }),
  };
}

const HEARTBEAT = new TextEncoder().encode(": heartbeat\n\n");
