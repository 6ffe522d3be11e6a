// Goal: what was meant as the name of a file, a space or a user never becomes another route on its way to the server, and a server that is silent or
// refuses for a while holds nobody for long.

import { describe, expect, test } from "bun:test";
import { Client, encodedPath, networkTransport, type Transport } from "../../src/context/client/client.ts";
import { patient } from "../../src/context/client/rate-limit-wait.ts";
import { answerLimitMs } from "../../src/context/client/answer-timeout.ts";
import { RemoteSpace } from "../../src/context/space/remote.ts";
import { FILE_BYTES_CEILING } from "../../src/context/versioned-store/schema.ts";
import { AppError } from "../../src/kit/error.ts";
import { sizeText } from "../../src/kit/text/amounts.ts";
import { until } from "../kit/eventually.ts";
import { frontOf, never } from "../kit/http/front.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { refusal } from "../kit/http/refusal.ts";
import { bytes } from "../kit/store/file-engine.ts";

function recording() {
  const sent: string[] = [];
  const transport: Transport = {
    name: "test",
    send(method, path) {
      sent.push(`${method} ${path}`);
      return Promise.resolve(Response.json({}));
    },
    close: () => Promise.resolve(),
  };
  return { sent, client: new Client(transport) };
}

describe("the client", () => {
  test.each(["../../../users/ann", "a/./b.md", "a/..", ".", ".."])("sends nothing for %s", async (name) => {
    const { sent, client } = recording();
    const refused = await client
      .request("DELETE", `/spaces/team/files/${encodedPath(name)}`)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: "invalid", message: expect.stringContaining("cannot be a name") });
    expect(sent).toEqual([]);
  });

  test("tells a page of another program from an answer that was cut off", async () => {
    const answering = (body: string, type: string): Client =>
      new Client({
        name: "https://context.example.org",
        send: () => Promise.resolve(new Response(body, { headers: { "Content-Type": type } })),
        close: () => Promise.resolve(),
      });
    const page = answering("<html>Sign in</html>", "text/html; charset=utf-8").get("/version");
    const other =
      "https://context.example.org answered with something other than JSON; is it a context server?";
    await refusal(page, "unavailable", other);
    await refusal(
      answering('{"name":"ad', "application/json").get("/version"),
      "unavailable",
      /^the connection to https:\/\/context\.example\.org was interrupted: /,
    );
  });

  test("names the server of an address that has a page of it", async () => {
    const client = new Client({
      name: "https://context.example.org/console/spaces",
      send: () => Promise.resolve(new Response(null, { status: 303 })),
      close: () => Promise.resolve(),
    });
    await refusal(
      client.get("/auth/whoami"),
      "unavailable",
      "https://context.example.org/console/spaces answered 303; is it a context server? Without /console/spaces, its address is https://context.example.org",
    );
  });

  test.each([
    ["an answer", 200, (client: Client) => client.get("/version"), /^.* answered with more than 256 MiB, /],
    [
      "a file",
      200,
      (client: Client) => new RemoteSpace(client, "team").read("a.md"),
      `https://context.example.org answered with more than ${sizeText(FILE_BYTES_CEILING)}, which no context server does; ask its admin what changes its answers`,
    ],
    [
      "an error",
      500,
      (client: Client) => client.get("/version"),
      /^.* answered 500; is it a context server\?$/,
    ],
  ])("stops reading %s that does not end", async (_, status, ask, problem) => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    let hasStopped = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(piece),
      cancel: () => void (hasStopped = true),
    });
    const client = new Client({
      name: "https://context.example.org",
      send: () =>
        Promise.resolve(new Response(body, { status, headers: { "Content-Type": "application/json" } })),
      close: () => Promise.resolve(),
    });
    await refusal(ask(client), "unavailable", problem);
    expect(hasStopped).toBe(true);
  });

  test("blames no server for the answer of a proxy that reaches none", async () => {
    const answering = (status: number): Client =>
      new Client({
        name: "https://context.example.org",
        send: () => Promise.resolve(new Response("<h1>No server</h1>", { status })),
        close: () => Promise.resolve(),
      });
    const said = (status: number, guess: string) =>
      `https://context.example.org answered ${status}; ${guess}`;
    const proxy = "its proxy reaches no server at the moment; try again shortly";
    for (const status of [502, 503, 504])
      await refusal(answering(status).get("/version"), "unavailable", said(status, proxy));
    await refusal(answering(404).get("/version"), "unavailable", said(404, "is it a context server?"));
  });

  test("reads the version of a file also where a proxy that compresses has weakened its tag", async () => {
    const asked: (readonly [string, string | undefined])[] = [];
    const client = new Client({
      name: "https://context.example.org",
      send: async (method, _path, { headers }) => {
        asked.push([method, headers["If-Match"]]);
        return method === "GET"
          ? new Response("text", { headers: { ETag: 'W/"12"' } })
          : Response.json({ path: "a.md", version: 13 });
      },
      close: () => Promise.resolve(),
    });
    const space = new RemoteSpace(client, "team");
    const read = await space.read("a.md");
    expect(read).toMatchObject({ version: 12, state: "live" });
    await space.write("a.md", bytes("new"), read.version);
    expect(asked).toEqual([
      ["GET", undefined],
      ["PUT", '"12"'],
    ]);
  });

  test("sends names with dots, question marks and hashes as they are", async () => {
    const { sent, client } = recording();
    await client.get(`/spaces/team/files/${encodedPath("a..b/...c/d?e#f.md")}`, { version: 2 });
    expect(sent).toEqual(["GET /api/v1/spaces/team/files/a..b/...c/d%3Fe%23f.md?version=2"]);
  });
});

