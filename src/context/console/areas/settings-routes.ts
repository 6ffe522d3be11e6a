// Settings and health: the configuration in force with secrets masked, versions, the state of health, checks, metrics.

import { h } from "preact";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { commandText } from "../../../kit/terminal/command-text.ts";
import type { Health } from "../../../kit/health.ts";
import type { Metrics } from "../../../kit/metrics/metrics.ts";
import { version } from "../../../kit/version.ts";
import type { WorkerPool } from "../../../kit/workers/pool.ts";
import { CONFIG_FILE_NAME } from "../../config/directory.ts";
import type { ServerConfig } from "../../config/schema.ts";
import type { Finding } from "../../doctor/finding.ts";
import { INSIDE_JOB } from "../../doctor/self-checks-job.ts";
import { page, type Answer, type PageRoute } from "../area.ts";
import { byteText } from "../byte-count.ts";
import { counted, plural } from "../../../kit/text/amounts.ts";
import { SETTINGS, SettingsBody } from "../pages/settings.tsx";
import { get, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

/** Instead of the place of a key. */
const MASKED = "••••••";

interface SettingsDeps {
  readonly config: ServerConfig;
  readonly health: Pick<Health, "state">;
  readonly metrics: Pick<Metrics, "summary">;
  readonly workers: Pick<WorkerPool, "run">;
}

export function settingsRoutes(deps: SettingsDeps): PageRoute[] {
  const { workers, config } = deps;
  return [
    get(SETTINGS, ({ visit }) => shown(deps, visit, undefined)),
    post(SETTINGS, async ({ visit }) => {
      const findings = await workers.run(INSIDE_JOB, config.directory, { by: visit.caller.name });
      return shown(deps, visit, findings);
    }),
  ];
}

async function shown(
  deps: SettingsDeps,
  visit: Visit,
  findings: readonly Finding[] | undefined,
): Promise<Answer> {
  const { config, health, metrics } = deps;
  const { bavail, blocks, bsize } = await statfs(config.directory);
  const facts = {
    health: await health.state(),
    disk: { free: bavail * bsize, total: blocks * bsize },
    versions: [
      ["Cairn", version.version],
      ["Commit", version.commit.slice(0, 12)],
      ["Bun", Bun.version],
      ["System", `${process.platform} ${process.arch}`],
    ] as const,
    metrics: metrics.summary(),
    settings: settingsOf(config),
    file: join(config.directory, CONFIG_FILE_NAME),
    findings,
    doctor: commandText(["cairn", "doctor", "--server-dir", config.directory]),
  };
  return page("Settings and health", h(SettingsBody, { visit, facts }));
}

/** In the order of the documentation. */
function settingsOf(config: ServerConfig): [key: string, value: string][] {
  const list = (values: readonly string[]) => (values.length === 0 ? "none" : values.join(", "));
  return [
    ["listen.address", config.listen.host],
    ["listen.port", String(config.listen.port)],
    ["listen.trusted_proxies", list(config.trustedProxies)],
    ["listen.allowed_hosts", list(config.allowedHosts)],
    ["auth.token_ttl", config.tokenTtlDays === 0 ? "0 (no limit)" : plural(config.tokenTtlDays, "day")],
    ["rate_limit.enabled", String(config.rateLimit.enabled)],
    ["rate_limit.requests_per_minute", String(config.rateLimit.requestsPerMinute)],
    ["rate_limit.auth_per_minute", String(config.rateLimit.authPerMinute)],
    ["quotas.max_file_size", byteText(config.quotas.max_file_size)],
    ["quotas.max_space_size", byteText(config.quotas.max_space_size)],
    ["quotas.max_files", String(config.quotas.max_files)],
    ["backend", config.backend],
    ["retention.max_versions", config.versionsKept === 0 ? "0 (all)" : String(config.versionsKept)],
    ["secrets.mode", config.secrets],
    ["secrets_key", MASKED],
    ["tls.enabled", String(config.tls !== undefined)],
    ["tls.cert_file", config.tls?.acme ? "none" : (config.tls?.certFile ?? "none")],
    ["tls.key_file", config.tls === undefined || config.tls.acme ? "none" : MASKED],
    ["tls.acme.enabled", String(config.tls?.acme !== undefined)],
    ["tls.acme.domains", list(config.tls?.acme?.domains ?? [])],
    ["tls.acme.challenge", config.tls?.acme?.challenge ?? "none"],
    ["tracing.otlp_endpoint", config.otlpEndpoint === "" ? "none" : config.otlpEndpoint],
    ["webhooks.allow_private_targets", String(config.privateWebhooks)],
    ["tui.ssh.enabled", String(config.ssh.enabled)],
    ["tui.ssh.address", config.ssh.host],
    ["tui.ssh.port", String(config.ssh.port)],
    ["tui.ssh.host_key", MASKED],
    ["tui.ssh.keys", config.ssh.keys.length === 0 ? "none" : counted(config.ssh.keys.length, "key")],
    ["backup.directory", config.backup.directory === "" ? "none" : config.backup.directory],
    ["backup.every_hours", config.backup.everyHours === 0 ? "0 (never)" : String(config.backup.everyHours)],
    ["backup.keep", config.backup.keep === 0 ? "0 (all)" : String(config.backup.keep)],
    ["backup.copy_to.bucket", config.backup.copyTo?.bucket ?? "none"],
    ["replication.bucket", config.replication?.bucket ?? "none"],
    ["replication.node", config.replication?.node ?? "none"],
    ["metrics.allow", list(config.metricsAllow)],
    ["log_level", config.logLevel],
  ];
}
