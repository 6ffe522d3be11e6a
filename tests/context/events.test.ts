// Goal: a stream sends each event once and in order to callers who may see it at that moment, and resumes where it was, even after a crash.

import { describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../kit/at-end.ts";
import { refusal } from "../kit/http/refusal.ts";
import { contextServer, deny, filePath, contextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { rawStream } from "../kit/http/raw-http.ts";
import { DAY_MS, manualClock } from "../kit/manual-clock.ts";
import { initServer } from "../../src/context/init-server.ts";
import { startServer } from "../../src/context/main.ts";
import type { EventReader, StreamEvent } from "../kit/http/client.ts";

/** Returns the next `count` file events as `type path version`. */
async function files(stream: EventReader, count: number): Promise<string[]> {
  const seen = [];
  while (seen.length < count) {
    const { type, data } = await stream.until((event) => event.type.startsWith("file."));
    seen.push(`${type} ${data.path} ${data.version}`);
  }
  return seen;
}

const hidden = (path: string) => deny(path, "list", "read");

describe("the stream", () => {
  test("sends each change with its actor, in order", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await using stream = await admin.events("/events");
    expect(stream.response.headers.get("x-request-id")).toBeTruthy();
    await admin.write("a.md", "one");
    await admin.write("a.md", "two");
    await admin.write("a.md", "two");
    await admin.raw("DELETE", filePath("a.md"));
    await admin.post(filePath("a.md", "undelete"));
    const ops = [
      { op: "put", path: "b.md", content_b64: "Yg==" },
      { op: "delete", path: "a.md" },
    ];
    await admin.raw("POST", "/spaces/team/push", { body: { ops } });
    const pushed = await stream.until(({ type }) => type === "space.push");
    expect(stream.seen.slice(0, 5).map(({ type, data }) => `${type} ${data.path} ${data.version}`)).toEqual([
      "file.write a.md 1",
      "file.write a.md 2",
      "file.write a.md 3",
      "file.delete a.md null",
      "file.undelete a.md 3",
    ]);
    expect(pushed.data).toMatchObject({
      space: "team",
      path: null,
      actor: "root",
      data: { files: 2, head: expect.any(String) },
    });
    const ids = stream.seen.map(({ id }) => id!);
    expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
    expect(stream.seen[0]!.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      seq: ids[0],
      type: "file.write",
      created: expect.stringMatching(/Z$/),
      space: "team",
      path: "a.md",
      version: 1,
      actor: "root",
      data: { head: expect.stringMatching(/^[0-9a-f]{12}\.1$/) },
    });
  });

  test("resumes after Last-Event-ID without gaps or duplicates while others write", async () => {
    await using server = await contextServer();
    const { admin } = server;
    for (let i = 0; i < 600; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => admin.write(`f${i + j}.md`, `${i + j}`)));
    await using first = await admin.events("/events?after=0");
    const events: StreamEvent[] = [];
    while (events.length < 300) events.push((await first.next())!);
    const last = events.at(-1)!.id!;
    const writing = Promise.all(Array.from({ length: 40 }, (_, j) => admin.write(`g${j}.md`, `${j}`)));
    await using second = await admin.events("/events", { headers: { "Last-Event-ID": String(last) } });
    await writing;
    await admin.write("end.md", "x");
    await second.until(({ data }) => data.path === "end.md");
    expect(second.seen.map(({ id }) => id!)).toEqual(second.seen.map((_, index) => last + 1 + index));
    const written = [...events, ...second.seen].filter(
      ({ type, data }) => type === "file.write" && /^[fg]\d/.test(data.path),
    );
    expect(new Set(written.map(({ data }) => data.path)).size).toBe(640);
    for (const id of ["x", "-1", "1.5"])
      await refusal(admin.raw("GET", "/events", { headers: { "Last-Event-ID": id } }), "invalid");
  });

  test("an id in the future counts as up to date", async () => {
    await using server = await contextServer();
    await using stream = await server.admin.events("/events", { headers: { "Last-Event-ID": "999999" } });
    await server.admin.write("a.md", "one");
    expect(await files(stream, 1)).toEqual(["file.write a.md 1"]);
  });

  test("sends only the requested spaces", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.post("/spaces", { name: "other", template: "blank" });
    await using stream = await admin.events("/events?spaces=other,%20nowhere");
    await admin.write("a.md", "one");
    await admin.raw("PUT", filePath("b.md", "files", "other"), { body: "x" });
    await stream.until(({ data }) => data.path === "b.md");
    expect(stream.seen.filter(({ data }) => data.space !== "other")).toEqual([]);
  });
});