describe("a silent server", () => {
  const nobody = () => frontOf(() => "http://127.0.0.1:9");

  test("is given up after the limit, which grows with the body that is sent", async () => {
    await using front = nobody();
    front.answer = never;
    const clock = manualClock();
    const client = new Client(networkTransport(front.url, undefined, clock));
    const asked = client.json("POST", "/x", { raw: new Uint8Array(64 * 1024), answerMs: 10_000 });
    expect(clock.waits()).toEqual([12_000]);
    clock.advance(12_000);
    const problem = `${front.url} does not answer: nothing arrived within 12 s; check that it works, then try again`;
    await refusal(asked, "unavailable", problem);
    expect(clock.waits()).toEqual([]);
    expect([answerLimitMs(0), answerLimitMs(32 * 1024 * 60)]).toEqual([120_000, 180_000]);
  });

  test("in the middle of an answer is given up after a minute without a piece", async () => {
    await using front = nobody();
    const piece = (text: string) => new TextEncoder().encode(text);
    let to: ReadableStreamDefaultController<Uint8Array> | undefined;
    front.answer = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            to = controller;
            controller.enqueue(piece("[1"));
          },
        }),
      );
    const clock = manualClock();
    const client = new Client(networkTransport(front.url, undefined, clock));
    const answer = await client.request("GET", "/x");
    const reader = answer.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("[1");
    // Nobody reads, so nobody waits.
    expect(clock.waits()).toEqual([]);
    const next = reader.read();
    await until(() => clock.waits().includes(60_000));
    clock.advance(59_999);
    to!.enqueue(piece(",2]"));
    expect(new TextDecoder().decode((await next).value)).toBe(",2]");
    const last = reader.read();
    await until(() => clock.waits().includes(60_000));
    clock.advance(60_000);
    const problem = `the connection to ${front.url} was interrupted: nothing arrived for 60 s; check the network, then try again`;
    await refusal(last, "unavailable", problem);
  });

  test("is given up at once by the caller's signal", async () => {
    await using front = nobody();
    front.answer = never;
    const clock = manualClock();
    const stop = new AbortController();
    const client = new Client(networkTransport(front.url, undefined, clock));
    const asked = client.request("GET", "/x", { signal: stop.signal });
    stop.abort();
    await refusal(asked, "unavailable");
    expect(clock.waits()).toEqual([]);
  });
});

describe("a server that allows no more requests", () => {
  const refused = (seconds: number) =>
    new Response("slow down", { status: 429, headers: { "Retry-After": String(seconds) } });

  function answering(...answers: readonly Response[]) {
    const clock = manualClock();
    const waited: number[] = [];
    const left = [...answers];
    const transport: Transport = {
      name: "test",
      send: () => Promise.resolve(left.shift()!),
      close: () => Promise.resolve(),
    };
    const wrap = patient({ timers: clock, onWait: (seconds) => waited.push(seconds) });
    return { clock, waited, left, client: new Client(transport).through(wrap) };
  }

  test("is asked again after the wait that it asks for", async () => {
    const { clock, waited, client } = answering(refused(7), refused(30), Response.json({ ok: true }));
    const asked = client.get("/x");
    for (const ms of [7_000, 30_000]) {
      await until(() => clock.waits().includes(ms));
      clock.advance(ms);
    }
    expect(await asked).toEqual({ ok: true });
    expect(waited).toEqual([7, 30]);
  });

  test("is not waited for longer than half a minute, nor forever", async () => {
    const long = answering(refused(31));
    const problem = "test allows no more requests; try again in 31 s";
    await refusal(long.client.get("/x"), "rate_limited", problem, { retry_after_seconds: 31 });
    const again = answering(...Array.from({ length: 9 }, () => refused(0)));
    const asked = refusal(again.client.get("/x"), "rate_limited");
    for (const count of [1, 2, 3]) {
      await until(() => again.waited.length === count && again.clock.waits().length === 1);
      again.clock.advance(0);
    }
    await asked;
    expect(again.left).toHaveLength(5);
  });
});
