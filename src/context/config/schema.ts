// The schema of `server.yaml`, and the configuration that results. An unknown or unsupported key is an error that names the key.

import { Type, type Static } from "@sinclair/typebox";
import { BackupConfigFile, type BackupConfig } from "../../kit/backup/config.ts";
import { BUCKET_KEYS, type BucketConfig } from "../../kit/object-storage/config.ts";
import { closed, oneOf } from "../../kit/schema.ts";
import { ENGINE_NAMES, type EngineName } from "../versioned-store/schema.ts";

export const DEFAULT_ADDRESS = "127.0.0.1";
export const DEFAULT_PORT = 8743;
export const DEFAULT_REQUESTS_PER_MINUTE = 120;
export const DEFAULT_AUTH_PER_MINUTE = 10;
export const DEFAULT_SECRETS_KEY = "secrets.key";
/** `cairn server tls gen` writes these files. */
export const DEFAULT_CERT_FILE = "tls/cert.pem";
export const DEFAULT_KEY_FILE = "tls/key.pem";
/** In the data directory. */
export const DEFAULT_ACME_CACHE = "tls/acme";
/** Port 80 of all addresses. */
export const DEFAULT_ACME_HTTP_ADDRESS = ":80";
/** Let's Encrypt. */
export const DEFAULT_ACME_DIRECTORY = "https://acme-v02.api.letsencrypt.org/directory";
export const ACME_CHALLENGES = ["http-01", "dns-01"] as const;
/** Each with the environment variable that holds its API token. */
export const DNS_PROVIDERS = { cloudflare: "CLOUDFLARE_API_TOKEN" } as const;
export const DNS_PROVIDER_NAMES = Object.keys(DNS_PROVIDERS) as readonly DnsProviderName[];
export type DnsProviderName = keyof typeof DNS_PROVIDERS;
/** Let's Encrypt issues no certificate for more. */
const ACME_DOMAINS_MAX = 100;
export const DEFAULT_SSH_PORT = 8744;
export const DEFAULT_SSH_HOST_KEY = "ssh_host_ed25519_key";
const SSH_KEYS_MAX = 1_000;
const SSH_KEY_CHARACTERS_MAX = 4_096;
const MIB = 1024 * 1024;
export const DEFAULT_QUOTAS = {
  max_file_size: 5 * MIB,
  max_space_size: 1024 * MIB,
  max_files: 50_000,
} as const;

const Count = Type.Integer({ minimum: 0 });

