// Goal: event streams stay alive while idle, buffer a bounded amount for slow viewers, and end cleanly. Over real connections: what a viewer has not
// read is in the buffers of the system, of the runtime and our own.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "bun:test";
import { frame, Streams, type Viewer } from "../../../src/kit/http/sse.ts";
import { Bodies } from "../../../src/kit/http/bodies.ts";
import { innerExchange } from "../../../src/kit/http/exchange.ts";
import { eventually, until } from "../../kit/eventually.ts";
import { within } from "../../kit/within.ts";

const CHUNK = frame("x", "y".repeat(1_000_000));
/** More than the system keeps for a connection. */
const LARGE = frame("x", "y".repeat(20_000_000));
const CHUNKS_MAX = 40;

interface Lab extends AsyncDisposable {
  readonly streams: Streams;
  /** Seconds until the connections of ended streams are closed. */
  readonly closing: number[];
  readonly left: number;
  /** Connects a viewer that has read its first heartbeat, and reads nothing more until it is told to. */
  open(): Promise<Opened>;
}

interface Opened {
  readonly viewer: Viewer;
  readonly socket: Socket;
  /** Reads until the connection is closed. Resolves to everything after the first heartbeat. */
  rest(): Promise<string>;
}

/** `closeAfter`: what an ended stream's seconds become. */
async function lab(heartbeatMs?: number, closeAfter = (seconds: number) => seconds): Promise<Lab> {
  const streams = new Streams(heartbeatMs);
  const state = { closing: [] as number[], left: 0 };
  const viewers: Viewer[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const exchange = {
        ...innerExchange("1", request, new Bodies()),
        keepOpen: () => server.timeout(request, 0),
        closeAfter: (seconds: number) => {
          state.closing.push(seconds);
          server.timeout(request, closeAfter(seconds));
        },
      };
      return streams.answer(exchange, (viewer) => {
        viewers.push(viewer);
        return () => void state.left++;
      });
    },
  });
  return {
    streams,
    closing: state.closing,
    get left() {
      return state.left;
    },
    async open() {
      const socket = connect(server.port!, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      let head = "";
      while (!head.includes(": heartbeat\n\n")) head += String((await once(socket, "data"))[0]);
      socket.pause();
      return { viewer: viewers.at(-1)!, socket, rest: () => within("the connection closes", restOf(socket)) };
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

async function restOf(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "close");
  return Buffer.concat(pieces).toString("latin1");
}

/** Returns the number of chunks that the viewer's stream took before it ended. */
function fill(viewer: Viewer): number {
  let sent = 0;
  while (sent < CHUNKS_MAX && viewer.send(CHUNK)) sent++;
  return sent;
}

const chunksIn = (text: string) => text.match(/event: x\n/g)?.length ?? 0;

test("sends heartbeats to a silent stream", async () => {
  await using at = await lab(5);
  const { viewer, socket, rest } = await at.open();
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString()));
  const over = rest();
  await until(() => text.split(": heartbeat\n\n").length > 3);
  viewer.end();
  await over;
});

test("ends a stream with eight megabytes pending, and still delivers them", async () => {
  await using at = await lab();
  const { viewer, rest } = await at.open();
  const sent = fill(viewer);
  expect(sent).toBeGreaterThanOrEqual(9);
  expect(sent).toBeLessThan(CHUNKS_MAX);
  expect([at.left, at.streams.size]).toEqual([1, 0]);
  expect([viewer.send(CHUNK), await viewer.drained()]).toEqual([false, false]);
  // Not forever: a viewer that never reads again would hold its connection and buffer.
  expect(at.closing).toEqual([10]);
  const received = await rest();
  expect(chunksIn(received)).toBe(sent);
  expect(received).toEndWith("\r\n0\r\n\r\n");
});

test("closes the connection of an ended stream that nobody reads", async () => {
  await using at = await lab(undefined, () => 1);
  const { viewer, rest } = await at.open();
  const sent = fill(viewer);
  // The runtime looks every four seconds.
  await Bun.sleep(6_000);
  expect(chunksIn(await rest())).toBeLessThan(sent);
});

test("sends an event that is larger than the buffer", async () => {
  await using at = await lab();
  const { viewer, rest } = await at.open();
  expect(viewer.send(LARGE)).toBe(true);
  const reading = rest();
  expect(await viewer.drained()).toBe(true);
  expect(viewer.send(frame("x", 1))).toBe(true);
  viewer.end();
  expect((await reading).match(/y+/g)!.join("")).toHaveLength(20_000_000);
});

test("waits while sending a long history until most of it has been read", async () => {
  await using at = await lab();
  const { viewer, rest } = await at.open();
  viewer.send(LARGE);
  let drained = false;
  const waiting = viewer.drained().then((still) => (drained = still));
  await Bun.sleep(50);
  expect(drained).toBe(false);
  const reading = rest();
  await waiting;
  expect(drained).toBe(true);
  viewer.end();
  expect(chunksIn(await reading)).toBe(1);
});

test("waits no longer for a viewer that left", async () => {
  await using at = await lab();
  const { viewer, socket } = await at.open();
  viewer.send(LARGE);
  socket.destroy();
  expect(await viewer.drained()).toBe(false);
  expect([at.left, at.streams.size, viewer.send(CHUNK)]).toEqual([1, 0, false]);
});

test("ends all streams together, each once", async () => {
  await using at = await lab();
  const [first, second] = [await at.open(), await at.open()];
  first.socket.destroy();
  await eventually(() => at.streams.size, 1);
  at.streams.endAll();
  at.streams.endAll();
  expect(at.left).toBe(2);
  expect(await second.rest()).toEndWith("0\r\n\r\n");
});
