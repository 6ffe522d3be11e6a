// Every setting of `service` with its default and the form of its value. A test compares these keys with the documentation.

import { Type, type Static } from "@sinclair/typebox";
import { BackupConfigFile, type BackupConfig } from "../../kit/backup/config.ts";
import { closed, EXPECTED, oneOf } from "../../kit/schema.ts";
import { logLevels, type LogLevel } from "../../kit/log.ts";

export const DEFAULT_LISTEN = "127.0.0.1:8688";
export const CONFIG_FILE_NAME = "config.yaml";
/** Default name of the key file, in the data directory. */
export const SECRETS_KEY_NAME = "secrets.key";

const sandboxModes = ["docker", "auto", "subprocess"] as const;
export type SandboxMode = (typeof sandboxModes)[number];

export const runtimes = ["python", "node", "bash", "binary"] as const;

export const DEFAULT_POOL = { size: 2, idleSeconds: 600 };
const POOL_SIZE_MAX = 16;
const POOL_IDLE_SECONDS_MAX = 86_400;

const Text = Type.String({ minLength: 1 });
/** On for `1` and `true` (any case), as in the environment; any other value means off. */
const Switch = Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Null()], {
  [EXPECTED]: "true or false",
});
export type Switch = Static<typeof Switch>;

/** Exactly one of the two, which `loadConfig` enforces: the errors of a union could not name an unknown key. */
const Memory = closed({
  space: Type.Optional(Text),
  server: Type.Optional(closed({ url: Text, space: Text, token_file: Text })),
});

/** The YAML configuration file, which is never written. */
export const ConfigFile = closed({
  listen: Type.Optional(Type.String({ description: "host:port" })),
  data: Type.Optional(Type.String({ minLength: 1, description: "data directory" })),
  log_level: Type.Optional(oneOf(logLevels)),
  secrets_key: Type.Optional(
    Type.String({ minLength: 1, description: "file of the key that encrypts provider keys" }),
  ),
  egress: Type.Optional(Switch),
  egress_key: Type.Optional(Type.String()),
  terminal: Type.Optional(Switch),
  sandbox: Type.Optional(oneOf(sandboxModes)),
  sandbox_images: Type.Optional(
    closed({
      python: Type.Optional(Type.String()),
      node: Type.Optional(Type.String()),
      bash: Type.Optional(Type.String()),
      binary: Type.Optional(Type.String()),
    }),
  ),
  sandbox_pool: Type.Optional(
    closed({
      size: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: POOL_SIZE_MAX,
          description: "idle containers kept per image; 0: none",
        }),
      ),
      idle_seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: POOL_IDLE_SECONDS_MAX,
          description: "seconds before an idle container is replaced",
        }),
      ),
    }),
  ),
  loopback_admin: Type.Optional(Switch),
  allowed_hosts: Type.Optional(Type.Array(Type.String())),
  trusted_proxies: Type.Optional(Type.Array(Type.String())),
  memory: Type.Optional(Memory),
  backup: Type.Optional(closed({ ...BackupConfigFile.properties, memory: Type.Optional(Type.Boolean()) })),
});
export type ConfigFile = Static<typeof ConfigFile>;

/** The settings in effect. */
export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  readonly data: string;
  readonly logLevel: LogLevel;
  /** Absolute path of the key file. */
  readonly secretsKey: string;
  readonly egress: boolean;
  readonly egressKey: string;
  readonly terminal: boolean;
  readonly sandbox: SandboxMode;
  readonly sandboxImages: Readonly<Partial<Record<(typeof runtimes)[number], string>>>;
  readonly sandboxPool: { readonly size: number; readonly idleSeconds: number };
  readonly loopbackAdmin: boolean;
  readonly allowedHosts: readonly string[];
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly memory: Static<typeof Memory> | undefined;
  /** Without a directory, there are no backups. */
  readonly backup: BackupConfig & {
    /** Include memory, if it is in a folder. */
    readonly memory: boolean;
  };
  readonly seedToken: string | undefined;
}

/** The flags of `serve`, as given. */
export interface ServeFlags {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
  readonly listen?: string | undefined;
  readonly logLevel?: string | undefined;
}
