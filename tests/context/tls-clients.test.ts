// Goal: clients of a server that speaks TLS trust its certificate where they are told to, and otherwise say what keeps them from it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { selfSigned } from "../../src/kit/secrets/self-signed.ts";
import { runBinary } from "../kit/binaries.ts";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { withTls } from "../kit/context/tls.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";

const DAY_MS = 86_400_000;

test("a client of another machine trusts it by NODE_EXTRA_CA_CERTS, and not otherwise", async () => {
  await using server = await withTls("127.0.0.1");
  const whoami = (environment: Record<string, string>) =>
    runBinary("cairn", ["auth", "whoami", "--server", server.url, "--json"], {
      environment: { SERVICE_TOKEN: server.bootstrap, ...environment },
    });
  const trusted = await whoami({ NODE_EXTRA_CA_CERTS: join(server.directory, "tls", "cert.pem") });
  expect([trusted.exitCode, JSON.parse(trusted.stdout).name]).toEqual([0, "root"]);
  const vouched = "nothing on this machine vouches for its certificate; if it is the right server, set";
  const file = "NODE_EXTRA_CA_CERTS to the file of its certificate or of the authority";
  const { exitCode, stderr } = await whoami({});
  expect(exitCode).toBe(2);
  expect(JSON.parse(stderr).error.message).toBe(`${server.url} does not answer: ${vouched} ${file}`);
  expect(await cairnAt([]).said("server", "health", "--server", server.url)).toEqual(
    failure(`${server.url}: does not answer: ${vouched} ${file}`, 2),
  );
});

test("a client says what keeps it from the certificate, the port or the scheme of a server", async () => {
  const now = Date.now();
  const problem = async (url: string) => {
    const { stderr } = await runBinary("cairn", ["auth", "whoami", "--server", url], {
      environment: { SERVICE_TOKEN: "any" },
    });
    return stderr.replace(`Error: ${url} does not answer: `, "").trimEnd();
  };
  const old = selfSigned(["127.0.0.1"], { now: now - 9 * DAY_MS, days: 3 });
  const fetch = () => new Response("");
  using expired = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: old, fetch });
  using plain = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  expect([
    await problem(`https://127.0.0.1:${expired.port}`),
    await problem(`http://127.0.0.1:${expired.port}`),
    await problem(`https://127.0.0.1:${plain.port}`),
  ]).toEqual([
    "its certificate has expired; renew it on the server",
    "it closed the connection before an answer; check the address, and http or https in it",
    "it does not speak TLS there; check the port, and http or https in the address",
  ]);
});

test("a daemon in the background trusts the certificate that its starter trusts", async () => {
  await using server = await withTls("127.0.0.1");
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "notes");
  const surroundings = {
    cwd: join(server.directory, "tls"),
    environment: { HOME: folder.path, SERVICE_TOKEN: server.bootstrap, NODE_EXTRA_CA_CERTS: "cert.pem" },
  };
  const { printed, data } = cairnAt([], surroundings);
  await printed("init", "client", "--server", server.url, "--dir", directory, "--non-interactive");
  const status = () =>
    data<{ connected: boolean; problem: object | null }>("daemon", "status", "--dir", directory);
  const first = async () => {
    const { connected, problem } = await status();
    return problem ?? (connected ? "connected" : undefined);
  };
  await printed("daemon", "start", "--dir", directory);
  try {
    expect(await until(first)).toBe("connected");
  } finally {
    await printed("daemon", "stop", "--dir", directory);
  }
});
