// Goal: changing one setting leaves every other character of `server.yaml` as it was, and a form that we cannot edit is refused, not guessed at.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changeListen, enableAcme } from "../../src/context/config/editing.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

test.each([
  ["", 'listen:\n  address: "0.0.0.0"\n  port: 2\n'],
  ["quotas:\n  max_files: 1", 'quotas:\n  max_files: 1\nlisten:\n  address: "0.0.0.0"\n  port: 2\n'],
  ["listen: # here\n  port: 1   # why\n", 'listen: # here\n  address: "0.0.0.0"\n  port: 2   # why\n'],
  [
    "listen:\n    trusted_proxies:\n      - 10.0.0.1 # ours\n    port: 1\nlog_level: warn\n",
    'listen:\n    address: "0.0.0.0"\n    trusted_proxies:\n      - 10.0.0.1 # ours\n    port: 2\nlog_level: warn\n',
  ],
])("from %j", async (before, after) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await changeListen(folder.path, { address: "0.0.0.0" });
  await changeListen(folder.path, { port: 2 });
  const text = readFileSync(join(folder.path, "server.yaml"), "utf8");
  expect(Bun.YAML.parse(text)).toEqual(Bun.YAML.parse(after));
  expect(text.split("\n").toSorted()).toEqual(after.split("\n").toSorted());
});

test.each(["listen: { port: 1 }\n", "listen: &a\n  port: 1\n"])("refuses %j", async (before) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await refusal(changeListen(folder.path, { port: 2 }), "refused", /change listen\.address and listen\.port/);
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe(before);
});

const ACME = { email: "ops@example.org", domains: ["a.example.org", "b.example.org"] };
const ADDED =
  '    enabled: true\n    email: "ops@example.org"\n    domains: ["a.example.org","b.example.org"]\n';

test.each([
  ["", `tls:\n  enabled: true\n  acme:\n${ADDED}`],
  [
    "# mine\nlog_level: warn # quiet\n",
    `# mine\nlog_level: warn # quiet\ntls:\n  enabled: true\n  acme:\n${ADDED}`,
  ],
  [
    "tls:\n  # off for now\n  enabled: false # soon\nlog_level: warn\n",
    `tls:\n  acme:\n${ADDED}  # off for now\n  enabled: true # soon\nlog_level: warn\n`,
  ],
  [
    "tls:\n  enabled: true\n  acme:\n    # us\n    email: old@example.org # team\n    domains:\n      - old.example.org\n      - older.example.org\n    http_addr: ':8080'\n",
    `tls:\n  enabled: true\n  acme:\n    enabled: true\n    # us\n    email: "ops@example.org" # team\n    domains: ["a.example.org","b.example.org"]\n    http_addr: ':8080'\n`,
  ],
])("ACME is enabled in %j", async (before, after) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await enableAcme(folder.path, ACME);
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe(after);
  await enableAcme(folder.path, ACME);
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe(after);
});

test.each([
  ["tls: { enabled: true }\n", "refused", /change tls\.enabled and tls\.acme there by hand/],
  ["tls:\n  acme: { enabled: false }\n", "refused", /change tls\.enabled and tls\.acme there by hand/],
  ["tls:\n  cert_file: a\n  key_file: b\n", "invalid", /tls\.cert_file: cannot be used with ACME/],
] as const)("ACME is refused in %j, and nothing changes", async (before, code, says) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await refusal(enableAcme(folder.path, ACME), code, says);
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe(before);
});

test("ACME is refused with settings that the server would refuse", async () => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", "");
  await refusal(
    enableAcme(folder.path, { ...ACME, domains: ["*.example.org"] }),
    "invalid",
    /needs .* dns-01/,
  );
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe("");
});
