// Our own listener as a provider: every spelling of it is refused, its neighbours are not.

import { networkInterfaces } from "node:os";
import { expect, test } from "bun:test";
import { refuseOwnListener, systemResolve } from "../../../src/service/catalog/addresses.ts";
import { refusalText } from "../../kit/refusal.ts";

const listener = () => ({ host: "127.0.0.1", port: 8688 });
const nowhere = () => Promise.reject(new Error("asked the resolver"));
const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .map(({ address, family }) => (family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address));

test.each([
  "127.0.0.1",
  "127.1.2.3",
  "2130706433",
  "0x7f.1",
  "0.0.0.0",
  "127.1",
  "127.0.0.1.",
  "0177.0.0.1",
  "0x7f000001",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:7f00:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:0.0.0.0]",
  "localhost",
  "LOCALHOST.",
  "any.localhost",
  ...own,
])("%s with our port is refused", async (host) => {
  // Goal: the address counts, not its spelling, and the resolver is not needed.
  const refusal = await refusalText(() => refuseOwnListener(`http://${host}:8688/v1`, listener, nowhere));
  expect(refusal).toMatch(
    /^refused: http:\/\/\S+:8688 is this server itself; use the address of another server$/,
  );
});

test.each([[["127.0.0.1"]], [["::1"]], [["::ffff:127.0.0.1"]], [["192.0.2.200", "127.0.0.1"]]])(
  "a name for %p is refused",
  async (addresses) => {
    // Goal: one of several addresses is enough.
    const refuse = () =>
      refuseOwnListener("https://name.example:8688", listener, () => Promise.resolve(addresses));
    expect(await refusalText(refuse)).toMatch(/^refused: https:\/\/name\.example:8688 is this server itself/);
  },
);

test.each([
  "http://127.0.0.1:8689/v1",
  "http://localhost/v1",
  "https://127.0.0.1",
  "http://198.51.100.7:8688/v1",
  "http://[2001:db8::7]:8688",
])("%s passes", async (url) => {
  // Goal: another port or another machine is a provider like any other; the resolver is not asked.
  expect(await refuseOwnListener(url, listener, nowhere)).toBeUndefined();
});

test("default ports count as ports", async () => {
  // Goal: http without a port is 80, https 443.
  const on = (port: number) => () => ({ host: "127.0.0.1", port });
  expect(await refusalText(() => refuseOwnListener("http://localhost", on(80)))).toMatch(
    /^refused: http:\/\/localhost is/,
  );
  expect(await refusalText(() => refuseOwnListener("https://localhost", on(443)))).toMatch(
    /^refused: https:\/\/localhost is/,
  );
  expect(await refuseOwnListener("https://localhost", on(80))).toBeUndefined();
});

test("the resolver is asked for a name with our port only", async () => {
  // Goal: model calls do not pay for a lookup.
  const asked: string[] = [];
  const resolve = (name: string) => (asked.push(name), Promise.resolve(["198.51.100.7"]));
  for (const url of ["http://a.example:1", "http://b.example:8688", "http://198.51.100.7:8688"]) {
    await refuseOwnListener(url, listener, resolve);
  }
  expect(asked).toEqual(["b.example"]);
});

test("a name that can't be resolved, or not in time, passes", async () => {
  // Goal: a provider that is down, or a slow resolver, does not stop anybody from saving.
  const url = "http://name.example:8688";
  expect(await refuseOwnListener(url, listener, nowhere)).toBeUndefined();
  expect(await refuseOwnListener(url, listener, () => new Promise(() => {}), 1)).toBeUndefined();
  expect(await refuseOwnListener(url, listener, () => Promise.resolve(["no address"]))).toBeUndefined();
});

test("before the socket is bound nothing is ours", async () => {
  // Goal: the port is known only then.
  expect(await refuseOwnListener("http://127.0.0.1:8688", () => undefined)).toBeUndefined();
});

test("the system's resolver gives addresses", async () => {
  // Goal: the default is wired to getaddrinfo, hosts file included.
  expect(["127.0.0.1", "::1"]).toContain((await systemResolve("localhost"))[0]!);
});