export const ConfigFile = closed({
  listen: Type.Optional(
    closed({
      address: Type.Optional(Type.String()),
      port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
      trusted_proxies: Type.Optional(Type.Array(Type.String())),
      allowed_hosts: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  auth: Type.Optional(closed({ token_ttl: Type.Optional(Count) })),
  rate_limit: Type.Optional(
    closed({
      enabled: Type.Optional(Type.Boolean()),
      requests_per_minute: Type.Optional(Type.Integer({ minimum: 1 })),
      auth_per_minute: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  quotas: Type.Optional(
    closed({
      max_file_size: Type.Optional(Count),
      max_space_size: Type.Optional(Count),
      max_files: Type.Optional(Count),
    }),
  ),
  backend: Type.Optional(oneOf(ENGINE_NAMES)),
  retention: Type.Optional(closed({ max_versions: Type.Optional(Count) })),
  secrets: Type.Optional(closed({ mode: Type.Optional(oneOf(["block", "warn", "off"] as const)) })),
  secrets_key: Type.Optional(Type.String({ minLength: 1 })),
  tls: Type.Optional(
    closed({
      enabled: Type.Optional(Type.Boolean()),
      cert_file: Type.Optional(Type.String({ minLength: 1 })),
      key_file: Type.Optional(Type.String({ minLength: 1 })),
      acme: Type.Optional(
        closed({
          enabled: Type.Optional(Type.Boolean()),
          email: Type.Optional(Type.String()),
          domains: Type.Optional(Type.Array(Type.String(), { maxItems: ACME_DOMAINS_MAX })),
          challenge: Type.Optional(oneOf(ACME_CHALLENGES)),
          cache_dir: Type.Optional(Type.String({ minLength: 1 })),
          http_addr: Type.Optional(Type.String()),
          directory: Type.Optional(Type.String()),
          dns: Type.Optional(closed({ provider: Type.Optional(oneOf(DNS_PROVIDER_NAMES)) })),
        }),
      ),
    }),
  ),
  tracing: Type.Optional(closed({ otlp_endpoint: Type.Optional(Type.String()) })),
  webhooks: Type.Optional(closed({ allow_private_targets: Type.Optional(Type.Boolean()) })),
  tui: Type.Optional(
    closed({
      ssh: Type.Optional(
        closed({
          enabled: Type.Optional(Type.Boolean()),
          address: Type.Optional(Type.String()),
          port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
          host_key: Type.Optional(Type.String({ minLength: 1 })),
          keys: Type.Optional(
            Type.Array(
              closed({
                user: Type.String({ minLength: 1 }),
                key: Type.String({ maxLength: SSH_KEY_CHARACTERS_MAX }),
              }),
              { maxItems: SSH_KEYS_MAX },
            ),
          ),
        }),
      ),
    }),
  ),
  backup: Type.Optional(BackupConfigFile),
  replication: Type.Optional(closed({ ...BUCKET_KEYS, node: Type.Optional(Type.String()) })),
  metrics: Type.Optional(closed({ allow: Type.Optional(Type.Array(Type.String())) })),
  log_level: Type.Optional(oneOf(["debug", "info", "warn", "error"] as const)),
});
export type ConfigFile = Static<typeof ConfigFile>;

export interface SshConfig {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  /** The path of the host key: absolute, or relative to the data directory. */
  readonly hostKey: string;
  readonly keys: readonly AllowedKey[];
}

/** A certificate that the server gets from an authority. */
export interface AcmeConfig {
  readonly email: string;
  /** Lower case, each once; at least one. */
  readonly domains: readonly [string, ...string[]];
  readonly challenge: (typeof ACME_CHALLENGES)[number];
  /** Absolute. */
  readonly cacheDirectory: string;
  /** The listener for HTTP-01; an empty host: all addresses. */
  readonly httpAddress: { readonly host: string; readonly port: number };
  /** The URL of the authority's directory. */
  readonly authority: string;
  /** For DNS-01 only. */
  readonly dnsProvider: DnsProviderName | undefined;
}

export interface TlsConfig {
  /** Absolute, or relative to the data directory. With ACME both are one file. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly acme?: AcmeConfig;
}

export interface PublicKey {
  readonly type: string;
  /** Base64, without a comment. */
  readonly blob: string;
  /** As ssh-keygen -l prints it. */
  readonly fingerprint: string;
}

/** A public key, and the user who signs in with it. */
export interface AllowedKey extends PublicKey {
  readonly user: string;
}

/** The object storage through which the nodes of a server share its data. */
export interface ReplicationConfig extends BucketConfig {
  /** The name of this node; no other has it. */
  readonly node: string;
}

export interface ServerConfig {
  readonly directory: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  /** 0: tokens do not expire. */
  readonly tokenTtlDays: number;
  readonly rateLimit: {
    readonly enabled: boolean;
    readonly requestsPerMinute: number;
    readonly authPerMinute: number;
  };
  readonly quotas: {
    readonly max_file_size: number;
    readonly max_space_size: number;
    readonly max_files: number;
  };
  readonly backend: EngineName;
  /** 0: keep all versions. */
  readonly versionsKept: number;
  readonly secrets: "block" | "warn" | "off";
  /** The path of the file with the key that seals stored secrets: absolute, or relative to the data directory. */
  readonly secretsKey: string;
  /** Undefined: plain HTTP. */
  readonly tls: TlsConfig | undefined;
  /** The collector that gets a span of each request; empty: none. */
  readonly otlpEndpoint: string;
  readonly privateWebhooks: boolean;
  /** The terminal interface over SSH. */
  readonly ssh: SshConfig;
  /** Without a directory, admins cannot start backups from the console, and none are scheduled. */
  readonly backup: BackupConfig;
  /** Undefined: this server has one node. */
  readonly replication: ReplicationConfig | undefined;
  readonly metricsAllow: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error";
}
