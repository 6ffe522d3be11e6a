// Goal: a terminal is refused before anything starts, with a text that says what to do, and the guard applies to it.

import { expect, test } from "bun:test";
import { isRoot } from "../../kit/as-nobody.ts";
import { type World, world } from "../../kit/service/world.ts";
import { TERMINAL_FILES_OF_ROOT } from "../../../src/service/terminal/terminals.ts";
import { AppError } from "../../../src/kit/error.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { clientBefore, ROOTLESS, withInfo } from "../../kit/service/docker-client.ts";
import { canStandIn } from "../../kit/service/stand-in-docker.ts";
import { connectTerminal, handOver, ISOLATED } from "../../kit/service/terminal.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const OFF =
  "the terminal is off: set terminal: true in the configuration (or SERVICE_TERMINAL=1), with a container sandbox, and restart the service";
const NOT_ISOLATED =
  "the terminal needs a container sandbox, and there is none: start a container daemon, set sandbox: docker, and restart the service";
const ON = { SERVICE_TERMINAL: "1" };

test("refuses a terminal that is off", async () => {
  await using at = await world({ model: "silent", sandbox: ISOLATED });
  const workspace = await at.workspace("lab");
  const wanted = ["refused", OFF] as const;
  expect(await at.admin.get("/terminal/status")).toEqual({
    ticket: expect.any(String),
    on: false,
    reason: OFF,
    sessions: 0,
    sessions_max: 8,
  });
  await refusal(at.admin.get("/terminal"), ...wanted);
  await refusal(at.admin.get(`/workspaces/${workspace.id}/terminal`), ...wanted);
});

test("refuses a terminal without a container sandbox", async () => {
  await using at = await world({
    model: "silent",
    environment: ON,
    sandbox: { ...ISOLATED, kind: "subprocess", isolated: false },
  });
  expect(await at.admin.get("/terminal/status")).toEqual({
    ticket: expect.any(String),
    on: false,
    reason: NOT_ISOLATED,
    sessions: 0,
    sessions_max: 8,
  });
  await refusal(at.admin.get("/terminal"), "refused", NOT_ISOLATED);
});

test("refuses people without the right, and requests without an upgrade", async () => {
  await using at = await world({ model: "silent", environment: ON, sandbox: ISOLATED });
  const workspace = await at.workspace("lab");
  const stranger = await at.user("sam");
  expect(await stranger.get("/terminal/status")).toEqual({
    ticket: null,
    on: true,
    reason: null,
    sessions: 0,
    sessions_max: 8,
  });
  await refusal(stranger.get("/terminal"), "forbidden", "only an admin may do this");
  // Its owner too: a terminal is for admins only.
  const own = await at.workspace("own", stranger);
  for (const id of [workspace.id, own.id, 999])
    await refusal(stranger.get(`/workspaces/${id}/terminal`), "forbidden", "only an admin may do this");
  await refusal(at.admin.get("/workspaces/999/terminal"), "not_found");
  await handOver(at, workspace.id);
  await refusal(at.as("cairn_wrong").get("/terminal"), "unauthenticated");
  const { ticket } = await at.admin.get("/terminal/status");
  await refusal(
    at.admin.get(`/workspaces/${workspace.id}/terminal?ticket=${ticket}`),
    "invalid",
    "this address requires a WebSocket upgrade",
  );
  expect(await at.admin.get("/audit?action=terminal.start")).toEqual([]);
});

test("with the loopback privilege a handshake needs the ticket that only plain requests of this machine get", async () => {
  await using at = await world({ model: "silent", environment: ON, sandbox: ISOLATED });
  const needsTicket = "a terminal without a token needs the ticket of GET /terminal/status";
  await refusal(at.admin.get("/terminal"), "forbidden", needsTicket);
  await refusal(at.admin.get("/terminal?ticket=guessed"), "forbidden", needsTicket);
  const { token } = await at.admin.post("/users", { name: "ada", role: "admin" });
  // A token is proof enough.
  await refusal(at.as(token).get("/terminal"), "invalid", "this address requires a WebSocket upgrade");
  expect((await at.as(token).get("/terminal/status")).ticket).toBeNull();
});

if (!isRoot) console.log("skipped: a terminal over files of root (creating them needs root)");

test.skipIf(!canStandIn)(
  "refuses a workspace's terminal if no user of a container but root can read its files",
  async () => {
    await using folder = await temporaryFolder();
    const environment = { ...ON, ...(await clientBefore(folder, withInfo(ROOTLESS))) };
    await using at = await world({ model: "silent", environment, sandbox: ISOLATED });
    const workspace = await at.workspace("lab");
    await handOver(at, workspace.id);
    const { ticket } = await at.admin.get("/terminal/status");
    await refusal(
      at.admin.get(`/workspaces/${workspace.id}/terminal?ticket=${ticket}`),
      "refused",
      "the container daemon maps the users of containers to others, so only root could read the workspace's files, and a terminal never runs as root: " +
        "use a daemon that runs as root and without userns-remap, or open the terminal without files",
      { reason: "users_mapped" },
    );
  },
);

