// Reads settings from flags, environment variables, the configuration file and defaults, in this order of precedence. A bad value is refused
// here, by name, before anything is written.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { backupConfigOf } from "../../kit/backup/config.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readNamedFile, readRegularFile } from "../../kit/disk/regular-file.ts";
import { TOKEN_CHARACTERS_MAX } from "../../kit/crypto.ts";
import { givenPath, homeDirectory, requireWholePath, type Environment } from "../../kit/environment.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { isLoopbackAddress } from "../../kit/http/guard.ts";
import { EVERY_ADDRESS, PORT_MAX } from "../../kit/network/hosts.ts";
import { AddressList } from "../../kit/http/client-address.ts";
import { logLevels, type LogLevel } from "../../kit/log.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import { readYaml } from "../../kit/text/yaml-file.ts";
import { SEED_TOKEN_CHARACTERS_MIN } from "../identity/schema.ts";
import {
  CONFIG_FILE_NAME,
  ConfigFile,
  DEFAULT_LISTEN,
  DEFAULT_POOL,
  SECRETS_KEY_NAME,
  type Config,
  type ServeFlags,
  type Switch,
} from "./schema.ts";

/** Raises `invalid` with a message for the operator. */
export function loadConfig(flags: ServeFlags, environment: Environment): Config {
  const path = flags.config ?? nonEmpty(environment["SERVICE_CONFIG"]);
  const givenData = flags.data ?? nonEmpty(environment["SERVICE_DATA"]);
  if (givenData !== undefined) requireWholePath("data", givenData);
  const file =
    path === undefined
      ? readDefaultFile(givenData ?? defaultData(environment))
      : readFile(path, readNamedFile);
  const setData = givenData ?? file.data;
  if (setData !== undefined) requireWholePath("data", setData);
  const data = givenPath(setData ?? defaultData(environment), environment);
  const secretsKey = nonEmpty(environment["SERVICE_SECRETS_KEY"]) ?? file.secrets_key;
  if (secretsKey !== undefined) requireWholePath("secrets_key", secretsKey);
  return {
    listen: parseListen(
      flags.listen ?? nonEmpty(environment["SERVICE_LISTEN"]) ?? file.listen ?? DEFAULT_LISTEN,
    ),
    data,
    logLevel: parseLogLevel(
      flags.logLevel ?? nonEmpty(environment["SERVICE_LOG_LEVEL"]) ?? file.log_level ?? "info",
    ),
    secretsKey: givenPath(secretsKey ?? join(data, SECRETS_KEY_NAME), environment),
    egress: switchValue(environment["SERVICE_EGRESS"], file.egress),
    egressKey: file.egress_key ?? "",
    terminal: switchValue(environment["SERVICE_TERMINAL"], file.terminal),
    sandbox: file.sandbox ?? "auto",
    sandboxImages: file.sandbox_images ?? {},
    sandboxPool: {
      size: file.sandbox_pool?.size ?? DEFAULT_POOL.size,
      idleSeconds: file.sandbox_pool?.idle_seconds ?? DEFAULT_POOL.idleSeconds,
    },
    loopbackAdmin: isOnUnlessSet(file.loopback_admin),
    allowedHosts: parseAllowedHosts(file.allowed_hosts ?? []),
    trustedProxies: parseTrustedProxies(file.trusted_proxies ?? []),
    memory: file.memory,
    backup: {
      ...backupConfigOf(path ?? join(data, CONFIG_FILE_NAME), file.backup),
      memory: file.backup?.memory ?? true,
    },
    seedToken: parseSeedToken(environment["SERVICE_ADMIN_TOKEN"]),
  };
}

/** Only `1` and `true` (any case) mean on. A variable takes precedence over the file. */
function switchValue(variable: string | undefined, fromFile: Switch | undefined): boolean {
  return isOn(variable ?? fromFile ?? false);
}

function isOnUnlessSet(value: Switch | undefined): boolean {
  return value === undefined || isOn(value);
}

function isOn(value: Switch): boolean {
  const text = String(value).toLowerCase();
  return text === "1" || text === "true";
}

/** Reports whether local requests can have the loopback privilege; kit/http/guard.ts checks each request. */
export function isLoopbackAdmin({
  loopbackAdmin,
  listen,
}: Pick<Config, "loopbackAdmin" | "listen">): boolean {
  return loopbackAdmin && isLoopbackAddress(listen.host);
}

/** Parses `host:port`, `[v6]:port` or `:port` (all interfaces). With port 0 the system chooses one. */
function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match && port > PORT_MAX)
    throw new AppError("invalid", `listen "${text}": the port must be at most ${PORT_MAX}`);
  if (!match) {
    throw new AppError("invalid", `listen "${text}": expected <host>:<port>, for example ${DEFAULT_LISTEN}`);
  }
  return { host: match[1] ?? (match[2] === "" ? EVERY_ADDRESS : match[2]!), port };
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (!level) throw new AppError("invalid", `log level "${text}": expected one of ${logLevels.join(", ")}`);
  return level;
}

function parseAllowedHosts(hosts: readonly string[]): string[] {
  return hosts.map((host) => {
    if (/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i.test(host)) return host.toLowerCase();
    throw new AppError(
      "invalid",
      `allowed_hosts: "${host}" is not a hostname; write name or name:port, without a scheme`,
    );
  });
}

/** Raises `invalid` for a text that is neither an address nor a CIDR block. */
function parseTrustedProxies(texts: readonly string[]): readonly string[] {
  void new AddressList("trusted_proxies", texts);
  return texts;
}

function parseSeedToken(token: string | undefined): string | undefined {
  if (token === undefined || token === "") return undefined;
  const length = [...token].length;
  if (length < SEED_TOKEN_CHARACTERS_MIN) {
    throw new AppError(
      "invalid",
      `SERVICE_ADMIN_TOKEN is ${length} characters; it seeds the admin's credential, so at least ${SEED_TOKEN_CHARACTERS_MIN} are required`,
    );
  }
  if (length > TOKEN_CHARACTERS_MAX) {
    throw new AppError(
      "invalid",
      `SERVICE_ADMIN_TOKEN is ${length} characters; at most ${TOKEN_CHARACTERS_MAX} can be presented`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new AppError(
      "invalid",
      "SERVICE_ADMIN_TOKEN must be printable ASCII without spaces, so that it fits in a header",
    );
  }
  return token;
}

function defaultData(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "service");
}

function readDefaultFile(data: string): ConfigFile {
  const path = join(data, CONFIG_FILE_NAME);
  return existsSync(path) ? readFile(path, readRegularFile) : {};
}

function readFile(path: string, read: (path: string) => Buffer): ConfigFile {
  const text = readText(path, read);
  const value = readYaml(`config ${path}`, text);
  if (Value.Check(ConfigFile, value)) {
    if (
      value.memory === undefined ||
      (value.memory.space === undefined) !== (value.memory.server === undefined)
    )
      return value;
    throw new AppError("invalid", `config ${path}: memory: expected either space or server`);
  }
  throw new AppError("invalid", `config ${path}: ${firstProblem(ConfigFile, value, YAML)}`);
}

const YAML = { whole: "the file", member: "key" } as const;

function readText(path: string, read: (path: string) => Buffer): string {
  try {
    return read(path).toString("utf8");
  } catch (error) {
    const reason = systemCode(error) === "ENOENT" ? "no such file or directory" : accessProblem(error);
    throw new AppError("invalid", `read config ${path}: open ${path}: ${reason}`);
  }
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
