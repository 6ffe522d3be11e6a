// Goal: a refusal says what is wrong and what to do next, in the words of the command line, not in those of the system or of the API.

import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadServerConfig } from "../../src/context/config/config.ts";
import { examine } from "../../src/context/doctor/doctor.ts";
import { initServer } from "../../src/context/init-server.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { asNobody, bound, isRoot } from "../kit/as-nobody.ts";
import { cairnAt, said, stoppedContext } from "../kit/cli/cairn.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { runContext } from "../kit/context/running-context.ts";

/** Exit code and message. */
async function saidToNobody(...args: string[]) {
  const { exitCode, stderr } = await asNobody(args);
  return [exitCode, stderr];
}

test.skipIf(!isRoot || Bun.which("setpriv") === null)(
  "a server of another user that anybody may read is left to that user",
  async () => {
    await using server = await stoppedContext();
    const { directory, folder, inside } = server;
    for (const place of [folder.path, directory]) chmodSync(place, 0o755);
    chmodSync(inside("server.yaml"), 0o644);
    const says = `Error: ${inside("server.yaml")} belongs to another user; run the command as that user\n`;
    expect(await saidToNobody("file", "list", "--server-dir", directory)).toEqual([1, says]);
  },
);

bound("a data directory that can't be written says so", async () => {
  await using server = await stoppedContext();
  const { directory, folder, inside } = server;
  chmodSync(folder.path, 0o755);
  chmodSync(directory, 0o555);
  for (const path of [inside("server.yaml"), inside("server.db")]) {
    chmodSync(path, 0o400);
    if (isRoot) chownSync(path, 65_534, 65_534);
  }
  const answer = await saidToNobody("file", "list", "--server-dir", directory);
  const made = await saidToNobody(
    ..."init server --space a --admin ada --data-dir".split(" "),
    inside("new"),
  );
  chmodSync(directory, 0o700);
  const denied = "permission denied";
  const says = `Error: ${inside("server.db")} cannot be written: ${denied}, or the disk is read-only; run the program as the owner of the directory, or choose another one\n`;
  expect(answer).toEqual([1, says]);
  expect(made).toEqual([
    1,
    `Error: cannot create ${inside("new")}: ${directory} cannot be written: ${denied}; choose another directory\n`,
  ]);
});

bound("a data directory that the user may not look into is not taken for a missing one", async () => {
  await using server = await stoppedContext();
  const { directory } = server;
  chmodSync(directory, 0);
  const answer = await saidToNobody("file", "list", "--server-dir", directory);
  chmodSync(directory, 0o700);
  const says = `Error: ${directory}: permission denied; run the command as the owner of the directory, or ask its server with --server <address>\n`;
  expect(answer).toEqual([1, says]);
});

describe("of a server that runs", () => {
  const server = shared(() => runContext());

  test("the address of a server without a token names the command that signs in", async () => {
    await using home = await temporaryFolder();
    const asked = (environment: Record<string, string>) =>
      cairnAt(["--server", server.url], { environment: { HOME: home.path, ...environment } }).said(
        "auth",
        "whoami",
      );
    const remedy = `cairn auth login <name> --server ${server.url}, or pass a token with --token-file or SERVICE_TOKEN`;
    expect(await asked({})).toEqual([2, `Error: not signed in to ${server.url}; run ${remedy}\n`]);
    const invalid = `Error: the token is not valid: it is unknown, revoked or expired; run ${remedy}\n`;
    expect(await asked({ SERVICE_TOKEN: "cairn_of_old" })).toEqual([2, invalid]);
  });

  test("no new space has the name of a device", async () => {
    const [, outcome] = await server.said("space", "create", "con");
    expect(outcome).toBe('Error: name: "con" is a device name on some systems\n');
    await using folder = await temporaryFolder();
    const made = { directory: join(folder.path, "new"), space: "nul", admin: "ada" };
    const refused = initServer(made, { format: "json", write: () => {} });
    await expect(refused).rejects.toThrow('space: "nul" is a device name on some systems');
  });

  test("a command takes the space as a flag, and as a word where it is about one", async () => {
    await server.cairn("space", "create", "research");
    const asks: [number, string] = [1, "Error: missing flag: --space; choose one of research, team\n"];
    for (const command of [
      "space show",
      "space quotas",
      "space adopt",
      "file list",
      "space sync set a/ never",
    ])
      expect(await server.said(...command.split(" "))).toEqual(asks);
    const named = await Promise.all([
      server.data<{ name: string }>("space", "show", "research"),
      server.data<{ name: string }>("space", "show", "--space", "research"),
      server.data<{ name: string }>("--space", "research", "space", "show"),
    ]);
    expect(named.map(({ name }) => name)).toEqual(["research", "research", "research"]);
    for (const line of ["research a/ never", "--space research a/ never"])
      expect(await server.printed("space", "sync", "set", ...line.split(" "))).toStartWith("a/: ");
    for (const words of [["research"], ["--space", "research"]])
      expect(await server.data<object>("space", "sync", "show", ...words)).toMatchObject({ "a/": "never" });
    expect((await server.refused("space", "delete"))[1]).toStartWith("Error: missing argument: <space>\n");
    expect((await server.refused("space", "delete", "--space", "research"))[1]).toContain("pass --yes");
    expect(await server.printed("space", "delete", "research", "--yes")).toMatch(
      /^deleted space research: \d+ files, \d+\.\d KiB\n$/,
    );
  });
});

