// Builds every part of the context server, explicitly and in order. A new feature adds its lines here and in server.ts.

import { dirname, join } from "node:path";
import { Background } from "../kit/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/db.ts";
import { Health, probeDisks } from "../kit/health.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Log } from "../kit/log.ts";
import { SpoolDirectory } from "../kit/spool.ts";
import { Histogram } from "../kit/metrics/histogram.ts";
import { COMMIT_SECONDS, counter, gauge, Metrics } from "../kit/metrics/metrics.ts";
import { version } from "../kit/version.ts";
import { SYSTEM_NETWORK, type Network } from "../kit/outbound.ts";
import { RateLimit } from "../kit/rate.ts";
import { SecretBox } from "../kit/secret-box.ts";
import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";
import { auditPath } from "./audit/audit-file.ts";
import { Audit } from "./audit/audit.ts";
import { Backups } from "./backup/backups.ts";
import { secretsKeyPath } from "./config/directory.ts";
import type { ServerConfig } from "./config/schema.ts";
import { Events } from "./events/events.ts";
import { Files } from "./files/files.ts";
import { SecretScan } from "./files/secrets.ts";
import { AccessRules } from "./people/access-rules.ts";
import { Authentication } from "./people/authentication.ts";
import { Changes } from "./people/changes.ts";
import { Logins } from "./people/logins.ts";
import { ContextDoor } from "./people/door.ts";
import { PeopleRecords } from "./people/records.ts";
import { peopleStore } from "./people/store.ts";
import { Users } from "./people/users.ts";
import { AddressList, ClientAddresses } from "../kit/http/client-address.ts";
import { RateLimits } from "./rate/rate-limits.ts";
import { Spaces } from "./spaces/spaces.ts";
import { Sync } from "./sync/sync.ts";
import { DeadLetterFile } from "./webhooks/dead-letter.ts";
import { Deliveries, RETRY_WAITS_MS } from "./webhooks/delivery.ts";
import { HookOwners } from "./webhooks/owners.ts";
import { HookSecrets } from "./webhooks/secrets.ts";
import { Sender } from "./webhooks/sender.ts";
import { webhookStore } from "./webhooks/store.ts";
import type { EngineKind } from "./versioned-store/engine.ts";
import type { EngineName } from "./versioned-store/schema.ts";
import { sqlite } from "./versioned-store/sqlite/kind.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/** Relative to the root of the repository; release/build.ts compiles it in. */
const WORKER_ENTRY = "src/context/worker.ts";

const ENGINES: Readonly<Record<EngineName, EngineKind>> = { sqlite };

export interface PartsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: ServerConfig;
  /** Tests pass another network and other retry delays. */
  readonly outbound?: OutboundOptions | undefined;
}

export interface OutboundOptions {
  readonly network: Network;
  readonly waitsMs: readonly number[];
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts({ db, clock, log, config, outbound }: PartsOptions) {
  const background = new Background(log);
  const streams = new Streams();
  const audit = new Audit({ path: auditPath(config.directory), db, clock, log });
  const events = new Events({ db, clock, log });
  const { tokenTtlDays, rateLimit } = config;
  const peopleRows = peopleStore(db);
  const addresses = new ClientAddresses("listen.trusted_proxies", config.trustedProxies);
  const records = new PeopleRecords(peopleRows, clock, tokenTtlDays);
  const authentication = new Authentication({
    store: peopleRows,
    records,
    db,
    clock,
    log,
    addresses,
    tokenTtlDays,
  });
  const onCommitted = () => {
    authentication.forget();
    events.rightsChanged();
  };
  const changes = new Changes({ db, audit, onCommitted });
  const loginLimit = rateLimit.enabled
    ? new RateLimit(clock, { perMinute: rateLimit.authPerMinute, of: "attempts" })
    : undefined;
  const limits = new RateLimits(clock, rateLimit, addresses);
  const people = { store: peopleRows, records, changes, events, clock };
  const logins = new Logins({ ...people, db, audit, loginLimit, addresses });
  const users = new Users({ ...people, spaceNames: () => spaces.names() });
  const rules = new AccessRules({ ...people, authentication });
  const commits = new Histogram(COMMIT_SECONDS);
  const spaces = new Spaces({
    onCommit: (ms) => commits.observe(ms / 1_000),
    directory: join(config.directory, "spaces"),
    engine: ENGINES[config.backend],
    audit,
    events,
    clock,
    log,
    quotas: config.quotas,
    versionsKept: config.versionsKept,
  });
  const door = new ContextDoor({ authentication, limits, audit, addresses, spaces });
  const workers = new WorkerPool(() => openWorker(WORKER_ENTRY));
  const secrets = new SecretScan(config.secrets, workers);
  const files = new Files({ spaces, audit, events, secrets, workers });
  const spools = new SpoolDirectory(join(config.directory, "incoming"));
  const sync = new Sync({ spaces, files, events, clock, log, spools });
  const store = webhookStore(db);
  const deadLetters = new DeadLetterFile(join(config.directory, "webhooks", "dead-letter.jsonl"));
  const listener: OwnListener = { port: config.listen.port };
  const network = { ...(outbound?.network ?? networkFor(config)), ownPort: () => listener.port };
  const waitsMs = outbound?.waitsMs ?? RETRY_WAITS_MS;
  const hookSecrets = new HookSecrets(new SecretBox(secretsKeyPath(config)));
  const owners = new HookOwners(authentication);
  const deliveries = new Deliveries({
    db,
    store,
    events,
    clock,
    log,
    sender: new Sender(network, (hook) => hookSecrets.open(hook)),
    waitsMs,
    deadLetters,
    maySee: (hook, event) => owners.maySee(hook, event),
  });
  const webhooks = new Webhooks({
    changes,
    store,
    deliveries,
    secrets: hookSecrets,
    deadLetters,
    network,
    events,
    clock,
    problemOf: (hook) => owners.problemOf(hook),
  });
  const health = new Health(
    clock,
    [
      { what: "database", write: () => db.prove() },
      { what: "disk", write: () => probeDisks([config.directory, dirname(auditPath(config.directory))]) },
      { what: "spaces", write: () => spaces.prove() },
    ],
    () => [...audit.problems(), ...spaces.problems()],
  );
  const backups = new Backups({ directory: config.directory, db, spaces, audit, background, clock, log });
  const metrics = new Metrics({
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
        "Webhook deliveries that failed for good",
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
    ],
    measured: [
      {
        name: "service_commit_seconds",
        help: "Duration of a commit to a space, until it is durable",
        histogram: commits,
      },
    ],
    build: { version: version.version, commit: version.commit },
  });
  const metricsFor = new AddressList("metrics.allow", config.metricsAllow);
  return {
    db,
    background,
    workers,
    streams,
    audit,
    events,
    authentication,
    limits,
    door,
    logins,
    users,
    rules,
    spaces,
    files,
    sync,
    listener,
    deliveries,
    webhooks,
    backups,
    health,
    metrics,
    metricsFor,
  };
}

/** The port that this server listens on; until it does, the configured port. */
export interface OwnListener {
  port: number;
}

function networkFor({ privateWebhooks }: ServerConfig): Network {
  return privateWebhooks ? { ...SYSTEM_NETWORK, allow: () => true, ownNames: true } : SYSTEM_NETWORK;
}
