// Goal: a server on all addresses also starts on a system without IPv6; a server on another IPv6 address says why it cannot.

import { expect, spyOn, test } from "bun:test";
import { Server } from "node:net";
import { listen } from "../../../src/kit/http/serve.ts";
import { addressProblem, freePort } from "../../../src/kit/network/port.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { silent } from "../../kit/silent.ts";

const on = (host: string) =>
  listen({ host, port: 0, loopbackAdmin: false, allowedHosts: [] }, () => new Response("here"), silent);

/** The system creates no socket of IPv6. */
function withoutIpv6() {
  const serve = Bun.serve;
  return spyOn(Bun, "serve").mockImplementation(((options: { hostname: string }) => {
    if (options.hostname.includes(":"))
      throw Object.assign(new Error("address family not supported"), { code: "EAFNOSUPPORT" });
    return serve(options as never);
  }) as never);
}

test("without IPv6, a setup finds that a server can listen on all addresses, and on no other of IPv6", async () => {
  const { listen: bind } = Server.prototype;
  const system = spyOn(Server.prototype, "listen").mockImplementation(function (
    this: Server,
    options: { host: string },
    bound: () => void,
  ) {
    if (!options.host.includes(":")) return bind.call(this, options, bound);
    queueMicrotask(() => this.emit("error", { code: "EAFNOSUPPORT" }));
    return this;
  } as Server["listen"]);
  try {
    expect(await addressProblem("::")).toBeUndefined();
    expect(await addressProblem("::1")).toBe("an address where this program cannot listen (EAFNOSUPPORT)");
    expect(await freePort("::")).toBeGreaterThan(0);
  } finally {
    system.mockRestore();
  }
});

test("without IPv6, all addresses are those of IPv4", async () => {
  const system = withoutIpv6();
  try {
    const { url, port, close } = on("::");
    expect(url).toBe(`http://localhost:${port}`);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    await close();
    await refusal(() => on("::1"), "invalid", "listen [::1]:0: address family not supported");
  } finally {
    system.mockRestore();
  }
});