test.skipIf(!canStandIn)("asks the container daemon about its users once for each terminal", async () => {
  await using folder = await temporaryFolder();
  const asked = `${folder.path}/asked`;
  const script = `echo "$1" >> '${asked}'; case "$1" in info) echo '{}' ;; create) exit 1 ;; esac; exit 0`;
  const environment = { ...ON, ...(await clientBefore(folder, script)) };
  await using at = await world({ model: "silent", environment, sandbox: ISOLATED });
  const workspace = await at.workspace("lab");
  await handOver(at, workspace.id);
  const { token } = await at.admin.post("/users", { name: "ada", role: "admin" });
  const terminal = await connectTerminal(at.url, `/workspaces/${workspace.id}/terminal`, {
    Authorization: `Bearer ${token}`,
  });
  expect(await terminal.closed).toMatchObject({ code: 1011 });
  const commands = (await Bun.file(asked).text()).split("\n");
  expect(commands.filter((command) => ["info", "create"].includes(command))).toEqual(["info", "create"]);
});

test("says why no container can start, before the upgrade", async () => {
  const why = "the container daemon does not see the data directory of this service";
  const requireRuntime = () => Promise.reject(new AppError("unavailable", why));
  await using at = await world({
    model: "silent",
    environment: ON,
    sandbox: { ...ISOLATED, requireRuntime },
  });
  const { ticket } = await at.admin.get("/terminal/status");
  await refusal(at.admin.get(`/terminal?ticket=${ticket}`), "unavailable", why);
});

test("refuses a workspace that was archived while the sandbox was asked", async () => {
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const requireRuntime = () => (asked.resolve(), ready.promise);
  await using at = await world({
    model: "silent",
    environment: ON,
    sandbox: { ...ISOLATED, requireRuntime },
  });
  const workspace = await at.workspace("lab");
  await handOver(at, workspace.id);
  const { ticket } = await at.admin.get("/terminal/status");
  const refused = refusal(
    at.admin.get(`/workspaces/${workspace.id}/terminal?ticket=${ticket}`),
    "refused",
    "the workspace is archived; unarchive it to change it",
    { archived: true },
  );
  await asked.promise;
  await at.admin.post(`/workspaces/${workspace.id}/archive`);
  ready.resolve();
  await refused;
});

test.skipIf(!isRoot)("refuses a workspace's terminal if root owns its files", async () => {
  await using at = await world({ model: "silent", environment: ON, sandbox: ISOLATED });
  const workspace = await at.workspace("lab");
  await refusal(at.admin.get(`/workspaces/${workspace.id}/terminal`), "refused", TERMINAL_FILES_OF_ROOT, {
    reason: "files_of_root",
  });
});

test.each([
  ["another origin", { Origin: "https://evil.example" }, 403, "requests from another origin are refused"],
  [
    "another port of this machine",
    { Origin: "http://localhost:1" },
    403,
    "requests from another origin are refused",
  ],
  ["no origin to speak of", { Origin: "null" }, 403, "requests from another origin are refused"],
  ["another site", { "Sec-Fetch-Site": "cross-site" }, 403, "requests from another site are refused"],
  [
    "a forwarded request without a token",
    { "X-Forwarded-For": "192.0.2.1" },
    401,
    "authentication required: send Authorization: Bearer <token>",
  ],
])("a WebSocket from %s", async (_, headers, status, message) => {
  await using at = await world({ model: "silent", environment: ON, sandbox: ISOLATED });
  const handshake = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const answer = await at.admin.raw("GET", "/terminal", { headers: { ...handshake, ...headers } });
  expect(await refusalOf(answer)).toMatchObject({ status, message });
  expect(await connectTerminal(at.url, "/terminal", headers).catch((error: Error) => error.message)).toBe(
    "refused",
  );
  expect(await at.admin.get("/terminal/status")).toMatchObject({ sessions: 0 });
});

test("ends the session without a docker client, says so, and records it", async () => {
  await using at = await world({ model: "silent", environment: ON, sandbox: ISOLATED });
  const terminal = await connectTerminal(at.url, "/terminal");
  expect(await terminal.closed).toEqual({
    code: 1011,
    reason: "the terminal could not be started; see the service's log",
  });
  await using reading = await endOfSession(at);
  expect(reading.actions).toEqual(["terminal.end", "terminal.start"]);
});

async function endOfSession(at: World): Promise<{ actions: string[] } & AsyncDisposable> {
  for (;;) {
    const records = await at.admin.get("/audit");
    const actions = records.map(({ action }) => action).filter((action) => action.startsWith("terminal."));
    if (actions.length === 2) return { actions, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}