test("a server that is not there is said so without the words of the library", async () => {
  const says =
    "Error: http://127.0.0.1:1 does not answer: connection refused; check that the server is running and that the port is right\n";
  expect(await said("file", "list", "--server", "http://127.0.0.1:1")).toEqual([2, says]);
});

test("an address with a path that no server answers at is questioned", async () => {
  await using server = await contextServer();
  const remark = `; ${server.url}/main has a path: if the server has none, pass --server ${server.url}\n`;
  const [exitCode, words] = await said("space", "list", "--server", `${server.url}/main`);
  expect(exitCode).toBe(1);
  expect(words).toEndWith(remark);
});

describe("of a server that does not run", () => {
  const server = shared(() => stoppedContext());
  const WOULD_LET = "to allow it, set webhooks.allow_private_targets in server.yaml";

  test.each([
    [["audit", "list", "--since", "yesterday"], '--since "yesterday": expected a time (RFC 3339) or a date'],
    [["audit", "list", "--limit", "0"], '--limit "0": expected an integer from 1 to 500'],
    [["history", "snapshot", ""], "name: must not be empty"],
    [["history", "snapshot", "a".repeat(101)], "name: at most 100 characters"],
    [["webhook", "add", "http://10.0.0.1/"], `url: 10.0.0.1 is not a public address (private); ${WOULD_LET}`],
    [
      ["webhook", "add", "http://localhost/"],
      `url: localhost is a name of this machine or its own network; ${WOULD_LET}`,
    ],
    [
      ["webhook", "add", "http://169.254.169.254/"],
      "url: 169.254.169.254 is not a public address (a cloud metadata address)",
    ],
  ])("%p is refused with what to change", async (args, says) => {
    expect(await server.said(...args)).toEqual([1, `Error: ${says}\n`]);
  });

  test("status and health name the command that starts the same server", async () => {
    const remedy = `start it with cairn server start --server-dir ${server.directory}\n`;
    expect((await server.said("server", "status"))[1]).toBe(`Error: the server is not running; ${remedy}`);
    expect((await server.said("server", "health"))[1]).toBe(`Error: the server is not running; ${remedy}`);
  });

  test.each([
    ["/nowhere/at-all", "no such file"],
    [".", "a directory, not a file"],
  ])("file put --from %s", async (from, says) => {
    const command = ["file", "put", "a.md", "--from", from];
    expect(await server.said(...command)).toEqual([1, `Error: --from ${from}: ${says}\n`]);
  });

  test("an answer names the next command as it has to be typed, and nothing twice", async () => {
    const printed = async (line: string) => (await server.cairn(...line.split(" "))).stdout;
    expect(await printed("file delete decisions.md --space main")).toBe(
      `decisions.md is deleted (v1); restore it with cairn file undelete decisions.md --space main --server-dir ${server.directory}\n`,
    );
    await printed("file put decisions.md --from CONTRIBUTING.md");
    const diff = await printed("file diff decisions.md");
    expect(diff).toStartWith("--- decisions.md\tv1\n+++ decisions.md\tv2\n@@ ");
    const none = await printed("file diff decisions.md --from v2");
    expect(none).toBe("decisions.md: no difference between v2 and v2\n");
    expect(await printed("space quotas main")).toStartWith("max_file_size   5242880 (5.0 MiB)\n");
    await printed("user add bob --role viewer");
    expect(await printed("acl list bob")).toBe("bob has no rules; the role decides\n");
    await printed("user disable bob");
    const enabled = await printed("user enable bob");
    expect(enabled).toBe(
      `bob is active; no token yet, create one with cairn auth token create bob --server-dir ${server.directory}\n`,
    );
  });
});

