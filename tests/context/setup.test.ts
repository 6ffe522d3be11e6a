// Goal: a person goes from an empty directory to a working server in the browser, with the code from the terminal and no restart; every mistake is
// shown at its field; the setup is gone for good once the first admin exists.

import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { prepareServer } from "../../src/context/init-server.ts";
import { startServer, type RunningServer } from "../../src/context/main.ts";
import { atEnd } from "../kit/at-end.ts";
import { reachableAddresses } from "../../src/kit/network/addresses.ts";
import { temporaryFolder } from "../kit/folder.ts";
import {
  fillSetup,
  PASSWORD,
  signIn,
  visitor,
  type ConsolePage,
  type Visitor,
} from "../kit/context/console.ts";
import { configure } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { portProblem } from "../../src/kit/network/port.ts";
import { keptPort } from "../kit/kept-port.ts";
import { rawRequestInParts } from "../kit/http/raw-http.ts";

/** Of a form that is sent in two parts. */
const FIRST_PART = 5;
const CODE = "the-code-of-the-terminal";
const log = { format: "json" as const, write: () => {} };

interface SetUp extends AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  readonly server: RunningServer;
  restart(setupCode?: string): Promise<void>;
}

async function setUp(): Promise<SetUp> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  await prepareServer({ directory, port: 0 }, log);
  // Chosen at each start: a port that was free some time ago may be taken by another test.
  configure(directory, { listen: { port: 0 } });
  let server = await startServer({ directory, log, setupCode: CODE });
  return {
    directory,
    get port() {
      return server.port;
    },
    get server() {
      return server;
    },
    async restart(setupCode = CODE) {
      await server.stop("a test restarts it");
      await prepareServer({ directory, port: 0 }, log);
      server = await startServer({ directory, log, setupCode });
    },
    async [Symbol.asyncDispose]() {
      await server.stop("test is over");
      await folder[Symbol.asyncDispose]();
    },
  };
}

const admitted = async (one: Visitor) => one.submit(await one.get(`/setup?code=${CODE}`), "/setup/code");
const filled = (one: Visitor, port: number, reach: Record<string, string> = {}): Promise<ConsolePage> =>
  fillSetup(one, CODE, { port: String(port), ...reach });

