// Goal: nothing leaves the node that leads before the log has it, whatever it is and whichever way it goes.

import { expect, test } from "bun:test";
import { doorState } from "../../src/context/people/local-door.ts";
import { settledFirst, type Copying } from "../../src/context/replication/copying.ts";
import { AppError } from "../../src/kit/error.ts";
import type { Exchange } from "../../src/kit/http/exchange.ts";
import { nodes } from "../kit/context/nodes.ts";
import { SPACE } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import type { AskedOfStorage } from "../kit/object-storage.ts";
import { silent } from "../kit/silent.ts";

const isEntry = ({ method, key }: AskedOfStorage) => method === "PUT" && key.includes("/log/");
const isLogRequest = (request: string) => request.startsWith("PUT team/log/");

test("an acknowledgement, a refusal that tells of a change, and a read wait for the log", async () => {
  await using all = await nodes();
  const a = await all.start("a");
  await a.leads();
  await a.admin.write("a.md", "one\n");
  all.storage.fail(503, "SlowDown", { on: isEntry });
  const told: string[] = [];
  const asked = (what: string, answer: Promise<unknown>) =>
    answer.catch(() => {}).finally(() => told.push(what));
  // Its path ends as that of the health check.
  const first = asked("write", a.admin.write("docs/health", "health\n"));
  await until(() => all.storage.requests.filter(isLogRequest).length > 3);
  const others = [
    asked("read", a.admin.read("docs/health")),
    asked("refusal", a.admin.write("docs/health", "again\n", { "If-None-Match": "*" })),
    asked("list", a.admin.get(`/spaces/${SPACE}/files`)),
    asked("page", fetch(`${a.url}/console`)),
    asked("head", fetch(`${a.url}/api/v1/spaces/${SPACE}/files/docs/health`, { method: "HEAD" })),
  ];
  expect(await a.health()).toEqual([200, "ok"]);
  await Bun.sleep(300);
  expect(told).toEqual([]);
  all.storage.heal();
  await Promise.all([first, ...others]);
  expect(await a.admin.read("docs/health")).toBe("health\n");
});

test("the check of health fails as soon as this node may have been replaced, so that a proxy asks another one", async () => {
  const requireLead = () => {
    throw new AppError("unavailable", "this node no longer leads");
  };
  const copying = { requireLead, settled: () => undefined } as unknown as Copying;
  const handled: string[] = [];
  const answer = (_: Request, { path }: Exchange) => {
    handled.push(path);
    return new Response("ok");
  };
  const handle = settledFirst(answer, { copying, isOperator: () => false, log: silent });
  const statusOf = async (path: string) =>
    (await handle(new Request("http://a"), { id: "1", path } as Exchange)).status;
  expect(await statusOf("/health")).toBe(503);
  expect(await statusOf("/api/v1/health")).toBe(503);
  expect(await statusOf("/metrics")).toBe(200);
  // Nor does it change anything.
  expect(await statusOf("/api/v1/users")).toBe(503);
  expect(handled).toEqual(["/metrics"]);
});

test("without the storage for longer than the lease, nobody is answered, no event is lost, and the node goes on", async () => {
  const timing = { beatEvery: 100, leaseMs: 3_000, takeoverAfter: 20_000, lookEvery: 50 };
  await using all = await nodes({ timing });
  const a = await all.start("a");
  await a.leads();
  await a.admin.write("a.md", "one\n");
  await using stream = await eventStream(a.url, a.admin.token);
  all.storage.fail(503, "SlowDown");
  const unanswered = a.admin.write("a.md", "two\n").catch((error: unknown) => String(error));
  expect(await unanswered).toContain("503");
  await eventually(() => a.health(), [503, "out_of_touch"]);
  // The commands on its machine find it, for example to stop it.
  expect((await doorState(a.directory)).kind).toBe("running");
  await expect(a.admin.write("a.md", "three\n")).rejects.toThrow("503");
  expect(stream.text()).not.toContain('"version":2');
  all.storage.heal();
  await eventually(() => a.health(), [200, "ok"]);
  expect(a.isLeading).toBe(true);
  // The write without an answer took effect, and the one that was refused did not.
  expect(await a.admin.read("a.md")).toBe("two\n");
  await a.admin.write("b.md", "b\n");
  await until(() => stream.text().includes("b.md"));
  expect(stream.text()).toContain('"version":2');
});

test("a node without the storage stops, although an event waits for it", async () => {
  const timing = { beatEvery: 100, leaseMs: 1_000, takeoverAfter: 20_000, lookEvery: 50 };
  await using all = await nodes({ timing });
  const a = await all.start("a");
  await a.leads();
  // As with credentials that have expired: a new start gets others.
  all.storage.fail(403, "ExpiredToken");
  await expect(a.admin.write("a.md", "one\n")).rejects.toThrow("503");
  await a.stop();
  expect(a.log.map(({ message }) => message)).toContain("cannot hand over to another node");
  all.storage.heal();
  const again = await all.start("a");
  await again.leads();
  await again.admin.write("a.md", "two\n");
  expect(await again.admin.read("a.md")).toBe("two\n");
});

async function eventStream(url: string, token: string) {
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/v1/events`, { headers, signal: stop.signal });
  let text = "";
  const reading = (async () => {
    for await (const piece of response.body!) text += Buffer.from(piece).toString();
  })().catch(() => {});
  return {
    text: () => text,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}
