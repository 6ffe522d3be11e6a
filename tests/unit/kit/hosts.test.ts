// Goal: where a host is expected, what every system reads the same way is taken, and what none could mean is refused with the reason.

import { describe, expect, test } from "bun:test";
import { hostProblem, isPlainAddress, listenProblem } from "../../../src/kit/network/hosts.ts";

const NEITHER = "neither an address nor a hostname";
const NOT_FOUR = "not an address: expected four numbers from 0 to 255, or an IPv6 address";

describe("an address to listen on", () => {
  test.each([
    "127.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "::",
    "::1",
    "::ffff:10.1.2.3",
    "fe80::1%eth0",
    "localhost",
    "context.example.org",
    "xn--bcher-kva.example",
    "4chan.example",
    "my_service",
  ])("%s may be one", (text) => {
    expect(listenProblem(text)).toBeUndefined();
  });

  test.each([
    ["999.1.1.1", NOT_FOUR],
    ["1.2.3", NOT_FOUR],
    ["8743", NOT_FOUR],
    ["010.0.0.1", NOT_FOUR],
    ["0x7f.1", NOT_FOUR],
    ["127.0.0.0x1", NOT_FOUR],
    ["1.2.3.4.5", NOT_FOUR],
    ["", NEITHER],
    [" 127.0.0.1", NEITHER],
    ["127.0.0.1:8743", NEITHER],
    ["[::1]", NEITHER],
    ["::1::", NEITHER],
    ["fe80::1%", NEITHER],
    ["127.0.0.1%eth0", NEITHER],
    ["http://localhost", NEITHER],
    ["-a.example", NEITHER],
    ["a-.example", NEITHER],
    ["a..example", NEITHER],
    ["bücher.example", NEITHER],
    [`${"a".repeat(64)}.example`, NEITHER],
    [Array.from({ length: 64 }, () => "abc").join("."), NEITHER],
    ["224.0.0.1", "a multicast address, where nothing can listen"],
    ["255.255.255.255", "a broadcast address, where nothing can listen"],
    ["ff02::1", "a multicast address, where nothing can listen"],
  ])("%s is none", (text, why) => {
    expect(listenProblem(text)).toBe(why);
  });
});

describe("a host as requests name it", () => {
  test.each([
    "context.example.org",
    "context.example.org:443",
    "10.0.0.1",
    "10.0.0.1:80",
    "[::1]",
    "[::1]:8743",
  ])("%s may be one", (text) => {
    expect(hostProblem(text)).toBeUndefined();
  });

  test.each([
    ["::1", "neither an address nor a hostname (put IPv6 addresses in brackets)"],
    ["[::1", "neither an address nor a hostname (put IPv6 addresses in brackets)"],
    ["[10.0.0.1]", "not an IPv6 address in brackets"],
    ["a.example:0", "its port is not a number from 1 to 65535"],
    ["a.example:65536", "its port is not a number from 1 to 65535"],
    ["a.example:", "its port is not a number from 1 to 65535"],
    ["https://a.example", "neither an address nor a hostname (put IPv6 addresses in brackets)"],
    ["*.example", NEITHER],
    ["999.1.1.1", NOT_FOUR],
  ])("%s is none", (text, why) => {
    expect(hostProblem(text)).toBe(why);
  });
});

test("an address is plain in one notation only", () => {
  const texts = ["10.0.0.1", "::1", "10.1", "167772161", "0xa.0.0.1", "localhost", "010.0.0.1"];
  expect(texts.map(isPlainAddress)).toEqual([true, true, false, false, false, false, false]);
});