test.each([
  [["--versoin"], "unknown flag: --versoin", ""],
  [["hlep"], "unknown command: hlep", "[info] did you mean help?\n"],
  [["help", "exit-code"], "unknown command or topic: exit-code", "[info] did you mean exit-codes?\n"],
  [["help", "file", "got"], "unknown command: got", "[info] did you mean get?\n"],
  // Closer to `list` by letters.
  [["file", "hist"], "unknown command: hist", "[info] did you mean history?\n"],
  // The word of another program, before a name with similar letters.
  [["user", "remove", "bob"], "unknown command: remove", "[info] did you mean delete?\n"],
  [["file", "ls"], "unknown command: ls", "[info] did you mean list?\n"],
  [["user", "new", "bob"], "unknown command: new", "[info] did you mean add?\n"],
  [["space", "get", "main"], "unknown command: get", "[info] did you mean show?\n"],
  [["plugin", "uninstall"], "unknown command: uninstall", "[info] did you mean remove?\n"],
  // A subcommand without its group, or in another one.
  [["spaces"], "unknown command: spaces", "[info] did you mean space?\n"],
  [["login"], "unknown command: login", "[info] did you mean cairn auth login?\n"],
  // Commands of a version control act on files.
  [["log"], "unknown command: log", "[info] did you mean cairn file history?\n"],
  [["rm", "a.md"], "unknown command: rm", "[info] did you mean cairn file delete?\n"],
  [["ls"], "unknown command: ls", "[info] did you mean cairn file list?\n"],
  [["cat", "a.md"], "unknown command: cat", "[info] did you mean cairn file get?\n"],
  [["delete", "a.md"], "unknown command: delete", "[info] did you mean cairn file delete?\n"],
  [["show", "a.md"], "unknown command: show", "[info] did you mean cairn file list or cairn file get?\n"],
  [["help", "rm"], "unknown command or topic: rm", "[info] did you mean cairn file delete?\n"],
  [["history", "a.md"], "unknown command: a.md", "[info] did you mean cairn file history?\n"],
  [["history", "ls"], "unknown command: ls", "[info] did you mean list?\n"],
  [["find", "x"], "unknown command: find", "[info] did you mean search?\n"],
  [["help", "whoami"], "unknown command or topic: whoami", "[info] did you mean cairn auth whoami?\n"],
  [["space", "push"], "unknown command: push", "[info] did you mean cairn push?\n"],
  [
    ["restore"],
    "unknown command: restore",
    "[info] did you mean cairn history restore or cairn backup restore?\n",
  ],
  [
    ["space", "restore", "main"],
    "unknown command: restore",
    "[info] did you mean cairn history restore or cairn backup restore?\n",
  ],
  [["space", "snapshot"], "unknown command: snapshot", "[info] did you mean cairn history snapshot?\n"],
  // Near in place, too: of this group, of the one around it, or of none.
  [["server", "enable"], "unknown command: enable", "[info] did you mean cairn server tls acme enable?\n"],
  [["server", "tls", "acme", "gen"], "unknown command: gen", "[info] did you mean cairn server tls gen?\n"],
  [["server", "tls", "stop"], "unknown command: stop", "[info] did you mean cairn server stop?\n"],
  [["space", "status"], "unknown command: status", "[info] did you mean cairn status?\n"],
  // Another group removes, adds or sets something else.
  [
    ["server", "tls", "remove"],
    "unknown command: remove",
    "[info] cairn server tls --help lists the commands\n",
  ],
  [
    ["help", "server", "tls", "remove"],
    "unknown command: remove",
    "[info] cairn server tls --help lists the commands\n",
  ],
  [
    ["server", "tls", "acme", "disable"],
    "unknown command: disable",
    "[info] cairn server tls acme --help lists the commands\n",
  ],
  [["daemon", "enable"], "unknown command: enable", "[info] cairn daemon --help lists the commands\n"],
  [["acl", "add"], "unknown command: add", "[info] cairn acl --help lists the commands\n"],
  [["config", "set"], "unknown command: set", "[info] cairn config --help lists the commands\n"],
  [["space", "destroy", "main"], "unknown command: destroy", "[info] did you mean delete?\n"],
  [["auth", "login", "ada", "--server", "http://a", "--local"], "unknown flag: --local", ""],
  [["user", "undelete", "bob"], "unknown command: undelete", "[info] cairn user --help lists the commands\n"],
  [["acl", "set"], "unknown command: set", "[info] cairn acl --help lists the commands\n"],
  [["server", "start", "--data-dir", "a"], "unknown flag: --data-dir", "[info] did you mean --server-dir?\n"],
])("cairn %p says what was meant", async (args, says, hint) => {
  expect((await said(...args))[1]).toBe(`Error: ${says}\n${hint}`);
});

