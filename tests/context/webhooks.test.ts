// Goal: hooks receive each event once, signed, even after a restart; failed deliveries are kept; no hook reaches into the network or delays others.

import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { createHmac } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { DeadLetterFile } from "../../src/context/webhooks/dead-letter.ts";
import { SYSTEM_NETWORK } from "../../src/kit/network/outbound.ts";
import { refusal } from "../kit/http/refusal.ts";
import { contextServer, deny, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { hookReceiver, type Received } from "../kit/context/hook-receiver.ts";

const add = (server: ContextServer, url: string, events?: string[]) =>
  server.admin.post("/webhooks", { url, ...(events ? { events } : {}) });
const typesAt = (got: readonly Received[], path: string) =>
  got.filter((one) => one.path === path).map((one) => JSON.parse(one.body).type as string);
const pathsOf = (got: readonly Received[]) => got.map(({ body }) => JSON.parse(body).path as string);
const deliveries = (server: ContextServer, id: number) => server.admin.get(`/webhooks/${id}/deliveries`);
/** The state, attempts and status of each delivery. */
const states = async (server: ContextServer, id: number) =>
  (await deliveries(server, id)).map(({ state, tries, status }) => `${state} ${tries} ${status}`);
const errors = async (server: ContextServer, id: number) =>
  (await deliveries(server, id)).map(({ state, tries, error }) => [state, tries, error]);
/** Writes to a space by its name. */
const writerOf = (server: ContextServer) => (space: string, path: string) =>
  server.admin.raw("PUT", `/spaces/${space}/files/${path}`, {
    body: "x",
    headers: { "Content-Type": "application/octet-stream" },
  });
const never = () => new Promise<Response>(() => {});
const answered = (status: number) => new Response(null, { status });

describe("delivery", () => {
  test("sends the stream's envelope, signed, to subscribers", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const all = await add(server, hooks.url("/files"), ["file.*"]);
    await add(server, hooks.url("/one"), ["file.delete"]);
    await using stream = await server.admin.events("/events");
    await server.admin.write("a.md", "x");
    await server.admin.raw("DELETE", "/spaces/team/files/a.md");
    await eventually(() => typesAt(hooks.got, "/files"), ["file.write", "file.delete"]);
    await eventually(() => typesAt(hooks.got, "/one"), ["file.delete"]);
    const seen = await stream.until(({ type }) => type === "file.write");
    const { body, headers } = hooks.got.find(({ path }) => path === "/files")!;
    expect(JSON.parse(body)).toEqual(seen.data);
    const expected = createHmac("sha256", all.secret).update(body).digest("hex");
    expect(headers.get("x-service-signature")).toBe(`sha256=${expected}`);
    expect(headers.get("x-service-event")).toBe("file.write");
    await eventually(() => states(server, all.id), ["sent 1 200", "sent 1 200"]);
    const ids = (await deliveries(server, all.id)).map(({ id }) => id);
    expect(ids).toContain(headers.get("x-service-delivery")!);
    const { secret: _, ...shown } = all;
    expect(((await server.admin.get("/webhooks")) as object[])[0]).toEqual(shown);
  });

  test("tries four times, keeps a failed delivery as a dead letter, and redelivers on request", async () => {
    let open = false;
    await using hooks = hookReceiver(() => answered(open ? 204 : 500));
    await using server = await contextServer({ outbound: hooks.outbound });
    const hook = await add(server, hooks.url(), ["file.*"]);
    await server.admin.write("a.md", "x");
    await eventually(() => states(server, hook.id), ["failed 4 500"]);
    expect(hooks.got.length).toBe(4);
    const [failed] = await deliveries(server, hook.id);
    const error = "answered with status 500";
    expect(failed!.error).toBe(error);
    const about = { delivery: failed!.id, webhook: hook.id, url: hooks.url(), body: hooks.got[0]!.body };
    const letter = { ...about, time: expect.any(String), tries: 4, error };
    expect(await server.admin.get<unknown>("/webhooks/dead-letter")).toEqual([letter]);
    open = true;
    await server.admin.post(`/deliveries/${failed!.id}/redeliver`);
    await eventually(() => states(server, hook.id), ["sent 1 204", "failed 4 500"]);
    expect(hooks.got.at(-1)!.body).toBe(hooks.got[0]!.body);
  });

  test("does not follow redirects", async () => {
    await using hooks = hookReceiver((path) =>
      path === "/from" ? new Response(null, { status: 302, headers: { Location: "/to" } }) : new Response(),
    );
    await using server = await contextServer({ outbound: hooks.outbound });
    const hook = await add(server, hooks.url("/from"), ["file.*"]);
    await server.admin.write("a.md", "x");
    await eventually(async () => (await deliveries(server, hook.id))[0]?.status, 302);
    expect(hooks.got.filter(({ path }) => path === "/to")).toEqual([]);
  });

  test("sends what a stop left unsent after the next start, once, under the same id", async () => {
    let held = true;
    await using hooks = hookReceiver(() => (held ? never() : new Response()));
    await using server = await contextServer({ outbound: hooks.outbound });
    await add(server, hooks.url(), ["file.*"]);
    await server.admin.write("a.md", "x");
    await eventually(() => hooks.got.length, 1);
    await server.admin.write("b.md", "x");
    await server.restart(() => void (held = false));
    await eventually(() => pathsOf(hooks.got), ["a.md", "a.md", "b.md"]);
    const ids = hooks.got.map(({ headers }) => headers.get("x-service-delivery"));
    expect(ids[0]).toBe(ids[1]!);
    await server.restart();
    await server.admin.write("c.md", "x");
    await eventually(() => pathsOf(hooks.got), ["a.md", "a.md", "b.md", "c.md"]);
  });

  test("an unresponsive hook delays no other; a disabled hook gets nothing", async () => {
    await using hooks = hookReceiver((path) => (path === "/slow" ? never() : new Response()));
    await using server = await contextServer({ outbound: hooks.outbound });
    await add(server, hooks.url("/slow"), ["file.*"]);
    await add(server, hooks.url("/fast"), ["file.*"]);
    const off = await add(server, hooks.url("/off"), ["file.*"]);
    expect((await server.admin.patch(`/webhooks/${off.id}`, { enabled: false })).enabled).toBe(false);
    await server.admin.write("a.md", "x");
    await server.admin.write("b.md", "x");
    await eventually(() => typesAt(hooks.got, "/fast"), ["file.write", "file.write"]);
    expect(typesAt(hooks.got, "/off")).toEqual([]);
    await refusal(server.admin.raw("POST", `/webhooks/${off.id}/test`), "conflict");
  });
});

