// Goal: commands mean the same by the same flag, say what they would destroy, fit the terminal, and keep what they promised for the next start.

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Token, User } from "../../src/context/people/schema.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, data, failure, printed, refused, stoppedContext } from "../kit/cli/cairn.ts";
import { configure, contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";
import { within } from "../kit/within.ts";

describe("versions", () => {
  const server = shared(async () => {
    const made = await stoppedContext("blank");
    for (const text of ["one\n", "two\n", "three\n"]) {
      const file = await made.folder.write("text", text);
      await made.printed("file", "put", "a.md", "--from", file);
    }
    return made;
  });

  test.each(["-v", "--version", "--to"])("%s names the version in get, diff and revert", async (flag) => {
    expect(await server.printed("file", "get", "a.md", flag, "v1")).toBe("one\n");
    expect(await server.printed("file", "diff", "a.md", flag, "2")).toContain("+two");
    const reverted = await server.data<{ version: number }>("file", "revert", "a.md", flag, "v1");
    expect(await server.printed("file", "get", "a.md", "--version", `v${reverted.version}`)).toBe("one\n");
  });

  test("destroy says what would be lost, and does it with --yes only", async () => {
    const [exitCode, said] = await server.refused("file", "destroy", "a.md", "-v", "v2");
    expect(exitCode).toBe(1);
    expect(said).toMatch(
      /^Error: v2 of a\.md \(4 B, \S+Z, by .+\) would be lost permanently; pass --yes to destroy it\n$/,
    );
    expect(await server.printed("file", "get", "a.md", "-v", "2")).toBe("two\n");
    expect(await server.refused("file", "destroy", "a.md", "-v", "99")).toEqual(
      failure("file a.md v99: not found"),
    );
    expect(await server.printed("file", "destroy", "a.md", "-v", "v2", "--yes")).toBe(
      "v2 of a.md is destroyed\n",
    );
    expect((await server.refused("file", "destroy", "a.md", "-v", "v2"))[1]).toContain("nothing to destroy");
  });
});

describe("people", () => {
  const server = shared(() => stoppedContext("blank"));

  test("one user can be shown, and given other spaces", async () => {
    await server.printed("space", "create", "research");
    await server.data("user", "add", "bob", "--role", "contributor", "--space", "main");
    expect(await server.printed("user", "show", "bob")).toMatch(
      /^name {6}bob\nrole {6}contributor\nspaces {4}main\nstate {5}active\ntokens {4}1\npassword {2}no\ncreated {3}\S+Z\n$/,
    );
    const spaces = async (...flags: string[]) =>
      (await server.data<User>("user", "spaces", "bob", ...flags)).spaces;
    expect(await spaces("--space", "research", "--space", "main")).toEqual(["research", "main"]);
    expect(await spaces("--all")).toBeNull();
    expect(await spaces("--none")).toEqual([]);
    expect((await server.data<User>("user", "show", "bob")).role).toBe("contributor");
    const choice = failure("use one of --space, --all and --none");
    expect(await server.refused("user", "spaces", "bob")).toEqual(choice);
    expect(await server.refused("user", "spaces", "bob", "--all", "--none")).toEqual(choice);
    expect(await server.refused("user", "spaces", "bob", "--space", "nope")).toEqual(
      failure('spaces: unknown space "nope"'),
    );
    expect(await server.refused("user", "show", "eve")).toEqual(failure("user eve: not found"));
  });

  test("a token can expire on its own, and never later than the server says", async () => {
    const create = (...flags: string[]) => server.data<Token>("auth", "token", "create", "ada", ...flags);
    const days = ({ created_at, expires_at }: Token) =>
      (Date.parse(expires_at!) - Date.parse(created_at)) / 86_400_000;
    expect(days(await create("--expires", "30d"))).toBeCloseTo(30, 4);
    expect(days(await create("--expires", "12h"))).toBeCloseTo(0.5, 4);
    expect((await create()).expires_at).toBeNull();
    const bad = '--expires "soon": expected a number with h, d or w, for example 30d';
    expect(await server.refused("auth", "token", "create", "ada", "--expires", "soon")).toEqual(failure(bad));
    expect((await server.refused("auth", "token", "create", "ada", "--expires", "900w"))[1]).toContain(
      "expires_in: at most",
    );
    writeFileSync(server.inside("server.yaml"), "auth:\n  token_ttl: 10\n");
    expect(days(await create("--expires", "4w"))).toBeCloseTo(10, 4);
  });
});

describe("server.yaml", () => {
  test("config check prints the settings in force, changes nothing, and names what is wrong", async () => {
    await using server = await stoppedContext("blank");
    const path = server.inside("server.yaml");
    const text = "listen:\n  port: 9000\n  allowed_hosts: [a.example]\nlog_level: warn\n";
    writeFileSync(path, text, { mode: 0o644 });
    const checked = await server.data<{ file: string; settings: Record<string, unknown> }>("config", "check");
    expect(checked).toMatchObject({
      file: path,
      ok: true,
      settings: { "listen.port": 9000, "listen.allowed_hosts": ["a.example"], log_level: "warn" },
    });
    const shown = await server.printed("config", "check");
    expect(shown).toStartWith(`${path} is valid\n\n`);
    for (const key of Object.keys(checked.settings)) expect(shown).toContain(`\n${key} `);
    expect(readFileSync(path, "utf8")).toBe(text);
    writeFileSync(path, "listen:\n  prot: 1\n");
    expect(await server.refused("config", "check")).toEqual(
      failure(`config ${path}: listen.prot: unknown key`),
    );
  });

  test("config check reads the certificate and the key that the server would serve", async () => {
    await using server = await stoppedContext("blank");
    const write = (file: string) =>
      writeFileSync(
        server.inside("server.yaml"),
        `tls:\n  enabled: true\n  cert_file: ${file}\n  key_file: tls/key.pem\n`,
      );
    const refusal = (problem: string) => failure(`tls.cert_file: ${server.inside("tls", problem)}`);
    write("tls/none.pem");
    expect(await server.refused("config", "check")).toEqual(
      refusal("none.pem: no such file; restore your copy of it, or name another file"),
    );
    await server.printed("server", "tls", "gen", "--host", "localhost");
    write("tls/cert.pem");
    expect(await server.printed("config", "check")).toContain("\ntls.cert_file ");
    write("tls/key.pem");
    expect(await server.refused("config", "check")).toEqual(refusal("key.pem: not a certificate in PEM"));
  });

  test("init server --port 0 chooses a port, and every start has it", async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, "server");
    const flags = ["--non-interactive", "--noui", "--space", "main", "--admin", "ada", "--port", "0"];
    const { port } = await data<{ port: number }>("init", "server", "--data-dir", directory, ...flags);
    // Not one of the ports that outgoing connections take.
    expect(port).toBeWithin(20_000, 32_000);
    const at = cairnAt(["--server-dir", directory]);
    const { settings } = await at.data<{ settings: Record<string, unknown> }>("config", "check");
    expect(settings["listen.port"]).toBe(port);
    const started = await at.data<{ url: string }>("server", "start", "--detach");
    try {
      expect(started.url).toBe(`http://127.0.0.1:${port}`);
      expect((await at.cairn("server", "status")).exitCode).toBe(0);
    } finally {
      await at.cairn("server", "stop");
    }
    const [exitCode, said] = await at.said("server", "status");
    expect([exitCode, said]).toEqual(
      failure(`the server is not running; start it with cairn server start --server-dir ${directory}`),
    );
  });

  test("server start --port listens elsewhere this time, in the background too", async () => {
    await using server = await stoppedContext("blank");
    const at = cairnAt(["--server-dir", server.directory]);
    expect(await at.refused("server", "start", "--port", "x")).toEqual(
      failure('--port "x": expected a number from 0 to 65535'),
    );
    configure(server.directory, { listen: { port: 1 } });
    const { url } = await at.data<{ url: string }>("server", "start", "--detach", "--port", "0");
    try {
      expect(Number(new URL(url).port)).toBeGreaterThan(1);
      expect((await fetch(`${url}/health`)).status).toBe(200);
    } finally {
      await at.cairn("server", "stop");
    }
    const { settings } = await at.data<{ settings: Record<string, unknown> }>("config", "check");
    expect(settings["listen.port"]).toBe(1);
  });
});