test.each([
  [
    "auth login",
    "missing argument: <name>; missing flag: --server",
    "cairn auth login <name> --server <url>",
  ],
  ["auth login ada", "missing flag: --server", "cairn auth login <name> --server <url>"],
  [
    "backup restore",
    "missing argument: <file>; missing flag: --server-dir",
    "cairn backup restore <file> --server-dir <dir>",
  ],
  ["backup restore x.cairn", "missing flag: --server-dir", "cairn backup restore <file> --server-dir <dir>"],
])("cairn %s names all that is missing, with the usage", async (line, says, usage) => {
  const { said: answered } = cairnAt([], { environment: { SERVICE_SERVER_DIR: "" } });
  expect(await answered(...line.split(" "))).toEqual([1, `Error: ${says}\nusage: ${usage} [flags]\n`]);
});

describe("server.yaml", () => {
  const EMAIL = "email: ops@example.org";
  const acme = (keys: string) => `tls: { enabled: true, acme: { enabled: true, ${keys} } }`;

  /** With this as its configuration. */
  async function configured(text: string) {
    const server = await stoppedContext();
    await Bun.write(server.inside("server.yaml"), text);
    return server;
  }

  test("can be appended to as init server wrote it", async () => {
    await using server = await stoppedContext();
    appendFileSync(server.inside("server.yaml"), "log_level: warn\n");
    expect(loadServerConfig(server.directory).logLevel).toBe("warn");
  });

  test.each([
    ["--email nonsense", '--email "nonsense": not an email address'],
    ["--email= --domain a.org", "flag needs a value: --email"],
    [
      "--domain context",
      '--domain "context": not a public domain; authorities issue certificates only for full names',
    ],
    ["--domain a.org,", '--domain "": not a domain'],
    [
      "--domain *.a.org",
      '--domain "*.a.org": a wildcard needs --challenge dns-01; http-01 can only prove single names',
    ],
    ["--challenge dns-01", "--dns-provider: missing; dns-01 needs one of: cloudflare"],
    ["--challenge dns", "--challenge: expected one of: http-01, dns-01"],
  ])("is not changed by server tls acme enable %s, which names the flag", async (flags, says) => {
    await using server = await stoppedContext();
    const before = readFileSync(server.inside("server.yaml"), "utf8");
    const usual = { "--email": "a@b.org", "--domain": "a.org" };
    const rest = Object.entries(usual).flatMap((flag) => (flags.includes(flag[0]) ? [] : flag));
    const { said: answered } = cairnAt(["--server-dir", server.directory]);
    const [code, text] = await answered("server", "tls", "acme", "enable", ...flags.split(" "), ...rest);
    expect([code, text.split("\n")[0]]).toEqual([1, `Error: ${says}`]);
    expect(readFileSync(server.inside("server.yaml"), "utf8")).toBe(before);
  });

  test.each([
    ["log_level: loud", "log_level: expected one of: debug, info, warn, error"],
    ["secrets:\n  mode: maybe", "secrets.mode: expected one of: block, warn, off"],
    [
      "tls:\n  enabled: true\n  cert_file: c.pem",
      "tls.key_file: missing; name a certificate and its key together",
    ],
    [
      "tls:\n  enabled: true\n  cert_file: c.pem\n  key_file: k.pem\n  acme: { enabled: true }",
      "tls.cert_file: cannot be used with ACME; remove tls.cert_file",
    ],
    ["replication:\n  node: one", "replication.bucket: missing; name the bucket that the nodes share"],
    ["tls:\n  acme:\n    enabled: true", "tls.enabled: missing; ACME applies only if it is true"],
    [acme(""), "tls.acme.email: missing; the authority needs an address"],
    [acme("email: ops"), 'tls.acme.email: "ops": not an email address'],
    [acme(EMAIL), "tls.acme.domains: missing; name at least one domain of this server"],
    [acme(`${EMAIL}, domains: [10.0.0.5]`), 'tls.acme.domains: "10.0.0.5": an address, not a domain'],
    [acme(`${EMAIL}, domains: ["[::1]"]`), 'tls.acme.domains: "[::1]": an address, not a domain'],
    [acme(`${EMAIL}, domains: [context]`), 'tls.acme.domains: "context": not a public domain'],
    [
      acme(`${EMAIL}, domains: ["a.org:443"]`),
      'tls.acme.domains: "a.org:443": expected a domain without a port',
    ],
    [acme(`${EMAIL}, domains: ["a.*.org"]`), 'tls.acme.domains: "a.*.org": not a domain'],
    [
      acme(`${EMAIL}, domains: ["*.a.org"]`),
      'tls.acme.domains: "*.a.org": a wildcard needs tls.acme.challenge: dns-01',
    ],
    [acme("challenge: tls-alpn-01"), "tls.acme.challenge: expected one of: http-01, dns-01"],
    [acme(`${EMAIL}, challenge: dns-01`), "tls.acme.dns.provider: missing; dns-01 needs one of: cloudflare"],
    [acme("dns: { provider: other }"), "tls.acme.dns.provider: expected cloudflare"],
    [
      acme(`${EMAIL}, domains: [a.org], http_addr: "80"`),
      'tls.acme.http_addr: "80": expected an address with a port',
    ],
    [
      acme(`${EMAIL}, domains: [a.org], directory: "http://ca.lab"`),
      "tls.acme.directory: expected the https URL",
    ],
    ["tracing:\n  otlp_endpoint: collector:4317", "tracing.otlp_endpoint: expected the http or https URL of"],
    ["tracing:\n  otlp_endpoint: http://a:b@collector", "of a collector, without credentials or a query"],
  ])("%p names what is allowed", async (text, says) => {
    await using folder = await temporaryFolder();
    await folder.write("server.yaml", text);
    expect(() => loadServerConfig(folder.path)).toThrow(says);
  });

  test("doctor says how to mend one that is gone or no YAML", async () => {
    await using server = await configured("listen: [");
    const fix = async () => {
      const { checks } = await examine(server.directory, server.folder.path, systemClock);
      return checks.find(({ check }) => check === "configuration")?.fix;
    };
    expect(await fix()).toBe("correct the last edit of server.yaml: it is not valid YAML");
    await Bun.file(server.inside("server.yaml")).delete();
    expect(await fix()).toStartWith("restore server.yaml from a backup");
  });

  test("an address that this machine does not have is said so", async () => {
    await using server = await configured("listen:\n  address: 192.0.2.1\n");
    const says = "Error: listen 192.0.2.1:8743: not an address of this machine; choose another\n";
    expect(await server.said("server", "start")).toEqual([1, says]);
  });

  test("its mistake is named at once, in the background as well", async () => {
    await using server = await configured("nope: 1\n");
    const [config, log] = [server.inside("server.yaml"), server.inside("logs", "server.log")];
    const says = `Error: the server did not start; see its log, ${log}, which ends with: Error: config ${config}: nope: unknown key\n`;
    expect(await server.said("server", "start", "--detach")).toEqual([1, says]);
    expect(existsSync(log)).toBe(true);
  });
});