describe("under load and across restarts", () => {
  test("delivers a burst of more events than it reads at once, each once and in order", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const hook = await add(server, hooks.url(), ["file.*"]);
    const content_b64 = btoa("x");
    const ops = Array.from({ length: 600 }, (_, i) => ({ op: "put", path: `${i}.md`, content_b64 }));
    await server.admin.post("/spaces/team/push", { ops });
    // A busy machine takes its time; a delivery that stops does not.
    for (let got = 0; got < ops.length; got = hooks.got.length)
      await eventually(() => hooks.got.length > got, true);
    expect(pathsOf(hooks.got)).toEqual(ops.map(({ path }) => path));
    const [shown] = await server.admin.get("/webhooks");
    expect(shown).toMatchObject({ id: hook.id, dropped: 0, problem: null });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain("\nservice_webhook_dropped_total 0\n");
  });

  test("receivers that failed and then hang leave slots for others", async () => {
    const slow = (nth: number) => (nth === 1 ? answered(500) : never());
    await using hooks = hookReceiver((path, nth) => (path.startsWith("/slow") ? slow(nth) : answered(200)));
    await using server = await contextServer({ outbound: hooks.outbound });
    for (let i = 0; i < 12; i++) await add(server, hooks.url(`/slow${i}`), ["file.*"]);
    await add(server, hooks.url("/fast"), ["file.*"]);
    await server.admin.write("a.md", "x");
    // Each slow receiver failed once, and as many as allowed now hang.
    await eventually(() => hooks.got.filter(({ path }) => path.startsWith("/slow")).length, 16);
    for (const path of ["b.md", "c.md"]) await server.admin.write(path, "x");
    await eventually(() => typesAt(hooks.got, "/fast").length, 3);
    expect(hooks.got.filter(({ path }) => path.startsWith("/slow")).length).toBe(16);
  });

  test("counts attempts while pending, and continues the count after a restart", async () => {
    let hangs = true;
    const third = () => (hangs ? never() : answered(500));
    await using hooks = hookReceiver((_, nth) => (nth <= 2 ? answered(503) : third()));
    await using server = await contextServer({ outbound: hooks.outbound });
    const hook = await add(server, hooks.url(), ["file.*"]);
    await server.admin.write("a.md", "x");
    await eventually(() => hooks.got.length, 3);
    expect(await states(server, hook.id)).toEqual(["waiting 2 503"]);
    await server.restart(() => void (hangs = false));
    await eventually(() => states(server, hook.id), ["failed 4 500"]);
    // The attempt interrupted by the stop is repeated.
    expect(hooks.got.length).toBe(5);
    expect(new Set(hooks.got.map(({ headers }) => headers.get("x-service-delivery"))).size).toBe(1);
  });

  test("a hook receives what its owner may see at the time of sending; one without an owner reports it", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const { admin } = server;
    const ann = await server.user("Ann", "admin");
    await ann.post("/webhooks", { url: hooks.url(), events: ["file.*"] });
    const told = () => pathsOf(hooks.got);
    const problem = async () => (await admin.get("/webhooks"))[0]!.problem;
    await admin.write("1.md", "x");
    await eventually(told, ["1.md"]);
    await admin.patch("/users/Ann", { role: "viewer" });
    await server.rules("Ann", deny("2.md", "list", "read"));
    await admin.write("2.md", "x");
    await admin.write("3.md", "x");
    await eventually(told, ["1.md", "3.md"]);
    expect(await problem()).toBeNull();
    await admin.post("/users/Ann/disable");
    await using stream = await admin.events("/events");
    await admin.write("4.md", "x");
    await stream.until(({ data }) => data.path === "4.md");
    expect(await problem()).toBe("its owner Ann is disabled, so nothing is sent");
    await admin.post("/users/Ann/enable");
    expect(await problem()).toBeNull();
    await admin.write("5.md", "x");
    await eventually(told, ["1.md", "3.md", "5.md"]);
    await admin.delete("/users/Ann");
    expect(await problem()).toBe("its owner Ann was deleted, so nothing is sent");
  });

  test("does not retry an event that the owner may no longer see", async () => {
    const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
    await using hooks = hookReceiver((_, nth) => answers[nth - 1]?.promise ?? new Response());
    await using server = await contextServer({ outbound: hooks.outbound });
    const ann = await server.user("Ann", "admin");
    const hook = await ann.post("/webhooks", { url: hooks.url(), events: ["file.*"] });
    await server.admin.write("a.md", "x");
    await eventually(() => hooks.got.length, 1);
    await server.admin.patch("/users/Ann", { spaces: [] });
    answers[0]!.resolve(new Response(null, { status: 500 }));
    const error = "the owner of the webhook may no longer see this event";
    await eventually(() => errors(server, hook.id), [["failed", 1, error]]);
    expect(hooks.got.length).toBe(1);
  });
});

