// Goal: a key of `cairn ui` works once and within minutes, whoever has it, and only the browser that exchanged it is admitted.

import { describe, expect, test } from "bun:test";
import { Entry } from "../../../src/context/local-ui/entry.ts";
import { KEY_MINUTES } from "../../../src/context/local-ui/limits.ts";
import { loopbackAddress } from "../../../src/context/local-ui/address.ts";
import { browserCommand } from "../../../src/kit/processes/browser.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const sessionFor = (entry: Entry, key: string) => {
  const exchanged = entry.exchange(key);
  if (!("session" in exchanged)) throw new Error(exchanged.problem);
  return exchanged.session;
};

describe("a key", () => {
  test("has 256 bits and is exchanged exactly once", () => {
    const entry = new Entry(manualClock());
    const key = entry.newKey();
    expect(Buffer.from(key, "base64url").length * 8).toBe(256);
    const session = sessionFor(entry, key);
    expect(entry.exchange(key)).toEqual({ problem: "used" });
    expect([entry.admits(session), entry.admits(key), entry.admits("")]).toEqual([true, false, false]);
  });

  test("is unknown before there is one, and if one character is another", () => {
    const entry = new Entry(manualClock());
    expect(entry.exchange("")).toEqual({ problem: "unknown" });
    const key = entry.newKey();
    expect(entry.exchange(`${key}x`)).toEqual({ problem: "unknown" });
    expect(entry.exchange(key.slice(1))).toEqual({ problem: "unknown" });
    sessionFor(entry, key);
  });

  test("expires", () => {
    const clock = manualClock();
    const entry = new Entry(clock);
    const key = entry.newKey();
    clock.advance(KEY_MINUTES * 60_000 + 1);
    expect(entry.exchange(key)).toEqual({ problem: "expired" });
  });

  test("replaces the key before it at once, and the session before it when it is exchanged", () => {
    const entry = new Entry(manualClock());
    const first = sessionFor(entry, entry.newKey());
    const second = entry.newKey();
    const third = entry.newKey();
    expect([entry.exchange(second), entry.admits(first)]).toEqual([{ problem: "used" }, true]);
    const session = sessionFor(entry, third);
    expect([entry.admits(first), entry.admits(session)]).toEqual([false, true]);
  });
});

test("only this machine's own two addresses are listened on", () => {
  expect(["127.0.0.1", "::1"].map(loopbackAddress)).toEqual(["127.0.0.1", "::1"]);
  for (const other of ["0.0.0.0", "::", "localhost", "127.0.0.2", "192.168.1.5", "", "[::1]", "127.1"])
    expect(() => loopbackAddress(other)).toThrow(
      `cannot listen on ${other}: cairn ui serves this machine only`,
    );
});

test("the browser's command depends on the system, and there is none without a desktop", () => {
  const address = "http://127.0.0.1:1/?a=b&c=d";
  expect(browserCommand(address, {}, "darwin")).toEqual(["open", address]);
  for (const platform of ["darwin", "win32"] as const)
    expect(browserCommand(address, { SSH_CONNECTION: "1" }, platform)).toBeUndefined();
  expect(browserCommand(address, {}, "win32")).toEqual(["rundll32", "url.dll,FileProtocolHandler", address]);
  expect(browserCommand(address, { PATH: "/bin:/usr/bin" }, "linux")).toBeUndefined();
  const named = { PATH: "/bin:/usr/bin", BROWSER: "/bin/sh" };
  expect(browserCommand(address, named, "linux")).toEqual(["/bin/sh", address]);
  expect(browserCommand(address, { ...named, BROWSER: "/bin/no such; thing %s" }, "linux")).toBeUndefined();
});
