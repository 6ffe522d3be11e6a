// Goal: with a certificate, the server speaks TLS and nothing else to others, commands on the same machine reach it whatever names the certificate
// has, and a certificate that does not fit is refused with the setting.

import { expect, test } from "bun:test";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examine } from "../../src/context/doctor/doctor.ts";
import { prepareServer } from "../../src/context/init-server.ts";
import { startServer } from "../../src/context/main.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { selfSigned } from "../../src/kit/secrets/self-signed.ts";
import { runBinary } from "../kit/binaries.ts";
import { cairnAt, failure, stoppedContext, type StoppedContext } from "../kit/cli/cairn.ts";
import { configure } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { fillSetup, PASSWORD, signIn, visitor } from "../kit/context/console.ts";
import { eventually } from "../kit/eventually.ts";
import { keptPort } from "../kit/kept-port.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { withTls } from "../kit/context/tls.ts";
import { within } from "../kit/within.ts";

const DAY_MS = 86_400_000;

/** Resolves after the handshake. */
async function openAhead(port: number, ca: string) {
  const done = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    tls: { ca },
    socket: { data() {}, handshake: () => done.resolve() },
  });
  await within("the handshake is over", done.promise);
  return { [Symbol.dispose]: () => socket.end() };
}

const certificateOf = ({ directory }: Pick<RunningContext, "directory">) =>
  readFileSync(join(directory, "tls", "cert.pem"), "utf8");

