// Builds the context server feature by feature, each from the ground and the features below it. A new feature adds its lines here and in
// server.ts.

import { dirname, join } from "node:path";
import { Background } from "../kit/concurrency/background.ts";
import { systemTimers, type Clock, type Timers } from "../kit/clock.ts";
import type { Db } from "../kit/storage/db.ts";
import { Health, probeDisks } from "../kit/health.ts";
import { AddressList } from "../kit/http/client-address.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Environment } from "../kit/environment.ts";
import type { Log } from "../kit/log.ts";
import { Histogram } from "../kit/metrics/histogram.ts";
import { COMMIT_SECONDS, counter, gauge, Metrics, type Reading } from "../kit/metrics/metrics.ts";
import { Spans } from "../kit/metrics/spans.ts";
import { SYSTEM_NETWORK } from "../kit/network/outbound.ts";
import { SpoolDirectory } from "../kit/disk/spool.ts";
import { version } from "../kit/version.ts";
import { auditPath } from "./audit/audit-file.ts";
import { Audit } from "./audit/audit.ts";
import { ServedCertificate } from "./certificates/served-certificate.ts";
import { Backups } from "./backup/backups.ts";
import type { ServerConfig } from "./config/schema.ts";
import { Events } from "./events/events.ts";
import { Files } from "./files/files.ts";
import { SecretScan } from "./files/secrets.ts";
import { StaleEvents } from "./freshness/announcing.ts";
import { Freshness } from "./freshness/freshness.ts";
import { staleStore } from "./freshness/store.ts";
import { Graph } from "./graph/graph.ts";
import type { Ground } from "./ground.ts";
import { buildPeople } from "./people/build.ts";
import { ContextDoor } from "./people/door.ts";
import type { Copying } from "./replication/copying.ts";
import { RateLimits } from "./rate/rate-limits.ts";
import { Search } from "./search/search.ts";
import { Spaces } from "./spaces/spaces.ts";
import { Sync } from "./sync/sync.ts";
import type { EngineKind } from "./versioned-store/engine.ts";
import { EDITS_TRUSTED_MS } from "./versioned-store/outlines.ts";
import type { EngineName } from "./versioned-store/schema.ts";
import { sqlite } from "./versioned-store/sqlite/kind.ts";
import { buildWebhooks, ownPorts, type OutboundOptions, type OwnListener } from "./webhooks/build.ts";
import type { Deliveries } from "./webhooks/delivery.ts";
import { contextWorkers } from "./worker-pool.ts";

const ENGINES: Readonly<Record<EngineName, EngineKind>> = { sqlite };

export function engineOf({ backend }: Pick<ServerConfig, "backend">): EngineKind {
  return ENGINES[backend];
}

interface PartsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: ServerConfig;
  /** Has credentials; empty for a server without a listener. */
  readonly environment: Environment;
  /** Tests pass another network and other retry delays. */
  readonly outbound?: OutboundOptions | undefined;
  /** For tests. */
  readonly timers?: Timers | undefined;
  readonly copying?: Copying | undefined;
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts(options: PartsOptions) {
  const ground = buildGround(options);
  const { db, clock, log, config, background, workers, audit, events } = ground;
  const streams = new Streams();
  const people = buildPeople(ground, { spaceExists: (name) => spaces.exists(name) });
  const { addresses, authentication, changes } = people;
  const limits = new RateLimits(clock, config.rateLimit, addresses);
  const commits = new Histogram(COMMIT_SECONDS);
  const spaces = new Spaces({
    engineOptions: { workers, onCommit: (ms) => commits.observe(ms / 1_000) },
    directory: join(config.directory, "spaces"),
    engine: engineOf(config),
    db,
    audit,
    events,
    clock,
    log,
    quotas: config.quotas,
    versionsKept: config.versionsKept,
    copying: options.copying?.spaces,
  });
  const door = new ContextDoor({ authentication, limits, audit, addresses, spaces });
  const secrets = new SecretScan(config.secrets, workers);
  const files = new Files({ spaces, audit, events, secrets, workers });
  const lookLater = (work: () => Promise<unknown>) => background.run("look for edits of a space", work);
  const freshness = new Freshness({ spaces, clock, editsTrustedMs: EDITS_TRUSTED_MS, later: lookLater });
  const staleEvents = new StaleEvents({ spaces, events, store: staleStore(db), db, clock, background });
  const graph = new Graph({ spaces, clock, later: lookLater });
  const later = (work: () => Promise<unknown>) => background.run("index a space", work);
  const search = new Search({ spaces, workers, clock, later });
  const spools = new SpoolDirectory(join(config.directory, "incoming"));
  const sync = new Sync({ spaces, files, events, clock, log, spools });
  const hooks = buildWebhooks(ground, {
    authentication,
    changes,
    spaceExists: (name) => spaces.exists(name),
    outbound: options.outbound,
  });
  const served = new ServedCertificate();
  const backups = backupsOf(ground, spaces, options);
  return {
    ...ground,
    ...people,
    ...hooks,
    streams,
    limits,
    door,
    spaces,
    files,
    freshness,
    staleEvents,
    graph,
    search,
    sync,
    backups,
    served,
    health: healthOf(ground, { spaces, served, copying: options.copying }),
    metrics: metricsOf(
      ground,
      { limits, spaces, streams, commits, served, backups, ...hooks },
      options.copying,
    ),
    spans: spansOf(ground, hooks.listener),
    metricsFor: new AddressList("metrics.allow", config.metricsAllow),
  };
}