describe.skipIf(process.platform === "win32")("a table", () => {
  test("fits the terminal, with a bold header and relative times; a pipe gets all of it", async () => {
    await using server = await stoppedContext("blank");
    const long = `projects/${"long-".repeat(20)}name.md`;
    const file = await server.folder.write("text", "x");
    await server.printed("file", "put", long, "--from", file);
    const command = [binaryPath("cairn"), "file", "list", "--server-dir", server.directory];
    const xterm = { TERM: "xterm-256color" };
    const { text } = await onTerminal(command, xterm, [], 80);
    const [header, row] = text.split("\n");
    expect(header).toStartWith("\u001b[1mPATH");
    expect(header).toEndWith("AUTHOR\u001b[0m");
    expect(row).toMatch(/^projects\S*…\S*name\.md +v1 +1 B +clean +always +just now +/);
    expect(Bun.stringWidth(row!)).toBeLessThanOrEqual(80);
    const { text: plain } = await onTerminal([...command, "--no-color"], xterm, [], 80);
    expect(plain).not.toContain("\u001b");
    expect(await server.printed("file", "list")).toMatch(new RegExp(`\\n${long}  v1 .* \\d{4}-\\S+Z  `));
    expect(await server.data<{ path: string }[]>("file", "list")).toMatchObject([{ path: long }]);
  });
});