describe("visibility", () => {
  test("limits files by rule, spaces by list, and users to admins, live and replayed", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.post("/spaces", { name: "other", template: "blank" });
    const ann = await server.user("Ann", "viewer", ["team"]);
    await server.rules("Ann", hidden("secret/**"));
    await using live = await ann.events("/events");
    await admin.write("secret/a.md", "x");
    await admin.raw("PUT", filePath("b.md", "files", "other"), { body: "x" });
    await admin.post("/users", { name: "Bob", role: "viewer" });
    await admin.put("/spaces/team/quotas", {});
    await admin.write("open.md", "x");
    await live.until(({ data }) => data.path === "open.md");
    const shown = (stream: EventReader) =>
      stream.seen.map(({ type, data }) => `${type} ${data.space} ${data.path}`);
    expect(shown(live)).toEqual(["space.quotas team null", "file.write team open.md"]);
    await using replayed = await ann.events("/events?after=0");
    await replayed.until(({ data }) => data.path === "open.md");
    expect(shown(replayed).filter((text) => /secret|other|user|acl|token/.test(text))).toEqual([]);
  });

  test("a replay for a space begins at its creation; only admins see the events of a deleted one of that name", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const ann = await server.user("Ann", "viewer", ["team"]);
    await admin.write("plans.md", "x");
    await using live = await ann.events("/events");
    await admin.write("more.md", "x");
    await admin.delete("/spaces/team?confirm=team");
    await live.until(({ type }) => type === "space.delete");
    await admin.post("/spaces", { name: "team", template: "blank" });
    const bob = await server.user("Bob", "viewer", ["team"]);
    await server.restart();
    await server.admin.write("new.md", "x");
    const shown = async (client: typeof server.admin) => {
      await using stream = await client.events("/events?after=0&spaces=team");
      await stream.until(({ data }) => data.path === "new.md");
      return stream.seen.map(({ type, data }) => `${type} ${data.path}`);
    };
    expect(await shown(server.as(bob.token))).toEqual([
      "space.delete null",
      "space.create null",
      "file.write new.md",
    ]);
    expect(await shown(server.admin)).toEqual([
      "space.create null",
      "file.write plans.md",
      "file.write more.md",
      "space.delete null",
      "space.create null",
      "file.write new.md",
    ]);
  });

  test("a changed rule applies to open streams", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const ann = await server.user("Ann", "viewer");
    await using stream = await ann.events("/events");
    await using all = await admin.events("/events");
    await admin.write("docs/a.md", "1");
    expect(await files(stream, 1)).toEqual(["file.write docs/a.md 1"]);
    await server.rules("Ann", hidden("docs/**"));
    await admin.write("docs/a.md", "2");
    // The rights at the time of sending decide.
    expect(await files(all, 2)).toEqual(["file.write docs/a.md 1", "file.write docs/a.md 2"]);
    await admin.delete("/users/Ann/acl");
    await admin.write("docs/a.md", "3");
    expect(await files(stream, 1)).toEqual(["file.write docs/a.md 3"]);
  });

  test("ends when its token is revoked, its user disabled or deleted, or its session logged out", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const ends: [string, (name: string, token: string) => Promise<unknown>][] = [
      ["Ann", (name) => admin.delete(`/users/${name}/tokens`)],
      ["Bob", (name) => admin.post(`/users/${name}/disable`)],
      ["Cyd", (name) => admin.delete(`/users/${name}`)],
      ["Dan", (_, token) => server.as(token).delete("/auth/token")],
    ];
    for (const [name, end] of ends) {
      const user = await server.user(name, "viewer");
      await using stream = await user.events("/events");
      await end(name, user.token);
      // The stream has ended.
      expect(await stream.next()).toBeUndefined();
    }
  });

  test("ending a stream closes its connection", async () => {
    await using server = await contextServer();
    const user = await server.user("Ann", "viewer");
    await using stream = await rawStream(server.url, "/api/v1/events", user.token);
    await server.admin.post("/users/Ann/disable");
    expect(await stream.closed).toEndWith("\r\n0\r\n\r\n");
  });

  test("sends nothing after the token expires", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock });
    const { token } = await server.admin.post("/users/root/tokens", {});
    await using stream = await server.admin.events("/events");
    await server.admin.write("a.md", "1");
    expect(await files(stream, 1)).toEqual(["file.write a.md 1"]);
    clock.advance(DAY_MS);
    await server.as(token).write("a.md", "2");
    await server.as(token).post("/users", { name: "Ann", role: "viewer" });
    await eventually(async () => (await stream.next())?.type, undefined);
    expect(stream.seen.flatMap(({ type, data }) => (type === "file.write" ? [data.version] : []))).toEqual([
      1,
    ]);
    expect(stream.seen.filter(({ type }) => type === "user.add")).toEqual([]);
  });
});

