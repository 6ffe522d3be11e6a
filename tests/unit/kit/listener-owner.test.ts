// Goal: the user whose program takes connections to an address is found, and nobody where no program does.

import { expect, test } from "bun:test";
import { listenersAt } from "../../../src/kit/network/listener-owner.ts";

const listening = (hostname: string) => Bun.listen({ hostname, port: 0, socket: { data: () => {} } });
const onLinux = test.skipIf(process.platform !== "linux");

onLinux.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
  ["0.0.0.0", "localhost"],
  ["127.0.0.2", "127.0.0.2"],
  ["::1", "[::1]"],
  ["::1", "localhost"],
])("a listener on %s belongs to the user of this test, asked by %s", (address, host) => {
  using server = listening(address);
  expect(listenersAt(host, server.port)).toEqual([process.getuid!()]);
});

onLinux("a listener on another address counts for nothing, and neither does one that is gone", () => {
  const server = listening("127.0.0.2");
  expect(listenersAt("127.0.0.1", server.port)).toEqual([]);
  server.stop(true);
  expect(listenersAt("127.0.0.2", server.port)).toEqual([]);
});

test("nobody is found for another address of IPv6, or for a name", () => {
  expect([listenersAt("[fe80::1]", 1), listenersAt("example.org", 1)]).toEqual([[], []]);
});