test("flags of the connection and of every command may stand first", async () => {
  await using server = await stoppedContext("blank");
  const early = ["--server-dir", server.directory, "--json", "space", "--space", "main", "show"];
  expect(JSON.parse(await printed(...early))).toMatchObject({ name: "main" });
  expect(await refused("--space", "main", "version")).toEqual([
    1,
    expect.stringMatching(/^Error: unknown flag: --space\n/),
  ]);
  expect(await printed("--version")).toBe(await printed("version"));
  expect(await data<object>("-v")).toEqual(await data<object>("version"));
});

test("every answer of a server says which one, unless the command named it", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await server.user("ann", "viewer");
  await server.admin.put("/users/ann/password", { password: "correct horse" });
  const environment = { HOME: folder.path };
  const login = Bun.spawn([binaryPath("cairn"), "auth", "login", "ann", "--server", server.url], {
    env: { ...process.env, ...environment },
    stdio: [new Blob(["correct horse\n"]), "ignore", "ignore"],
  });
  expect(await within("cairn auth login ends", login.exited)).toBe(0);
  const ann = cairnAt([], { environment });
  const asked = async (...args: string[]) => {
    const { exitCode, stderr } = await ann.cairn("file", "list", ...args);
    return [exitCode, stderr];
  };
  const told = [0, `server: ${server.url}\n`];
  expect([await asked(), await asked("--json"), await asked("--yaml")]).toEqual([told, told, told]);
  expect([await asked("--server", server.url), await asked("--json", "--quiet")]).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(JSON.parse((await ann.cairn("file", "list", "--json")).stdout)).toEqual([]);
  // An error is data alone, which a script reads whole.
  const errorOf = async (...args: string[]) =>
    JSON.parse((await ann.said("file", "get", "a.md", ...args))[1]);
  const missing = { message: "file a.md: not found", code: "not_found" };
  expect(await errorOf("--json")).toEqual({
    error: { ...missing, details: { path: "a.md", server: server.url } },
  });
  expect(await errorOf("--json", "--server", server.url)).toEqual({
    error: { ...missing, details: { path: "a.md" } },
  });
});

test("so does an answer of a server that was found in its standard place", async () => {
  await using folder = await temporaryFolder();
  const environment = { HOME: folder.path, SERVICE_DIR: "", SERVICE_SERVER_DIR: "" };
  const here = cairnAt([], { cwd: folder.path, environment });
  await here.printed(
    ..."init server --noui --non-interactive --space main --admin ada --port 0 --quiet".split(" "),
  );
  const directory = join(folder.path, ".cairn", "server");
  const told: [number, string] = [0, `server: ${directory}\n`];
  for (const words of [
    ["user", "list"],
    ["audit", "verify"],
    ["file", "list"],
    ["space", "list", "--json"],
  ])
    expect([words, await here.said(...words)]).toEqual([words, told]);
  expect(await here.said("user", "list", "--server-dir", directory)).toEqual([0, ""]);
});

test("a secret is all that a command prints on stdout, so that a script can keep it", async () => {
  await using server = await stoppedContext();
  configure(server.directory, { webhooks: { allow_private_targets: true } });
  const url = "http://127.0.0.1:9/hook";
  const secret = /^[\w-]{20,}\n$/;
  const note = (text: string) => expect.stringContaining(text);
  expect(await server.cairn("webhook", "add", url, "--events", "file.*")).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(secret),
    stderr: note(`webhook 1 sends file.* to ${url}; the secret is shown once\n`),
  });
  expect(await server.cairn("webhook", "rotate-secret", "1")).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(secret),
    stderr: note("webhook 1 signs with the new secret, which is shown once\n"),
  });
  const sent = await server.cairn("webhook", "test", "1");
  const later = `see the outcome: cairn webhook deliveries 1 --server-dir ${server.directory}\n`;
  expect([sent.exitCode, sent.stderr]).toEqual([0, note(later)]);
});