describe("a crash", () => {
  test("between a commit and its event loses none and repeats none", async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, "server");
    const log = { format: "json" as const, write: () => {} };
    const { token } = await initServer({ directory, space: "team", admin: "root", template: "blank" }, log);
    await Bun.write(join(directory, "server.yaml"), "rate_limit: { enabled: false }\nlog_level: error\n");
    const script = join(folder.path, "child.ts");
    const root = join(import.meta.dir, "..", "..");
    // Dies when a write is acknowledged, before its event is stored.
    await Bun.write(
      script,
      `import { startServer } from ${JSON.stringify(join(root, "src/context/main.ts"))};
const server = await startServer({ directory: process.argv[2]!, port: 0, log: { format: "json", write: () => {} } });
const count = Number(process.argv[3]);
const put = (name: string) => fetch(server.url + "/api/v1/spaces/team/files/" + name, { method: "PUT", body: name, headers: { Authorization: "Bearer " + process.argv[4] } });
for (let i = 0; i < count; i++) if (!(await put("f" + process.argv[5] + "-" + i + ".md")).ok) process.exit(3);
process.kill(process.pid, "SIGKILL");
`,
    );
    let written = 0;
    for (let round = 0; round < 4; round++) {
      const count = round * 7 + 1;
      const child = Bun.spawn([process.execPath, script, directory, String(count), token, String(round)], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      written += count;
    }
    const server = await startServer({ directory, log, port: 0 });
    await using _end = atEnd(() => server.stop("test is over"));
    await using stream = await contextClient(server.url, token).events("/events?after=0");
    const seen = await files(stream, written);
    const expected = [0, 1, 2, 3].flatMap((round) =>
      Array.from({ length: round * 7 + 1 }, (_, index) => `file.write f${round}-${index}.md 1`),
    );
    expect(seen).toEqual(expected);
    await contextClient(server.url, token).write("end.md", "x");
    expect(await files(stream, 1)).toEqual(["file.write end.md 1"]);
  });

  test("that loses events already sent sends them again, even to those who have them", async () => {
    await using server = await contextServer();
    const [database, before] = [join(server.directory, "server.db"), join(server.directory, "before.db")];
    await server.admin.write("a.md", "x");
    await server.restart(() => copyFileSync(database, before));
    let told = 0;
    {
      await using stream = await server.admin.events("/events?after=0");
      for (const path of ["b.md", "c.md"]) await server.admin.write(path, "x");
      told = (await stream.until(({ data }) => data.path === "c.md")).id!;
    }
    await server.restart(() => copyFileSync(before, database));
    await using stream = await server.admin.events("/events", { headers: { "Last-Event-ID": String(told) } });
    expect(await files(stream, 2)).toEqual(["file.write b.md 1", "file.write c.md 1"]);
    expect(stream.seen.every(({ id }) => id! > told)).toBe(true);
  });
});