describe("a hook for some spaces", () => {
  const spacesAt = (got: readonly Received[], path: string) =>
    got
      .filter((one) => one.path === path)
      .map(({ body }) => JSON.parse(body) as { type: string; space: string | null })
      .map(({ type, space }) => `${type} ${space}`);

  test("receives the events of these spaces only, by name, also after they were deleted and created again", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const { admin } = server;
    await admin.post("/spaces", { name: "docs", template: "blank" });
    const hook = await admin.post("/webhooks", { url: hooks.url("/docs"), spaces: ["docs"] });
    expect(hook).toMatchObject({ events: ["*"], spaces: ["docs"], problem: null });
    await admin.post("/webhooks", {
      url: hooks.url("/files"),
      events: ["file.write"],
      spaces: ["docs", "team"],
    });
    await add(server, hooks.url("/all"));
    const told = () => spacesAt(hooks.got, "/docs");
    const problem = async () => (await admin.get("/webhooks"))[0]!.problem;
    const write = writerOf(server);
    await write("team", "a.md");
    await write("docs", "b.md");
    await server.user("Ann", "viewer");
    await write("docs", "c.md");
    // The creation of the space may be published after the hook was made.
    await eventually(
      () => told().filter((one) => one !== "space.create docs"),
      ["file.write docs", "file.write docs"],
    );
    await eventually(() => spacesAt(hooks.got, "/files").length, 3);
    await eventually(() => spacesAt(hooks.got, "/all").filter((one) => one === "user.add null").length, 1);
    hooks.got.length = 0;
    await admin.delete("/spaces/docs?confirm=docs");
    await eventually(told, ["space.delete docs"]);
    expect(await problem()).toBe("its space docs was deleted");
    await admin.post("/spaces", { name: "docs", template: "blank" });
    await eventually(() => told().includes("space.create docs"), true);
    expect(await problem()).toBeNull();
  });

  test("follows a change from the next event on, also after a restart, and only as far as its owner may see", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const { admin } = server;
    await admin.post("/spaces", { name: "docs", template: "blank" });
    const ann = await server.user("Ann", "admin");
    const { id } = await ann.post("/webhooks", {
      url: hooks.url("/some"),
      events: ["file.*"],
      spaces: ["docs"],
    });
    await add(server, hooks.url("/all"));
    /** Each once: a delivery of which a stop lost the record is repeated. */
    const told = () => [
      ...new Set(
        hooks.got
          .filter(({ path }) => path === "/some")
          .map(({ body }) => JSON.parse(body))
          .map(({ space, path }) => `${space} ${path}`),
      ),
    ];
    const write = writerOf(server);
    await write("docs", "1.md");
    await write("team", "1.md");
    // Both were published.
    await eventually(() => spacesAt(hooks.got, "/all").includes("file.write team"), true);
    await eventually(told, ["docs 1.md"]);
    expect((await admin.patch(`/webhooks/${id}`, { spaces: ["team"] })).spaces).toEqual(["team"]);
    await server.restart();
    await write("docs", "2.md");
    await write("team", "2.md");
    await eventually(told, ["docs 1.md", "team 2.md"]);
    await server.admin.patch("/users/Ann", { spaces: ["docs"] });
    await server.admin.patch(`/webhooks/${id}`, { spaces: null });
    await write("team", "3.md");
    await write("docs", "3.md");
    await eventually(told, ["docs 1.md", "team 2.md", "docs 3.md"]);
  });

  test("names spaces that exist and that the caller may see; names it has may be gone", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const url = "http://93.184.215.14/";
    for (const name of ["docs", "hidden"]) await admin.post("/spaces", { name, template: "blank" });
    const ann = await server.user("Ann", "admin");
    await admin.patch("/users/Ann", { spaces: ["docs"] });
    const asks = (spaces: unknown, by = admin) => by.raw("POST", "/webhooks", { body: { url, spaces } });
    const refused = async (response: Response) => (await response.json()).error.details;
    expect(await refused(await asks(["docs", "nowhere"]))).toMatchObject({ unknown: ["nowhere"] });
    expect(await refused(await asks(["hidden"], ann))).toMatchObject({ unknown: ["hidden"] });
    for (const bad of [[], ["docs", "docs"], "docs", [1], Array.from({ length: 101 }, (_, i) => `s${i}`)])
      await refusal(asks(bad), "invalid");
    expect(await admin.get("/webhooks")).toEqual([]);
    const { id } = await admin.post("/webhooks", { url, spaces: ["docs", "hidden"] });
    for (const name of ["docs", "hidden"]) await admin.delete(`/spaces/${name}?confirm=${name}`);
    const kept = await admin.patch(`/webhooks/${id}`, {
      spaces: ["docs", "hidden", "team"],
      events: ["file.*"],
    });
    expect(kept).toMatchObject({ spaces: ["docs", "hidden", "team"], problem: null });
    const gone = await admin.patch(`/webhooks/${id}`, { spaces: ["docs", "hidden"] });
    expect(gone.problem).toBe("all of its 2 spaces were deleted");
  });
});

