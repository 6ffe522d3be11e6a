// `cairn config check`: reads `server.yaml` as the server would, and changes nothing.

import { defineCommand } from "citty";
import { join } from "node:path";
import { readServerConfig } from "../../context/config/config.ts";
import { CONFIG_FILE_NAME, serverDirectory } from "../../context/config/directory.ts";
import { readTls } from "../../context/config/tls-files.ts";
import type { BucketConfig } from "../../kit/object-storage/config.ts";
import type { AcmeConfig, ReplicationConfig } from "../../context/config/schema.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { hostAndPort } from "../../kit/network/hosts.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { fields } from "../tables.ts";

export const configCheck = defineCommand({
  meta: {
    name: "check",
    description: "Check server.yaml without starting the server, and print the settings in force",
  },
  args: serverDirArg,
  async run({ args }) {
    const format = formatOf(args);
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const { listen, rateLimit, quotas, ssh, ...config } = readServerConfig(directory);
    // An authority may still have to issue its certificate.
    if (config.tls?.acme === undefined) readTls(config);
    const settings = {
      "listen.address": listen.host,
      "listen.port": listen.port,
      "listen.trusted_proxies": config.trustedProxies,
      "listen.allowed_hosts": config.allowedHosts,
      "auth.token_ttl": config.tokenTtlDays,
      "rate_limit.enabled": rateLimit.enabled,
      "rate_limit.requests_per_minute": rateLimit.requestsPerMinute,
      "rate_limit.auth_per_minute": rateLimit.authPerMinute,
      "quotas.max_file_size": quotas.max_file_size,
      "quotas.max_space_size": quotas.max_space_size,
      "quotas.max_files": quotas.max_files,
      backend: config.backend,
      "retention.max_versions": config.versionsKept,
      "secrets.mode": config.secrets,
      secrets_key: config.secretsKey,
      "tls.enabled": config.tls !== undefined,
      "tls.cert_file": config.tls?.acme ? "" : (config.tls?.certFile ?? ""),
      "tls.key_file": config.tls?.acme ? "" : (config.tls?.keyFile ?? ""),
      ...acmeSettings(config.tls?.acme),
      "tracing.otlp_endpoint": config.otlpEndpoint,
      "webhooks.allow_private_targets": config.privateWebhooks,
      "tui.ssh.enabled": ssh.enabled,
      "tui.ssh.address": ssh.host,
      "tui.ssh.port": ssh.port,
      "tui.ssh.host_key": ssh.hostKey,
      "tui.ssh.keys": ssh.keys.map(({ user, fingerprint }) => `${user} ${fingerprint}`),
      "backup.directory": config.backup.directory,
      "backup.every_hours": config.backup.everyHours,
      "backup.keep": config.backup.keep,
      ...bucketSettings("backup.copy_to", config.backup.copyTo),
      ...replicationSettings(config.replication),
      "metrics.allow": config.metricsAllow,
      log_level: config.logLevel,
    };
    await printData({ file: join(directory, CONFIG_FILE_NAME), ok: true, settings }, format, (checked) =>
      [`${checked.file} is valid`, "", fields(inLines(checked.settings))].join("\n"),
    );
  },
});

function acmeSettings(acme: AcmeConfig | undefined) {
  if (acme === undefined) return { "tls.acme.enabled": false };
  const { host, port } = acme.httpAddress;
  return {
    "tls.acme.enabled": true,
    "tls.acme.email": acme.email,
    "tls.acme.domains": acme.domains,
    "tls.acme.challenge": acme.challenge,
    "tls.acme.cache_dir": acme.cacheDirectory,
    "tls.acme.http_addr": hostAndPort(host, port),
    "tls.acme.directory": acme.authority,
    "tls.acme.dns.provider": acme.dnsProvider ?? "",
  };
}

function replicationSettings(replication: ReplicationConfig | undefined) {
  const node = replication && { "replication.node": replication.node };
  return { ...bucketSettings("replication", replication), ...node };
}

function bucketSettings(block: string, config: BucketConfig | undefined): Record<string, string> {
  if (config === undefined) return { [`${block}.bucket`]: "" };
  const { bucket, endpoint, region, prefix } = config;
  return {
    [`${block}.bucket`]: bucket,
    [`${block}.endpoint`]: endpoint,
    [`${block}.region`]: region,
    [`${block}.prefix`]: prefix,
  };
}

function inLines(settings: Readonly<Record<string, string | number | boolean | readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      typeof value === "object" ? (value.length === 0 ? "none" : value.join(", ")) : value,
    ]),
  );
}
