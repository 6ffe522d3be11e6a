// Reads the configuration of a server. Any problem is reported by key before anything is opened.

import { chmodSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { backupConfigOf } from "../../kit/backup/config.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { AppError, messageOf, systemCode } from "../../kit/error.ts";
import { hostProblem, listenProblem } from "../../kit/network/hosts.ts";
import { DEFAULT_ENGINE } from "../versioned-store/engines.ts";
import { AddressList } from "../../kit/http/client-address.ts";
import { OTHERS_MODE_BITS, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import { readYaml } from "../../kit/text/yaml-file.ts";
import { CONFIG_FILE_NAME } from "./directory.ts";
import { parsePublicKey } from "./public-key.ts";
import {
  ConfigFile,
  DEFAULT_ADDRESS,
  DEFAULT_AUTH_PER_MINUTE,
  DEFAULT_PORT,
  DEFAULT_QUOTAS,
  DEFAULT_REQUESTS_PER_MINUTE,
  DEFAULT_SECRETS_KEY,
  DEFAULT_SSH_HOST_KEY,
  DEFAULT_SSH_PORT,
  type AllowedKey,
  type ServerConfig,
  type SshConfig,
} from "./schema.ts";
import { replicationOf } from "./replication-settings.ts";
import { tlsOf } from "./tls-settings.ts";

const LOOPBACK = ["127.0.0.1", "::1"];
const ELSEWHERE: Readonly<Record<string, string>> = {
  "auth.oidc": "single sign-on is not supported; a hosted control plane mints ordinary tokens",
  "auth.mfa": "multi-factor sign-in is not supported; a hosted control plane mints ordinary tokens",
};

/** Raises `invalid`, or `refused` if the file belongs to another user. Makes the file private, because it may hold credentials one day. */
export function loadServerConfig(directory: string): ServerConfig {
  const config = readServerConfig(directory);
  const path = join(directory, CONFIG_FILE_NAME);
  if ((statSync(path).mode & OTHERS_MODE_BITS) !== 0) shutToOthers(path);
  return config;
}

function shutToOthers(path: string): void {
  try {
    chmodSync(path, PRIVATE_FILE_MODE);
  } catch {
    throw new AppError("refused", `${path} belongs to another user; run the command as that user`);
  }
}

/** The same, without changing the mode of the file. */
export function readServerConfig(directory: string): ServerConfig {
  const path = join(directory, CONFIG_FILE_NAME);
  const text = readText(path);
  const file = parseConfig(path, text);
  if (!isAbsolute(directory)) throw new Error("the directory of a server is absolute");
  const quotas = { ...DEFAULT_QUOTAS };
  for (const name of ["max_file_size", "max_space_size", "max_files"] as const)
    Object.assign(quotas, { [name]: file.quotas?.[name] || DEFAULT_QUOTAS[name] });
  const tls = tlsOf(path, directory, file.tls);
  return {
    directory,
    listen: {
      host: checkedAddress(path, "listen.address", file.listen?.address ?? DEFAULT_ADDRESS),
      port: file.listen?.port ?? DEFAULT_PORT,
    },
    trustedProxies: checkedAddresses(path, "listen.trusted_proxies", file.listen?.trusted_proxies ?? []),
    allowedHosts: checkedHosts(path, file.listen?.allowed_hosts ?? []),
    tokenTtlDays: file.auth?.token_ttl ?? 0,
    rateLimit: {
      enabled: file.rate_limit?.enabled ?? true,
      requestsPerMinute: file.rate_limit?.requests_per_minute ?? DEFAULT_REQUESTS_PER_MINUTE,
      authPerMinute: file.rate_limit?.auth_per_minute ?? DEFAULT_AUTH_PER_MINUTE,
    },
    quotas,
    backend: file.backend ?? DEFAULT_ENGINE,
    versionsKept: file.retention?.max_versions ?? 0,
    secrets: file.secrets?.mode ?? "block",
    secretsKey: file.secrets_key ?? DEFAULT_SECRETS_KEY,
    tls,
    otlpEndpoint: checkedEndpoint(path, file.tracing?.otlp_endpoint ?? ""),
    privateWebhooks: file.webhooks?.allow_private_targets ?? false,
    ssh: sshOf(path, text, file.tui?.ssh),
    backup: backupConfigOf(path, file.backup),
    replication: replicationOf(path, file.replication, { hasAcme: tls?.acme !== undefined }),
    metricsAllow: checkedAddresses(path, "metrics.allow", file.metrics?.allow ?? LOOPBACK),
    logLevel: file.log_level ?? "info",
  };
}

export function parseConfig(path: string, text: string): ConfigFile {
  const value = readYaml(`config ${path}`, text);
  for (const [key, why] of Object.entries(ELSEWHERE)) {
    const [block = "", name = ""] = key.split(".");
    const found = (value as Record<string, Record<string, unknown> | undefined>)[block];
    if (found !== null && typeof found === "object" && name in found)
      throw new AppError("invalid", `config ${path}: ${key}: ${why}`);
  }
  if (Value.Check(ConfigFile, value)) return value;
  throw new AppError("invalid", `config ${path}: ${firstProblem(ConfigFile, value, YAML)}`);
}

const YAML = { whole: "the file", member: "key" } as const;

type SshFile = NonNullable<NonNullable<ConfigFile["tui"]>["ssh"]>;

function sshOf(path: string, text: string, file: SshFile = {}): SshConfig {
  const keys = new Map<string, AllowedKey>();
  let at = 0;
  for (const [index, { user, key }] of (file.keys ?? []).entries()) {
    const found = key === "" ? -1 : text.indexOf(key.split("\n", 1)[0]!, at);
    if (found >= 0) at = found + 1;
    const line = () => (found < 0 ? "" : ` (line ${text.slice(0, found).split("\n").length})`);
    const where = `config ${path}: tui.ssh.keys[${index}]`;
    const parsed = parsePublicKey(key);
    if (typeof parsed === "string") throw new AppError("invalid", `${where}.key${line()}: ${parsed}`);
    const other = keys.get(parsed.blob);
    if (other)
      throw new AppError(
        "invalid",
        `${where}.key${line()}: already listed for ${other.user}; a key signs in one user`,
      );
    keys.set(parsed.blob, { user, ...parsed });
  }
  return {
    enabled: file.enabled ?? false,
    host: checkedAddress(path, "tui.ssh.address", file.address ?? DEFAULT_ADDRESS),
    port: file.port ?? DEFAULT_SSH_PORT,
    hostKey: file.host_key ?? DEFAULT_SSH_HOST_KEY,
    keys: [...keys.values()],
  };
}

function checkedAddress(path: string, key: string, address: string): string {
  const problem = listenProblem(address);
  if (problem === undefined) return address;
  throw new AppError("invalid", `config ${path}: ${key}: "${address}" is ${problem}`);
}

function checkedEndpoint(path: string, endpoint: string): string {
  if (endpoint === "") return endpoint;
  const url = URL.parse(endpoint);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (isHttp && url.username === "" && url.password === "" && url.search === "" && url.hash === "")
    return endpoint;
  throw new AppError(
    "invalid",
    `config ${path}: tracing.otlp_endpoint: expected the http or https URL of a collector, without credentials or a query (for example http://127.0.0.1:4318)`,
  );
}

/** Rejects names that no request can carry, because they would only seem to allow something. */
function checkedHosts(path: string, hosts: readonly string[]): readonly string[] {
  for (const host of hosts) {
    const problem = hostProblem(host);
    if (problem !== undefined)
      throw new AppError("invalid", `config ${path}: listen.allowed_hosts: "${host}": ${problem}`);
  }
  return hosts;
}

/** Validates the syntax only; the address list interprets the entries. */
function checkedAddresses(path: string, key: string, addresses: readonly string[]): readonly string[] {
  try {
    void new AddressList(key, addresses);
    return addresses;
  } catch (error) {
    throw new AppError("invalid", `config ${path}: ${messageOf(error)}`);
  }
}

function readText(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new AppError("invalid", `config ${path}: ${accessProblem(error)}`, {
      reason: systemCode(error) ?? "unknown",
    });
  }
}