test("hooks of an earlier version receive the events of every space", async () => {
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await add(server, hooks.url(), ["file.*"]);
  await server.restart((directory) => {
    using db = new Database(join(directory, "server.db"));
    db.run("ALTER TABLE webhooks DROP COLUMN spaces");
    db.run("ALTER TABLE stale_documents DROP COLUMN epoch");
    db.run("ALTER TABLE audit_anchor DROP COLUMN closed");
    db.run("DROP TABLE audit_pending");
    db.run("DROP TABLE space_deeds; ALTER TABLE event_sources DROP COLUMN first");
    db.run("DELETE FROM migrations WHERE name >= '008'");
  });
  const { secret: _, ...shown } = hook;
  expect((await server.admin.get("/webhooks"))[0]).toEqual({ ...shown, spaces: null });
  await server.admin.write("a.md", "x");
  await eventually(() => pathsOf(hooks.got), ["a.md"]);
});

describe("targets", () => {
  test("inside the network are refused on save", async () => {
    await using server = await contextServer();
    const hosts =
      "127.0.0.1 localhost 10.0.0.1 169.254.169.254 [::1] [::ffff:127.0.0.1] 0.0.0.0 db.internal 2130706433";
    for (const host of hosts.split(" ")) await refusal(add(server, `http://${host}/`), "refused");
    await refusal(add(server, "nothing"), "invalid");
    await refusal(add(server, "http://u:p@example.org/"), "invalid");
    await refusal(add(server, "http://93.184.215.14/", ["file.none"]), "invalid");
    await refusal(add(server, "http://93.184.215.14/", []), "invalid");
    expect(await server.admin.get("/webhooks")).toEqual([]);
  });

  test("are checked again on every connection: a name that later resolves elsewhere is refused", async () => {
    let address = "93.184.215.14";
    const network = { ...SYSTEM_NETWORK, resolve: async () => [{ address, port: 80 }] };
    await using server = await contextServer({ outbound: { network, waitsMs: [1, 1, 1] } });
    const hook = await add(server, "http://moves.example/", ["file.*"]);
    address = "127.0.0.1";
    await server.admin.write("a.md", "x");
    await eventually(
      async () => (await deliveries(server, hook.id)).map(({ state, error }) => [state, error]),
      [["failed", "moves.example resolves to 127.0.0.1, which is not a public address (loopback)"]],
    );
  });

  describe("with webhooks.allow_private_targets", () => {
    const config = { webhooks: { allow_private_targets: true } };
    const OUR_NOTATIONS =
      "127.0.0.1 127.9.9.9 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 0.0.0.0 0 localhost LOCALHOST [::1] [::] " +
      "[0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::]";
    const METADATA_NOTATIONS =
      "169.254.169.254 2852039166 0xa9fea9fe 169.254.43518 [::ffff:169.254.169.254] [::169.254.169.254] " +
      "[64:ff9b::169.254.169.254] [64:ff9b:1::169.254.169.254] [2002:a9fe:a9fe::] [fd00:ec2::254] 100.100.100.200";
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address, family }) => (family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address));

    test("other ports of this machine are allowed; the server's own listener is not, in any notation", async () => {
      for (const address of ["127.0.0.1", "0.0.0.0"]) {
        const listen = { address, port: 0 };
        await using server = await contextServer({ config: { ...config, listen } });
        const { port } = new URL(server.url);
        expect((await add(server, "http://localhost:1/")).url).toBe("http://localhost:1/");
        for (const host of [...OUR_NOTATIONS.split(" "), ...own])
          await refusal(add(server, `http://${host}:${port}/`), "refused");
        const [hook] = await server.admin.get("/webhooks");
        await refusal(server.admin.patch(`/webhooks/${hook!.id}`, { url: server.url }), "refused");
      }
    });

    test("a name that later resolves to the server's own listener is refused on connection", async () => {
      const elsewhere = [{ address: "93.184.215.14", port: 1 }];
      let endpoints = elsewhere;
      const network = { resolve: async () => endpoints, allow: () => true };
      await using server = await contextServer({ outbound: { network, waitsMs: [] } });
      const hook = await add(server, "http://moves.example/", ["file.*"]);
      const port = Number(new URL(server.url).port);
      endpoints = [...elsewhere, { address: "127.0.0.1", port }];
      await server.admin.write("a.md", "x");
      const error = `moves.example resolves to 127.0.0.1, which is this server itself at port ${port}`;
      await eventually(async () => (await deliveries(server, hook.id)).map((one) => one.error), [error]);
    });

    test("cloud metadata addresses stay refused, in any notation", async () => {
      await using server = await contextServer({ config });
      for (const host of METADATA_NOTATIONS.split(" "))
        await refusal(add(server, `http://${host}/`), "refused");
    });
  });

  test("are for admins only, and every refusal is audited", async () => {
    await using server = await contextServer();
    const lead = await server.user("Lee", "space-lead");
    await refusal(lead.raw("GET", "/webhooks"), "forbidden");
    await refusal(lead.post("/webhooks", { url: "http://93.184.215.14/" }), "forbidden");
    expect(await server.admin.get("/audit?actor=Lee&result=denied")).toHaveLength(2);
  });
});

test("the dead-letter file is bounded and rotated once", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "webhooks", "dead-letter.jsonl");
  const file = new DeadLetterFile(path, 1_000);
  for (let webhook = 1; webhook <= 20; webhook += 1)
    file.add({ time: "t", delivery: "d", webhook, url: "u", tries: 4, error: "e", body: "b".repeat(200) });
  expect(statSync(path).size).toBeLessThanOrEqual(1_000);
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1_000);
  expect(existsSync(`${path}.2`)).toBe(false);
  expect(file.read(100).map(({ webhook }) => webhook)).toEqual([16, 17, 18, 19, 20]);
});
