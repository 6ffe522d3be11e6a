// Goal: with a certificate, the server speaks TLS and nothing else to others, commands on the same machine reach it whatever names the certificate
// has, and a certificate that does not fit is refused with the setting.

import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examine } from "../../src/context/doctor/doctor.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { selfSigned } from "../../src/kit/secrets/self-signed.ts";
import { runBinary } from "../kit/binaries.ts";
import { failure, stoppedContext } from "../kit/cli/cairn.ts";
import { configure } from "../kit/context/context-server.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";

const DAY_MS = 86_400_000;

/** With a certificate of the command itself. */
async function withTls(...hosts: string[]): Promise<RunningContext> {
  const server = await runContext();
  await server.data("server", "tls", "gen", ...hosts.flatMap((host) => ["--host", host]));
  await server.end("SIGTERM");
  configure(server.directory, { tls: { enabled: true } });
  await server.start();
  return server;
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

test("a client of another machine trusts it by NODE_EXTRA_CA_CERTS, and not otherwise", async () => {
  await using server = await withTls("127.0.0.1");
  const whoami = (environment: Record<string, string>) =>
    runBinary("cairn", ["auth", "whoami", "--server", server.url, "--json"], {
      environment: { SERVICE_TOKEN: server.bootstrap, ...environment },
    });
  const trusted = await whoami({ NODE_EXTRA_CA_CERTS: join(server.directory, "tls", "cert.pem") });
  expect([trusted.exitCode, JSON.parse(trusted.stdout).name]).toEqual([0, "root"]);
  expect((await whoami({})).exitCode).toBe(2);
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
  expect([exitCode, message]).toEqual([1, expect.stringContaining("of this machine is this server itself")]);
});

test("the cookies of the console are secure without a proxy", async () => {
  await using server = await withTls("127.0.0.1");
  const page = await fetch(`${server.url}/console/login`, { tls: { ca: certificateOf(server) } });
  expect(page.headers.getSetCookie().map((cookie) => /^__Host-cairn-.+; Secure/.test(cookie))).toEqual([
    true,
  ]);
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
  [["--host", "a b"], '--host "a b": neither an address nor a host name'],
  [["--host", "a.lab:8743"], '--host "a.lab:8743": expected a name or an address, without a port'],
  [["--host", "a.lab", "--days", "900"], '--days "900": expected a whole number from 1 to 825'],
])("%p is refused", async (flags, says) => {
  await using server = await stoppedContext("blank");
  expect(await server.refused("server", "tls", "gen", ...flags)).toEqual(failure(says));
});

test("a certificate that is missing or does not fit its key stops the start, with the setting", async () => {
  await using server = await stoppedContext("blank");
  configure(server.directory, { tls: { enabled: true } });
  const start = async () => (await server.said("server", "start"))[1];
  expect(await start()).toContain(`tls.cert_file: ${server.inside("tls/cert.pem")}: no such file`);
  await server.printed("server", "tls", "gen", "--host", "context.lab");
  const other = selfSigned(["context.lab"], { now: Date.now(), days: 1 });
  writeFileSync(server.inside("tls/key.pem"), other.key);
  expect(await start()).toContain("tls: cannot use the certificate with its key (ERR_OSSL_");
});

test("doctor warns before the certificate expires, and fails once it has or does not fit its key", async () => {
  await using server = await stoppedContext("blank");
  const verdict = async () => {
    const { checks } = await examine(server.directory, server.folder.path, systemClock);
    return checks.filter(({ check }) => check === "certificate").map(({ state, found }) => [state, found]);
  };
  expect(await verdict()).toEqual([]);
  configure(server.directory, { tls: { enabled: true } });
  const missing = `tls.cert_file: ${server.inside("tls/cert.pem")}: no such file`;
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
  writeFileSync(server.inside("tls/key.pem"), selfSigned(["context.lab"], { now, days: 1 }).key);
  expect(await verdict()).toEqual([["fail", "the key does not belong to the certificate"]]);
});