function backupsOf(ground: Ground, spaces: Spaces, options: PartsOptions): Backups {
  const { config, environment, timers = systemTimers } = options;
  const { directory, backup } = config;
  return new Backups({ ...ground, directory, config: backup, environment, spaces, timers });
}

function buildGround({ db, clock, log, config, copying }: PartsOptions): Ground {
  const workers = contextWorkers();
  db.checkpointIn(workers);
  return {
    db,
    clock,
    log,
    config,
    background: new Background(log),
    workers,
    audit: new Audit({ path: auditPath(config.directory), db, clock, log, appended: copying?.appended }),
    events: new Events({ db, clock, log, settled: copying?.stored }),
    settled: copying?.settled,
  };
}

interface Examined {
  readonly spaces: Spaces;
  readonly served: ServedCertificate;
  readonly copying: Copying | undefined;
}

function healthOf({ db, clock, config, audit }: Ground, { spaces, served, copying }: Examined): Health {
  return new Health(
    clock,
    [
      { what: "database", write: () => db.prove() },
      { what: "disk", write: () => probeDisks([config.directory, dirname(auditPath(config.directory))]) },
      { what: "spaces", write: () => spaces.prove() },
    ],
    () => [
      ...audit.problems(),
      ...spaces.problems(),
      ...served.problems(clock.now()),
      ...(copying?.problems() ?? []),
    ],
  );
}

/** Undefined without a collector. It may be on a private network, because only the operator names it. */
function spansOf({ config, clock, log }: Ground, listener: OwnListener): Spans | undefined {
  if (config.otlpEndpoint === "") return undefined;
  return new Spans({
    endpoint: new URL(config.otlpEndpoint),
    service: { name: "cairn", version: version.version },
    network: { ...SYSTEM_NETWORK, allow: () => true, ownNames: true, ownPorts: () => ownPorts(listener) },
    clock,
    log,
  });
}

interface Measured {
  readonly limits: RateLimits;
  readonly spaces: Spaces;
  readonly streams: Streams;
  readonly commits: Histogram;
  readonly deliveries: Deliveries;
  readonly served: ServedCertificate;
  readonly backups: Backups;
}

function metricsOf(
  { clock, config, workers, audit }: Ground,
  { limits, spaces, streams, commits, deliveries, served, backups }: Measured,
  copying: Copying | undefined,
): Metrics {
  return new Metrics({
    elapsed: () => clock.elapsed(),
    isBusy: () => workers.load > 0,
    readings: [
      counter("service_rate_limited_total", "Requests refused by the rate limit", () => limits.refused),
      gauge("service_files", "Live files of all spaces", () => spaces.totals().files),
      gauge("service_bytes", "Bytes of the live files of all spaces", () => spaces.totals().bytes),
      counter("service_commits_total", "Commits to spaces; queued writes share one", () => commits.count),
      gauge("service_sse_clients", "Open event streams", () => streams.size),
      counter("service_webhook_sent_total", "Deliveries that were accepted", () => deliveries.sent),
      counter(
        "service_webhook_failed_total",
        "Webhook deliveries that failed permanently",
        () => deliveries.failed,
      ),
      counter(
        "service_webhook_dropped_total",
        "Events that expired before a lagging webhook reached them",
        () => deliveries.dropped,
      ),
      gauge("service_worker_jobs", "Jobs running on or queued for worker threads", () => workers.load),
      counter("service_audit_entries_total", "Records in the audit file", () => audit.entries),
      counter("service_audit_failed_total", "Audit records that could not be written", () => audit.failures),
      ...(config.tls === undefined ? [] : [expiryOf(served)]),
      ...backups.schedule.readings(),
      ...(copying?.readings ?? []),
    ],
    measured: [
      {
        name: "service_commit_seconds",
        help: "Duration of a commit to a space, until it is durable",
        histogram: commits,
      },
      ...(copying?.measured ?? []),
    ],
    build: { version: version.version, commit: version.commit },
  });
}

function expiryOf(served: ServedCertificate): Reading {
  const help = "Time at which the certificate of the listener expires, in seconds since the epoch";
  return gauge("service_tls_certificate_expiry_seconds", help, () => served.expirySeconds());
}
