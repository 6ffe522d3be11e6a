// Goal: event streams stay alive while idle, buffer a bounded amount for slow viewers, and end cleanly.

import { expect, test } from "bun:test";
import { frame, Streams, type Viewer } from "../../../src/kit/http/sse.ts";
import { Bodies } from "../../../src/kit/http/bodies.ts";
import { innerExchange } from "../../../src/kit/http/exchange.ts";

/** Seconds until the connections of ended streams are closed. */
const closing: number[] = [];
const exchange = {
  ...innerExchange("1", new Request("http://localhost/"), new Bodies()),
  closeAfter: (seconds: number) => void closing.push(seconds),
};

/** Opens a stream and reads its first heartbeat. */
async function open(streams: Streams) {
  let viewer: Viewer | undefined;
  const state = { gone: 0 };
  const response = streams.answer(exchange, (given) => {
    viewer = given;
    return () => void state.gone++;
  });
  const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await reader.read();
  return { viewer: viewer!, reader, state };
}

test("sends heartbeats to a silent stream", async () => {
  const { viewer, reader } = await open(new Streams(5));
  for (let n = 0; n < 3; n++)
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(": heartbeat\n\n");
  viewer.end();
});

test("ends a stream with eight megabytes pending, and still delivers them", async () => {
  const streams = new Streams();
  const { viewer, reader, state } = await open(streams);
  const chunk = frame("x", "y".repeat(1_000_000));
  let sent = 0;
  while (viewer.send(chunk)) sent++;
  expect([sent, state.gone, streams.size]).toEqual([9, 1, 0]);
  expect([viewer.send(chunk), await viewer.drained()]).toEqual([false, false]);
  // Not forever: a viewer that never reads again would hold its connection and buffer.
  expect(closing.at(-1)).toBe(10);
  let received = 0;
  while (!(await reader.read()).done) received++;
  expect(received).toBe(9);
});

test("sends an event that is larger than the buffer", async () => {
  const { viewer, reader } = await open(new Streams());
  const large = frame("x", "y".repeat(12_000_000));
  expect(viewer.send(large)).toBe(true);
  expect((await reader.read()).value).toHaveLength(large.length);
  expect(viewer.send(frame("x", 1))).toBe(true);
  viewer.end();
});

test("waits while sending a long history until most of it has been read", async () => {
  const { viewer, reader } = await open(new Streams());
  viewer.send(frame("x", "y".repeat(1_000_000)));
  let drained = false;
  const waiting = viewer.drained().then((still) => (drained = still));
  await Promise.resolve();
  expect(drained).toBe(false);
  await reader.read();
  await waiting;
  expect(drained).toBe(true);
  viewer.end();
});

test("ends all streams together, each once", async () => {
  const streams = new Streams();
  const opened = [await open(streams), await open(streams)];
  await opened[0]!.reader.cancel();
  streams.endAll();
  streams.endAll();
  expect(opened.map(({ state }) => state.gone)).toEqual([1, 1]);
  expect((await opened[1]!.reader.read()).done).toBe(true);
});
