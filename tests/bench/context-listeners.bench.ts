// How soon an event reaches everybody who follows the stream of the context server: from the request that causes it until the last of a
// thousand has read it. The same number of bare streams of Bun.serve, told in one loop, is the limit.

import type { Socket } from "bun";
import { atEnd } from "../kit/at-end.ts";
import { runContext } from "../kit/context/running-context.ts";
import { firstLines } from "./programs.ts";
import { figure, median, type Row } from "./row.ts";

const LISTENERS = 1_000;
const EVENTS = 10;
const TARGET_MS = 100;

export async function run(): Promise<Row[]> {
  const limit = await bare();
  await using server = await runContext();
  const { admin } = server;
  await admin.write("told.md", "0");
  const headers = { Authorization: `Bearer ${server.bootstrap}` };
  const audience = await Audience.of(`${server.url}/api/v1/events`, headers);
  const measured = await audience.times((count) => admin.write("told.md", `${count} told`));
  audience.leave();
  const name = `an event reaches all of ${LISTENERS} listeners, median of ${EVENTS}`;
  return [figure(name, measured, { limit, atMost: TARGET_MS })];
}

/** Everybody who listens, each on a connection of its own: `fetch` opens only a few hundred at once. */
class Audience {
  readonly #sockets: Socket<undefined>[] = [];
  #waited = 0;
  #allTold = () => {};

  static async of(url: string, headers: Record<string, string>): Promise<Audience> {
    const { hostname, port, pathname } = new URL(url);
    const lines = [`GET ${pathname} HTTP/1.1`, `Host: ${hostname}:${port}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    const audience = new Audience();
    for (let count = 0; count < LISTENERS; count++)
      audience.#sockets.push(
        await listener(hostname, Number(port), `${lines.join("\r\n")}\r\n\r\n`, () => audience.#told()),
      );
    return audience;
  }

  /** Median over several events of the time from the cause to the last one told, in ms. */
  async times(cause: (count: number) => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let count = 0; count < EVENTS; count++) {
      this.#waited = LISTENERS;
      const all = new Promise<void>((resolve) => (this.#allTold = resolve));
      const started = performance.now();
      await cause(count);
      await all;
      times.push(performance.now() - started);
    }
    return median(times);
  }

  leave(): void {
    for (const socket of this.#sockets) socket.end();
  }

  #told(): void {
    this.#waited -= 1;
    if (this.#waited === 0) this.#allTold();
  }
}

/** Resolves when the stream has begun; `told` is called with each event after that. */
function listener(hostname: string, port: number, request: string, told: () => void) {
  return new Promise<Socket<undefined>>((resolve, reject) => {
    let begun = false;
    void Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, bytes) {
          const text = bytes.toString();
          if (begun) {
            if (text.includes("data:")) told();
            return;
          }
          if (!text.startsWith("HTTP/1.1 200")) return reject(new Error(text.slice(0, 200)));
          begun = true;
          resolve(socket);
        },
        connectError: (_socket, error) => reject(error),
      },
    });
  });
}

async function bare(): Promise<number> {
  const program = `
    const all = new Set();
    const s = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch(request) {
      if (request.method === "PUT") { for (const one of all) one.enqueue("data: told\\n\\n"); return new Response(null, { status: 204 }); }
      return new Response(new ReadableStream({ start(one) { all.add(one); one.enqueue(": here\\n\\n"); } }));
    } });
    console.log(s.port)`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await using _ = atEnd(() => child.kill());
  const url = `http://127.0.0.1:${Number(await firstLines(child.stdout, /\n/))}`;
  const audience = await Audience.of(url, {});
  const measured = await audience.times(() => fetch(url, { method: "PUT" }));
  audience.leave();
  return measured;
}