/** Sends the beginning of a form, and the rest of its body once `rest` resolves with it. */
function slowForm(
  { server, port }: SetUp,
  { cookies }: Visitor,
  form: { readonly path: string; readonly body: string; readonly rest: Promise<string> },
) {
  const { path, body, rest } = form;
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    `Origin: ${server.url}`,
    `Cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join("; ")}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
  ];
  const first = `${lines.join("\r\n")}\r\n\r\n${body.slice(0, FIRST_PART)}`;
  return rawRequestInParts({ host: "127.0.0.1", port }, first, rest);
}

describe("the setup", () => {
  test("leads from the code to the console, signed in, in a space with documents; then it is gone, also after a restart", async () => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    expect((await one.get("/")).path).toBe("/setup");
    const review = await filled(one, at.port);
    expect([review.path, review.text.includes("Ada"), review.html.includes(PASSWORD)]).toEqual([
      "/setup/review",
      true,
      false,
    ]);
    const done = await one.submit(review, "/setup/review");
    expect([done.status, done.path, done.text.includes("admin")]).toEqual([200, "/console", true]);
    expect((await one.get("/console/spaces/plans")).text).toContain("context-entry.md");
    const gone = async () => [
      (await one.get("/setup")).status,
      (await one.get(`/setup?code=${CODE}`)).status,
      (await one.get("/setup/review")).status,
      (await one.post("/setup/review", {})).status,
    ];
    expect(await gone()).toEqual([404, 404, 404, 404]);
    expect((await signIn(visitor(at.server.url), "ada", PASSWORD)).path).toBe("/console");
    await expect(at.restart()).rejects.toMatchObject({ code: "conflict" });
  });

  test("shows nothing without the code, and takes no other one", async () => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    const wrong = await one.submit(await one.get("/setup?code=guess"), "/setup/code");
    expect([wrong.status, wrong.problems]).toEqual([400, { code: "not the code that the terminal shows" }]);
    for (const path of ["/setup/address", "/setup/admin", "/setup/space", "/setup/review"])
      expect([path, (await one.get(path)).path]).toEqual([path, "/setup"]);
    const csrf = wrong.forms[0]!.fields["csrf"]!;
    for (const path of ["/setup/address", "/setup/admin", "/setup/space", "/setup/review"])
      expect(
        (await one.post(path, { csrf, name: "eve", password: PASSWORD, repeated: PASSWORD })).status,
      ).toBe(403);
    // The cookie of another browser does not carry the code.
    await admitted(visitor(at.server.url));
    expect((await one.get("/setup/admin")).path).toBe("/setup");
    const console = await one.get("/console");
    expect(console.path).toBe("/console/login");
  });

  test("shows every mistake at its field and keeps what was typed", async () => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    const address = await admitted(one);
    const tried = async (page: ConsolePage, path: string, fields: Record<string, string>) => {
      const answer = await one.submit(page, path, fields);
      return [answer.status, answer.problems];
    };
    const network = (host: string, port: string) =>
      tried(address, "/setup/address", { reach: "network", address: host, port });
    expect(await network("not an address", "9000")).toEqual([
      400,
      { address: "neither an address nor a hostname" },
    ]);
    expect(await network("203.0.113.7", "9000")).toEqual([
      400,
      { address: "203.0.113.7 is not an address of this machine" },
    ]);
    expect(await network("127.0.0.1", "0")).toEqual([400, { port: "expected a number from 1 to 65535" }]);
    const used = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    expect(await network("127.0.0.1", String(used.port))).toEqual([
      400,
      { port: `${used.port} is already in use` },
    ]);
    used.stop();
    const admin = await one.get("/setup/admin");
    const person = (name: string, password: string, repeated = password) =>
      tried(admin, "/setup/admin", { name, password, repeated });
    expect(await person(" ", PASSWORD)).toEqual([400, { name: "must not be empty" }]);
    expect(await person("a\u202e", PASSWORD)).toEqual([
      400,
      { name: "must not contain control or invisible characters" },
    ]);
    expect(await person("ada", "short")).toEqual([400, { password: "at least 8 characters" }]);
    expect(await person("ada", PASSWORD, "other")).toEqual([400, { repeated: "not the same password" }]);
    const space = await one.get("/setup/space");
    expect(await tried(space, "/setup/space", { space: "No!", template: "team" })).toEqual([
      400,
      { space: expect.stringContaining("lower-case") },
    ]);
    expect(await tried(space, "/setup/space", { space: "ok", template: "nothing" })).toEqual([
      400,
      { template: expect.stringContaining("expected one of") },
    ]);
    expect((await one.get("/setup/review")).path).toBe("/setup/admin");
  });

  test("that was left goes on after a restart, with another code", async () => {
    await using at = await setUp();
    await filled(visitor(at.server.url), at.port);
    await at.restart("another-code");
    const one = visitor(at.server.url);
    expect((await one.submit(await one.get(`/setup?code=${CODE}`), "/setup/code")).status).toBe(400);
    const address = await one.submit(await one.get("/setup?code=another-code"), "/setup/code");
    expect([address.path, (await one.get("/setup/review")).path]).toEqual(["/setup/address", "/setup/admin"]);
  });

  test("moves while another form is under way, which is answered at the former address", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    const port = await keptPort("127.0.0.1");
    const review = await filled(one, port);
    const space = await admitted(other).then(() => other.get("/setup/space"));
    const body = new URLSearchParams({ ...space.forms[0]!.fields, space: "second" }).toString();
    const rest = Promise.withResolvers<string>();
    const late = slowForm(at, other, { path: "/setup/space", body, rest: rest.promise });
    // It is under way once this is answered.
    await other.get("/setup/space");
    await one.submit(review, "/setup/review");
    const health = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(health, 200);
    rest.resolve(body.slice(FIRST_PART));
    const { status, body: told } = await late;
    expect([status, told.includes("the setup is over")]).toEqual([404, true]);
    await eventually(() => at.server.port, port);
  });

  test("moves to all addresses at the same port", async () => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    const review = await filled(one, at.port, { reach: "network", address: "0.0.0.0" });
    const done = await one.submit(review, "/setup/review");
    expect(done.links).toContain(`http://127.0.0.1:${at.port}/console`);
    await eventually(() => at.server.url, `http://localhost:${at.port}`);
    expect((await signIn(visitor(`http://127.0.0.1:${at.port}`), "ada", PASSWORD)).path).toBe("/console");
  });

  test("leads the tabs at the former address to the new one, until the server stops", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    const former = at.server.url;
    const port = await keptPort("127.0.0.1");
    const review = await filled(one, port);
    const space = await admitted(other).then(() => other.get("/setup/space"));
    await one.submit(review, "/setup/review");
    const now = `http://127.0.0.1:${port}`;
    await eventually(() => at.server.url, now);
    for (const path of ["/", "/console/spaces/plans", "/setup/review"]) {
      const led = await fetch(former + path, { redirect: "manual" });
      expect([led.status, led.headers.get("location")]).toEqual([303, `${now}/console`]);
    }
    const late = await other.submit(space, "/setup/space", { space: "second" });
    expect([late.status, late.title, late.links]).toEqual([
      404,
      "This server is set up already · Cairn",
      [`${now}/console/login`],
    ]);
    expect(readdirSync(join(at.directory, "spaces"))).toEqual(["plans"]);
    const client = await fetch(`${former}/api/v1/users`, { headers: { Authorization: "Bearer secret" } });
    expect([client.status, await client.json()]).toEqual([
      404,
      { error: expect.objectContaining({ code: "not_found", message: `this server has moved to ${now}` }) },
    ]);
    await at.server.stop("a test looks at its former address");
    expect(await portProblem("127.0.0.1", Number(new URL(former).port))).toBeUndefined();
  });

  test("moves the running server to another port, and the next start listens there", async () => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    const port = await keptPort("127.0.0.1");
    const review = await filled(one, port);
    const done = await one.submit(review, "/setup/review");
    expect([done.title, done.links.includes(`http://127.0.0.1:${port}/console`)]).toEqual([
      "The server is ready · Cairn",
      true,
    ]);
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      200,
    );
    expect((await signIn(visitor(`http://127.0.0.1:${port}`), "ada", PASSWORD)).path).toBe("/console");
    expect(at.server.port).toBe(port);
    const config = await Bun.file(join(at.directory, "server.yaml")).text();
    expect(Bun.YAML.parse(config)).toEqual({ listen: { address: "127.0.0.1", port } });
  });

  test.each([
    "0.0.0.0",
    "::",
    ...reachableAddresses()
      .filter((address) => !address.includes(":"))
      .slice(0, 1),
  ])("moves the running server to %s, where other machines reach it and everyone signs in", async (host) => {
    await using at = await setUp();
    const one = visitor(at.server.url);
    const port = await keptPort(host);
    const review = await filled(one, port, { reach: "network", address: host });
    expect(review.text).toContain(`${host}, port ${port}`);
    const done = await one.submit(review, "/setup/review");
    const reached = ["0.0.0.0", "::"].includes(host) ? ["127.0.0.1", ...reachableAddresses()] : [host];
    expect(done.links).toEqual(
      reached.map((name) => `http://${name.includes(":") ? `[${name}]` : name}:${port}/console`),
    );
    const health = (url: string) =>
      fetch(`${url}/health`).then(
        ({ status }) => status,
        () => 0,
      );
    for (const name of reached.filter((address) => !address.includes(":"))) {
      const url = `http://${name}:${port}`;
      await eventually(() => health(url), 200);
      // The way of a loopback address is closed: whoever comes has to sign in.
      const stranger = visitor(url);
      expect((await stranger.get("/console")).path).toBe("/console/login");
      const console = await signIn(stranger, "ada", PASSWORD);
      expect([console.path, console.text.includes("Ada admin")]).toEqual(["/console", true]);
      expect((await fetch(`${url}/api/v1/users`)).status).toBe(401);
      expect((await stranger.get("/setup")).status).toBe(404);
    }
    const config = Bun.YAML.parse(await Bun.file(join(at.directory, "server.yaml")).text());
    expect(config).toEqual({ listen: { address: host, port } });
  });

  test("a tab that is left over is told that the server is set up, and changes nothing", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    const review = await filled(one, at.port);
    const address = await admitted(other);
    const late = await other.get("/setup/review");
    await one.submit(review, "/setup/review");
    const facts = async () => [
      await Bun.file(join(at.directory, "server.yaml")).text(),
      readdirSync(join(at.directory, "spaces")),
    ];
    const before = await facts();
    const answers = [
      await other.submit(late, "/setup/review"),
      await other.submit(address, "/setup/address", { port: "9999", reach: "here" }),
      await other.get("/setup/admin"),
      // In the browser that finished, which is signed in.
      await one.submit(review, "/setup/review"),
      await one.get("/setup"),
      await visitor(at.server.url).get(`/setup?code=${CODE}`),
    ];
    for (const { status, title, text, links } of answers)
      expect([status, title, text.includes("the setup is over"), links]).toEqual([
        404,
        "This server is set up already · Cairn",
        true,
        ["/console/login"],
      ]);
    expect(await facts()).toEqual(before);
    expect((await one.get("/console")).text).toContain("Ada admin");
  });

  test("creates what the last page showed, and shows it again if another tab changed an answer", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    const review = await filled(one, at.port);
    await admitted(other);
    const person = { name: "Ben", password: "another password", repeated: "another password" };
    await other.submit(await other.get("/setup/admin"), "/setup/admin", person);
    const again = await one.submit(review, "/setup/review");
    expect([again.status, again.path, again.problems]).toEqual([
      409,
      "/setup/review",
      {
        "": "an answer was changed after this page was loaded, maybe in another tab; check all of them, then continue",
      },
    ]);
    expect(again.text).toContain("Admin Ben");
    expect(readdirSync(join(at.directory, "spaces"))).toEqual([]);
    const done = await one.submit(again, "/setup/review");
    expect([done.path, done.text.includes("Ben")]).toEqual(["/console", true]);
  });

  test("a form whose body arrives after the setup ended changes nothing", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    const review = await filled(one, at.port);
    const space = await admitted(other).then(() => other.get("/setup/space"));
    const body = new URLSearchParams({ ...space.forms[0]!.fields, space: "second" }).toString();
    const ended = Promise.withResolvers<string>();
    const answers = ["/setup/space", "/setup/review"].map((path) =>
      slowForm(at, other, { path, body, rest: ended.promise }),
    );
    // Both are under way once this is answered.
    await other.get("/setup/space");
    await one.submit(review, "/setup/review");
    ended.resolve(body.slice(FIRST_PART));
    for (const answer of await Promise.all(answers))
      expect([answer.status, answer.body.includes("the setup is over")]).toEqual([404, true]);
    expect(readdirSync(join(at.directory, "spaces"))).toEqual(["plans"]);
  });

  test("two browsers that finish at once create one admin", async () => {
    await using at = await setUp();
    const [one, other] = [visitor(at.server.url), visitor(at.server.url)];
    await admitted(other);
    const review = await filled(one, at.port);
    const second = await other.get("/setup/review");
    const answers = await Promise.all([
      one.submit(review, "/setup/review"),
      other.submit(second, "/setup/review"),
    ]);
    expect(answers.filter(({ path }) => path === "/console").length).toBe(1);
    // The answer to the other one depends on the moment.
    const [told] = answers.filter(({ path }) => path !== "/console");
    expect(told!.text).toMatch(/the setup is (over|already being completed)/);
  });

  test("does not exist on a server that was not started for it", async () => {
    await using at = await setUp();
    await at.server.stop("a test starts it again");
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const server = await startServer({ directory: at.directory, log: { format: "json", write } });
    await using _ = atEnd(() => server.stop("test is over"));
    expect((await visitor(server.url).get(`/setup?code=${CODE}`)).status).toBe(404);
    expect(lines.join("")).toContain("run cairn init server to set it up");
  });
});