test("speaks TLS to those who trust the certificate, and no plain HTTP", async () => {
  await using server = await withTls("127.0.0.1");
  const { port, origin } = new URL(server.url);
  expect(origin).toBe(`https://127.0.0.1:${port}`);
  const ca = certificateOf(server);
  const health = async (headers: Record<string, string> = {}) => {
    const { status } = await fetch(`${origin}/health`, { headers, tls: { ca } });
    return status;
  };
  expect(await health()).toBe(200);
  expect(await health({ Origin: origin })).toBe(200);
  expect(await health({ Origin: `http://127.0.0.1:${port}` })).toBe(403);
  await expect(fetch(`${origin}/health`)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test("commands on the same machine reach it whatever names the certificate has, and show its public address", async () => {
  await using server = await withTls("context.lab");
  expect(await server.data("server", "status")).toMatchObject({
    running: true,
    url: server.url,
    health: "ok",
  });
  expect(await server.data("server", "health")).toMatchObject({ url: server.url, status: "ok" });
  expect(await server.data("user", "list")).toEqual([expect.objectContaining({ name: "root" })]);
  const { checks } = await server.data<{ checks: { check: string; message: string }[] }>("doctor");
  expect(JSON.stringify(checks.find(({ check }) => check === "port"))).toContain(server.url);
  await server.printed("server", "stop");
});

test("refuses a webhook to the listener for this machine, whatever the setting allows", async () => {
  await using server = await withTls("context.lab");
  await server.end("SIGTERM");
  configure(server.directory, { webhooks: { allow_private_targets: true } });
  await server.start();
  const { url } = JSON.parse(readFileSync(join(server.directory, "run", "server.json"), "utf8"));
  expect(url).toStartWith("http://127.0.0.1:");
  const [exitCode, message] = await server.refused("webhook", "add", `${url}/hook`);
  expect([exitCode, message]).toEqual([1, expect.stringContaining("is this server itself at port")]);
});

test("the cookies of the console are secure without a proxy", async () => {
  await using server = await withTls("127.0.0.1");
  const page = await fetch(`${server.url}/console/login`, { tls: { ca: certificateOf(server) } });
  expect(page.headers.getSetCookie().map((cookie) => /^__Host-cairn-.+; Secure/.test(cookie))).toEqual([
    true,
  ]);
});

test("a connection without a request, as browsers open them ahead, does not hold up a stop", async () => {
  await using server = await withTls("127.0.0.1");
  using _ = await openAhead(Number(new URL(server.url).port), certificateOf(server));
  expect(await server.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  expect(server.log.filter(({ level }) => level === "warn")).toEqual([]);
});

test("makes a certificate for names and addresses, and replaces one only by --force", async () => {
  await using server = await stoppedContext("blank");
  const gen = ["server", "tls", "gen", "--host"];
  const files = { cert_file: server.inside("tls/cert.pem"), key_file: server.inside("tls/key.pem") };
  const made = await server.data(...gen, "context.lab", "--host", "::1", "--days", "30");
  expect(made).toEqual({ ...files, hosts: ["context.lab", "::1"], days: 30 });
  const certificate = () => new X509Certificate(readFileSync(files.cert_file));
  const first = certificate();
  expect(first.subjectAltName).toBe("DNS:context.lab, IP Address:0:0:0:0:0:0:0:1");
  const days = (Date.parse(first.validTo) - Date.now()) / 86_400_000;
  expect([days > 29.9, days <= 30]).toEqual([true, true]);
  expect([statSync(files.key_file).mode & 0o777, statSync(server.inside("tls")).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  chmodSync(files.cert_file, 0o644);
  chmodSync(files.key_file, 0o640);
  const { checks } = await examine(server.directory, server.folder.path, systemClock);
  expect(checks.find(({ check }) => check === "permissions")?.fix).toBe(`chmod 600 ${files.key_file}`);
  expect(await server.refused(...gen, "other.lab")).toEqual(
    failure(`${files.cert_file} already exists; pass --force to replace it`),
  );
  expect(certificate().fingerprint256).toBe(first.fingerprint256);
  await server.printed(...gen, "other.lab", "--force");
  expect(certificate().subjectAltName).toBe("DNS:other.lab");
});

test.each([
  [["--host", "a b"], '--host "a b": neither an address nor a hostname'],
  [["--host", "a.lab:8743"], '--host "a.lab:8743": expected a name or an address, without a port'],
  [["--host", "a.lab", "--days", "900"], '--days "900": expected a whole number from 1 to 825'],
])("%p is refused", async (flags, says) => {
  await using server = await stoppedContext("blank");
  expect(await server.refused("server", "tls", "gen", ...flags)).toEqual(failure(says));
});

test("more hosts than a certificate can hold are refused", async () => {
  await using server = await stoppedContext("blank");
  const hosts = Array.from({ length: 101 }, (_, index) => `--host=h${index}.lab`);
  expect(await server.refused("server", "tls", "gen", ...hosts)).toEqual(
    failure("--host: expected at most 100 hosts"),
  );
});

/** Backs up a server with these settings and restores it. */
async function restored(server: StoppedContext, tls: object) {
  configure(server.directory, { tls });
  const [file, directory] = [join(server.folder.path, "backup.cairn"), join(server.folder.path, "restored")];
  await server.printed("backup", "create", "--out", file);
  const { printed, said } = cairnAt([]);
  const text = await printed("backup", "restore", file, "--server-dir", directory);
  expect(existsSync(join(directory, "tls"))).toBe(false);
  return { text, inside: (name: string) => join(directory, name), said };
}

test("a restored server has no key of its certificate, and the restore and the start say what to do", async () => {
  await using server = await stoppedContext("blank");
  await server.printed("server", "tls", "gen", "--host", "context.lab");
  const { text, inside, said } = await restored(server, { enabled: true });
  const cert = inside("tls/cert.pem");
  const copies = `restore your copy of ${cert} and ${inside("tls/key.pem")} before you start the server`;
  expect(text).toContain(`\nTLS has no certificate: ${copies}, or create a self-signed pair`);
  const make = "create a self-signed pair with cairn server tls gen --host <host>";
  expect(await said("server", "start", "--server-dir", inside(""))).toEqual(
    failure(`tls.cert_file: ${cert}: no such file; restore your copy of it, or ${make}`),
  );
});

test("a restored server orders a certificate again, and the restore says how to keep the former one", async () => {
  await using server = await stoppedContext("blank");
  mkdirSync(server.inside("tls/acme"), { recursive: true });
  writeFileSync(server.inside("tls/acme/account.pem"), "private");
  const acme = { enabled: true, email: "ops@example.org", domains: ["context.example.org"] };
  const { text, inside } = await restored(server, { enabled: true, acme });
  const keep = `to keep the former one, restore your copy of ${inside("tls/acme")} before`;
  expect(text).toContain(`\nthe server orders a new certificate at its start; ${keep}\n`);
});

test("a certificate that is missing or does not fit its key stops the start, with the setting", async () => {
  await using server = await stoppedContext("blank");
  configure(server.directory, { tls: { enabled: true } });
  const start = async () => (await server.said("server", "start"))[1];
  expect(await start()).toContain(`tls.cert_file: ${server.inside("tls/cert.pem")}: no such file`);
  await server.printed("server", "tls", "gen", "--host", "context.lab");
  const other = selfSigned(["context.lab"], { now: Date.now(), days: 1 });
  writeFileSync(server.inside("tls/key.pem"), other.key);
  const [certFile, keyFile] = [server.inside("tls/cert.pem"), server.inside("tls/key.pem")];
  expect(await start()).toBe(
    `Error: tls.key_file: ${keyFile}: not the key of the first certificate in ${certFile}\n`,
  );
  const locked = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" } as const;
  writeFileSync(keyFile, createPrivateKey(other.key).export(locked));
  expect(await start()).toBe(
    `Error: tls.key_file: ${keyFile}: encrypted; the server needs a key without a passphrase\n`,
  );
  writeFileSync(keyFile, other.cert);
  expect(await start()).toBe(`Error: tls.key_file: ${keyFile}: not a private key in PEM\n`);
  writeFileSync(certFile, other.key);
  expect(await start()).toBe(`Error: tls.cert_file: ${certFile}: not a certificate in PEM\n`);
});

test.each([
  ["has expired", -3, "the certificate expired on "],
  ["is not valid yet", 3, "the certificate is not valid before "],
])("a certificate that %s is served, with a warning in the log", async (_, days, says) => {
  await using server = await runContext();
  await server.end("SIGTERM");
  configure(server.directory, { tls: { enabled: true } });
  const { cert, key } = selfSigned(["context.lab"], { now: Date.now() + days * DAY_MS, days: 1 });
  mkdirSync(join(server.directory, "tls"));
  writeFileSync(join(server.directory, "tls", "cert.pem"), cert);
  writeFileSync(join(server.directory, "tls", "key.pem"), key);
  await server.start();
  const warnings = server.log.filter(({ level }) => level === "warn").map(({ message }) => message);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${says}.*; clients refuse it$`))]);
});

test("the setup has secure cookies, and moves the server with https", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const log = { format: "json" as const, write: () => {} };
  await prepareServer({ directory, port: 0 }, log);
  configure(directory, { tls: { enabled: true }, listen: { port: 0 } });
  const { cert, key } = selfSigned(["127.0.0.1"], { now: Date.now(), days: 1 });
  mkdirSync(join(directory, "tls"));
  writeFileSync(join(directory, "tls", "cert.pem"), cert);
  writeFileSync(join(directory, "tls", "key.pem"), key);
  const server = await startServer({ directory, log, setupCode: "code" });
  try {
    const page = await fetch(`${server.url}/setup`, { tls: { ca: cert } });
    expect(page.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-cairn-.+; Secure/)]);
    const one = visitor(server.url, { ca: cert });
    const port = await keptPort("127.0.0.1");
    using _ = await openAhead(server.port, cert);
    const done = await one.submit(await fillSetup(one, "code", { port: String(port) }), "/setup/review");
    const url = `https://127.0.0.1:${port}`;
    expect([done.title, done.links]).toEqual(["The server is ready · Cairn", [`${url}/console`]]);
    // Far sooner than the runtime ends the connection that asks nothing.
    await eventually(() => server.url, url);
    const moved = visitor(url, { ca: cert });
    expect((await signIn(moved, "ada", PASSWORD)).path).toBe("/console");
    expect(await runBinary("cairn", ["server", "status", "--server-dir", directory, "--json"])).toMatchObject(
      {
        exitCode: 0,
        stdout: expect.stringContaining(`"url": "${url}"`),
      },
    );
  } finally {
    await server.stop("test is over");
  }
});

test("doctor warns before the certificate expires, and fails once it has or does not fit its key", async () => {
  await using server = await stoppedContext("blank");
  const verdict = async () => {
    const { checks } = await examine(server.directory, server.folder.path, systemClock);
    return checks.filter(({ check }) => check === "certificate").map(({ state, found }) => [state, found]);
  };
  expect(await verdict()).toEqual([]);
  configure(server.directory, { tls: { enabled: true } });
  const missing = `tls.cert_file: ${server.inside("tls/cert.pem")}: no such file; restore your copy of it, or create a self-signed pair with cairn server tls gen --host <host>`;
  expect(await verdict()).toEqual([["fail", missing]]);
  const now = Date.now();
  const day = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
  mkdirSync(server.inside("tls"));
  const install = (days: number) => {
    const { cert, key } = selfSigned(["context.lab"], { now, days });
    writeFileSync(server.inside("tls/cert.pem"), cert);
    writeFileSync(server.inside("tls/key.pem"), key);
  };
  install(30);
  expect(await verdict()).toEqual([["ok", `valid until ${day(30)}, for DNS:context.lab`]]);
  install(13);
  expect(await verdict()).toEqual([["warn", `the certificate expires on ${day(13)}`]]);
  install(0);
  expect(await verdict()).toEqual([["fail", `the certificate expired on ${day(0)}`]]);
  const later = selfSigned(["context.lab"], { now: now + 3 * DAY_MS, days: 30 });
  writeFileSync(server.inside("tls/cert.pem"), later.cert);
  writeFileSync(server.inside("tls/key.pem"), later.key);
  expect(await verdict()).toEqual([["fail", expect.stringContaining("is not valid before ")]]);
  writeFileSync(server.inside("tls/key.pem"), selfSigned(["context.lab"], { now, days: 1 }).key);
  expect(await verdict()).toEqual([
    ["fail", expect.stringContaining("not the key of the first certificate")],
  ]);
});
