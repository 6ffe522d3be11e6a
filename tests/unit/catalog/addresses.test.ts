// Goal: our own listener and cloud metadata services are refused as a provider in every spelling; other addresses are not.

import { networkInterfaces } from "node:os";
import { expect, test } from "bun:test";
import { systemResolve } from "../../../src/kit/network/outbound.ts";
import { refuseForbiddenAddress } from "../../../src/service/catalog/addresses.ts";
import { refusalText } from "../../kit/http/refusal.ts";

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
  // Goal: the address matters, not its spelling, and no lookup is needed.
  const refusal = await refusalText(() =>
    refuseForbiddenAddress(`http://${host}:8688/v1`, listener, nowhere),
  );
  expect(refusal).toMatch(
    /^refused: http:\/\/\S+:8688 is this server itself; use the address of another server$/,
  );
});

test.each([[["127.0.0.1"]], [["::1"]], [["::ffff:127.0.0.1"]], [["192.0.2.200", "127.0.0.1"]]])(
  "refuses a name that resolves to %p",
  async (addresses) => {
    // Goal: one of several addresses is enough.
    const refuse = () =>
      refuseForbiddenAddress("https://name.example:8688", listener, () => Promise.resolve(addresses));
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
  // Goal: another port or machine is an ordinary provider, and no lookup is needed.
  expect(await refuseForbiddenAddress(url, listener, nowhere)).toBeUndefined();
});

test.each([
  "169.254.169.254",
  "169.254.170.2",
  "2852039166",
  "0xa9fea9fe",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[fd00:ec2::254]",
  "[fd00:ec2::23]",
  "[fd20:ce::254]",
  "[fd00:c1::a9fe:a9fe]",
  "[fe80::a9fe:a9fe]",
  "[fd00:42::42]",
  "169.254.170.23",
  "169.254.42.42",
  "169.254.0.23",
  "100.100.100.200",
  "metadata.google.internal",
  "METADATA.google.internal.",
])("%s is refused as a metadata service", async (host) => {
  for (const scheme of ["http", "https"]) {
    const refusal = await refusalText(() =>
      refuseForbiddenAddress(`${scheme}://${host}/latest`, listener, nowhere),
    );
    expect(refusal).toMatch(
      /^refused: https?:\/\/\S+ is a cloud metadata service, which returns credentials of this machine; use the address of a model server$/,
    );
  }
});

test("refuses a name that resolves to a metadata service, and no other address near it", async () => {
  const to = (address: string) => () => Promise.resolve(["192.0.2.200", address]);
  expect(
    await refusalText(() => refuseForbiddenAddress("http://a.example", listener, to("169.254.169.254"))),
  ).toMatch(/^refused: http:\/\/a\.example is a cloud metadata service/);
  for (const address of ["10.0.0.5", "192.168.1.7", "169.254.7.7", "fd00::5", "127.0.0.1"])
    expect(await refuseForbiddenAddress("http://a.example", listener, to(address))).toBeUndefined();
});

test("treats default ports as ports", async () => {
  // Goal: http without a port is 80, https 443.
  const on = (port: number) => () => ({ host: "127.0.0.1", port });
  expect(await refusalText(() => refuseForbiddenAddress("http://localhost", on(80)))).toMatch(
    /^refused: http:\/\/localhost is/,
  );
  expect(await refusalText(() => refuseForbiddenAddress("https://localhost", on(443)))).toMatch(
    /^refused: https:\/\/localhost is/,
  );
  expect(await refuseForbiddenAddress("https://localhost", on(80))).toBeUndefined();
});

test("resolves only names with our port or without TLS", async () => {
  // Goal: ordinary model calls need no lookup.
  const asked: string[] = [];
  const resolve = (name: string) => (asked.push(name), Promise.resolve(["198.51.100.7"]));
  for (const url of [
    "https://a.example:1",
    "http://b.example:1",
    "https://c.example:8688",
    "http://198.51.100.7:1",
  ]) {
    await refuseForbiddenAddress(url, listener, resolve);
  }
  expect(asked).toEqual(["b.example", "c.example"]);
});

test("accepts a name that cannot be resolved in time", async () => {
  // Goal: a provider that is down, or a slow resolver, does not prevent saving.
  const url = "http://name.example:8688";
  expect(await refuseForbiddenAddress(url, listener, nowhere)).toBeUndefined();
  expect(await refuseForbiddenAddress(url, listener, () => new Promise(() => {}), 1)).toBeUndefined();
  expect(await refuseForbiddenAddress(url, listener, () => Promise.resolve(["no address"]))).toBeUndefined();
});

test("refuses nothing before the socket is bound", async () => {
  // Goal: the port is unknown until then.
  expect(await refuseForbiddenAddress("http://127.0.0.1:8688", () => undefined)).toBeUndefined();
});

test("resolves with the system's resolver", async () => {
  // Goal: the default uses getaddrinfo, including the hosts file.
  expect(["127.0.0.1", "::1"]).toContain((await systemResolve("localhost"))[0]!);
});
