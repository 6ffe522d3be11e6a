// Goal: the proxy of the lab, with its own configuration, sends every request to the node that leads, before and after a takeover, and streams events.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { locateTool } from "../../release/system-packages.ts";
import { ROOT } from "../../release/step.ts";
import { nodes } from "../kit/context/nodes.ts";
import { eventually, until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { within } from "../kit/within.ts";

const haproxy = locateTool("haproxy");
if (haproxy === undefined) console.log("skipped: haproxy is missing, so the proxy of the lab was not tried");

/** The configuration of the lab, with a socket for its listener and the addresses of these nodes. */
async function configuration(folder: string, socket: string, ports: readonly number[]): Promise<string> {
  let node = 0;
  const text = (await Bun.file(join(ROOT, "release/lab/haproxy.cfg")).text())
    .replace("bind :8740", `bind unix@${socket}`)
    .replace("bind 127.0.0.1:8741", `bind unix@${join(folder, "alive")}`)
    .replace(/^( {2}server \w+) \S+/gm, (_, name: string) => `${name} 127.0.0.1:${ports[node++]}`);
  const path = join(folder, "haproxy.cfg");
  await Bun.write(path, text);
  return path;
}

test.skipIf(haproxy === undefined)("requests reach the node that leads", async () => {
  await using folder = await temporaryFolder();
  await using all = await nodes({
    config: { listen: { trusted_proxies: ["127.0.0.1"], allowed_hosts: ["localhost"] } },
  });
  const one = await all.start("one");
  await one.leads();
  const two = await all.start("two");
  const socket = join(folder.path, "proxy");
  const ports = [one, two].map(({ url }) => Number(new URL(url).port));
  const config = await configuration(folder.path, socket, ports);
  await using stack = new AsyncDisposableStack();
  const child = Bun.spawn([haproxy!, "-f", config], { stdio: ["ignore", "ignore", "ignore"] });
  stack.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(`http://localhost/api/v1${path}`, {
      ...options,
      headers: { Authorization: `Bearer ${all.token}`, "Content-Type": "text/plain" },
      unix: socket,
    });
  const put = (path: string, body: string) => ask(`/spaces/team/files/${path}`, { method: "PUT", body });
  const status = () =>
    put("a.md", "one").then(
      (response) => response.status,
      () => 0,
    );
  await eventually(status, 201);
  // Until its first check of a node, the proxy takes it for one that leads.
  const events = await until(async () => {
    const answer = await ask("/events");
    return answer.status === 200 ? answer.body : undefined;
  });
  const ended = Array.fromAsync(events).catch(() => "cut off");
  await one.stop();
  await two.leads();
  await within("the stream ends", ended);
  await eventually(status, 200);
  await eventually(() => ask("/spaces/team/files/a.md").then((response) => response.text()), "one");
  await all.start("one");
  await eventually(() => put("b.md", "two").then(({ ok }) => ok), true);
  expect(await two.admin.read("b.md")).toBe("two");
});
