// Goal: the address that a server left leads to the new one for ten minutes, on this machine only, and never hides the server itself.

import { expect, test } from "bun:test";
import { leadFrom } from "../../src/context/left-address.ts";
import { portProblem } from "../../src/kit/network/port.ts";
import { eventually } from "../kit/eventually.ts";
import { keptPort } from "../kit/kept-port.ts";
import { manualClock, MINUTE_MS } from "../kit/manual-clock.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const move = { url: "http://127.0.0.1:9", tls: undefined, formFolders: [] };

test("leads for ten minutes, then the port is free", async () => {
  const clock = manualClock();
  const port = await keptPort("127.0.0.1");
  const from = { host: "127.0.0.1", port };
  const left = leadFrom({ ...move, from, to: { host: "127.0.0.1", port: 9 } }, log, clock)!;
  clock.advance(10 * MINUTE_MS - 1);
  const led = await fetch(`http://127.0.0.1:${port}/console`, { redirect: "manual" });
  expect([led.status, led.headers.get("location")]).toEqual([303, "http://127.0.0.1:9/console"]);
  clock.advance(1);
  await eventually(() => portProblem("127.0.0.1", port), undefined);
  await left.close();
});

test("a server that stops does not wait for that", async () => {
  const clock = manualClock();
  const port = await keptPort("127.0.0.1");
  const from = { host: "127.0.0.1", port };
  await leadFrom({ ...move, from, to: { host: "192.0.2.1", port } }, log, clock)!.close();
  expect(clock.waits()).toEqual([]);
  await eventually(() => portProblem("127.0.0.1", port), undefined);
});

test("leads from no address of the network, from none that the server still has, and from none that is taken", async () => {
  const clock = manualClock();
  using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const port = await keptPort("127.0.0.1");
  const moves = [
    ["0.0.0.0", port, "127.0.0.1", 9],
    ["127.0.0.1", port, "0.0.0.0", port],
    ["127.0.0.1", port, "::", port],
    ["127.0.0.1", other.port, "127.0.0.1", 9],
  ] as const;
  for (const [host, at, toHost, toPort] of moves) {
    const where = { from: { host, port: at }, to: { host: toHost, port: toPort } };
    expect(leadFrom({ ...move, ...where }, log, clock)).toBeUndefined();
  }
  expect(clock.waits()).toEqual([]);
});
