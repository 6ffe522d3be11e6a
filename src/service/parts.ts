// Builds the service feature by feature, each from the ground and the features below it. To add a feature, add its lines here and in server.ts.

import { Background } from "../kit/concurrency/background.ts";
import { systemTimers, type Clock, type Timers } from "../kit/clock.ts";
import type { Db } from "../kit/storage/db.ts";
import type { Environment } from "../kit/environment.ts";
import { Health, probeDirectory } from "../kit/health.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Log } from "../kit/log.ts";
import { counter, gauge, Metrics, type Reading } from "../kit/metrics/metrics.ts";
import { SYSTEM_NETWORK, type Network } from "../kit/network/outbound.ts";
import { version } from "../kit/version.ts";
import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";
import type { ApprovalSource } from "./approvals/approvals.ts";
import { buildApprovals } from "./approvals/build.ts";
import { ATTACHMENTS_FOLDER, buildAttachments } from "./attachments/build.ts";
import { Audit } from "./audit/audit.ts";
import { Backups } from "./backup/backups.ts";
import { buildBlueprint } from "./blueprint/build.ts";
import type { OwnListener } from "./catalog/addresses.ts";
import { buildCatalog } from "./catalog/build.ts";
import { isLoopbackAdmin } from "./config/config.ts";
import type { Config } from "./config/schema.ts";
import { buildConversation } from "./conversation/build.ts";
import { buildEgress } from "./egress/build.ts";
import { buildFiles, directoriesOf } from "./files/build.ts";
import { buildGears } from "./gears/build.ts";
import type { Ground } from "./ground.ts";
import { Journal } from "./journal/journal.ts";
import { buildLibrary } from "./library/build.ts";
import { buildMemory } from "./memory/build.ts";
import { createModelClient } from "./llm/client.ts";
import type { CallModel } from "./llm/model.ts";
import { TRANSPORT_TIMES, type TransportTimes } from "./llm/transport.ts";
import { buildPeople } from "./people/build.ts";
import { createSandbox, sandboxFolder } from "./sandbox/choice.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { installationName } from "./sandbox/store.ts";
import { buildOverview } from "./overview/build.ts";
import { buildSearch } from "./search/build.ts";
import { buildSnapshots } from "./snapshot/build.ts";
import type { SnapshotContent } from "./snapshot/schema.ts";
import { buildTerminals } from "./terminal/build.ts";
import { ToolRegistry } from "./tools/registry.ts";
import type { ToolSource } from "./tools/tool.ts";
import { buildTransfer } from "./transfer/build.ts";
import { buildTurns } from "./turns/build.ts";
import { delegateTools } from "./turns/delegate-tool.ts";
import { resumedEnds } from "./turns/events.ts";
import { buildUsage } from "./usage/build.ts";
import { Access } from "./workspaces/access.ts";
import { Ownership } from "./workspaces/ownership.ts";
import { workspaceStore } from "./workspaces/store.ts";
import { buildWorkspaces } from "./workspaces/build.ts";
import type { WorkspacePart } from "./workspaces/workspaces.ts";

/** Path from the root of the repository; release/build.ts compiles it in. */
const WORKER_ENTRY = "src/service/worker.ts";

interface PartsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns undefined until the socket is bound. */
  readonly ownListener: OwnListener;
  readonly times?: TransportTimes;
  readonly config: Config;
  readonly environment: Environment;
  /** Replaces the sandbox of gears in tests. */
  readonly sandbox?: Sandbox;
  /** Replaces the system's network in tests. */
  readonly network?: Network;
  /** Replaces the client of model providers in tests. */
  readonly callModel?: CallModel;
  /** Replaces the features' own tools in tests. */
  readonly tools?: readonly ToolSource[];
  /** Replaces the timers of the schedule of backups in tests. */
  readonly timers?: Timers;
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts(options: PartsOptions) {
  const ground = buildGround(options);
  const streams = new Streams();
  const basis = buildBasis(ground, options, (revocation) => turns.standing.revoke(revocation));
  const { access, authentication, blueprint, providers, workspaceRows } = basis;
  const material = buildMaterial(ground, basis);
  const abilities = buildAbilities(ground, options, { ...basis, ...material });
  const waiting = buildApprovals(ground, {
    access,
    sources: approvalSources({ ...material, ...abilities }),
  });
  const { snapshots } = buildSnapshots(ground, {
    access,
    content: contentOf({ blueprint, ...material, ...abilities }),
  });
  const { workspaces, workspaceBudget } = buildWorkspaces(ground, {
    workspaceRows,
    access,
    teams: basis.teams,
    parts: workspaceParts(
      { background: ground.background, blueprint, ...material, ...abilities },
      { archiving: (id) => turns.turns.requireIdle(id) },
    ),
  });
  const usage = buildUsage(ground, { access, blueprint, workspaceBudget });
  const turns = buildTurns(ground, {
    ...basis,
    ...material,
    ...abilities,
    ...usage,
    callModel: callModelOf(options, (url) => providers.destination(url)),
    registry: new ToolRegistry(options.tools ?? toolsOf({ ...basis, ...material, ...abilities })),
    snapshots,
    withdrawRequests: (workspaceId) => abilities.searches.withdrawIn(workspaceId),
  });
  const { timers = systemTimers } = options;
  const { backup } = ground.config;
  const memory = backup.memory ? material.memory : undefined;
  const backups = new Backups({ ...ground, config: backup, memory, timers });
  return {
    ...ground,
    ...basis,
    ...material,
    ...abilities,
    ...waiting,
    ...usage,
    ...turns,
    ...buildOverview(ground, { access, ...waiting, ...usage, authentication }),
    ...buildSearch(ground, access, material.directories),
    ...buildTransfer(ground, { ...basis, ...material, ...abilities, snapshots, workspaces }),
    backups,
    health: healthOf(ground),
    metrics: metricsOf(ground, streams, turns, backups),
    snapshots,
    streams,
    workspaces,
  };
}

/** Builds the parts that the others are about: people with their rights, models, and agents. */
function buildBasis(
  ground: Ground,
  { ownListener }: PartsOptions,
  revoked: Parameters<typeof buildPeople>[1]["revoked"],
) {
  const workspaceRows = workspaceStore(ground.db);
  const access = new Access(workspaceRows);
  const people = buildPeople(ground, { ownedWorkspaces: new Ownership(workspaceRows), revoked });
  const catalog = buildCatalog(ground, {
    ownListener,
    agentsWith: (modelId, limit) => agents.blueprint.withModel(modelId, limit),
  });
  const agents = buildBlueprint(ground, { access, models: catalog.models });
  return { ...people, ...catalog, ...agents, access, workspaceRows };
}

/** Builds the parts that agents read and write. */
function buildMaterial(ground: Ground, { access, blueprint, workspaceRows }: ReturnType<typeof buildBasis>) {
  return {
    ...buildFiles(ground, access),
    ...buildAttachments(ground, access),
    attachmentDirectories: directoriesOf(ground, access, ATTACHMENTS_FOLDER),
    ...buildLibrary(ground, { access, blueprint }),
    ...buildMemory(ground, { access, blueprint, workspaceRows }),
    ...buildConversation(ground, access),
  };
}

interface AbilityNeeds extends ReturnType<typeof buildBasis>, ReturnType<typeof buildMaterial> {}

/** Builds the parts that reach outside: web search, and programs in a sandbox. */
function buildAbilities(ground: Ground, options: PartsOptions, needs: AbilityNeeds) {
  const { access, authentication, blueprint, conversation, files } = needs;
  const installation = installationName(ground.db);
  const sandbox = options.sandbox ?? ownSandbox(ground, installation);
  const network = options.network ?? SYSTEM_NETWORK;
  return {
    ...buildEgress(ground, { access, blueprint, conversation, network }),
    ...buildGears(ground, { access, authentication, blueprint, files, sandbox }),
    terminals: buildTerminals(ground, { access, authentication, files, installation, sandbox }),
    isolation: sandbox,
    sandbox,
  };
}

interface Attached
  extends
    Pick<ReturnType<typeof buildBasis>, "blueprint">,
    ReturnType<typeof buildMaterial>,
    ReturnType<typeof buildAbilities> {}

function toolsOf(built: Attached & Pick<ReturnType<typeof buildBasis>, "blueprintTools">): ToolSource[] {
  return [
    built.blueprintTools,
    delegateTools,
    built.fileTools,
    built.libraryTools,
    built.egressTools,
    built.gearTools,
    built.memoryTools,
  ];
}

/** The order matters: copying bindings needs the agents' copies. */
function workspaceParts(
  attached: Attached & Pick<Ground, "background">,
  idle: WorkspacePart,
): WorkspacePart[] {
  const { attachmentDirectories, background, blueprint, files, terminals } = attached;
  return [
    {
      created: (id, input) => blueprint.createOrchestrator(id, input.orchestrator_model_id),
      cloned: (from) => blueprint.copyOf(from),
    },
    { cloned: (from) => attached.instructions.bindingsCopyOf(from) },
    { cloned: (from) => attached.gearBindings.copyOf(from) },
    attached.memoryPart,
    idle,
    {
      archived: () => terminals.recheck(),
      removed(id) {
        background.run("removal of files", () => files.removeAll(id));
        attachmentDirectories.remove(id);
      },
    },
  ];
}

/** Collects the part of each feature that is attached to a blueprint. */
function contentOf(attached: Attached): (workspaceId: number) => SnapshotContent {
  const { blueprint, contextBindings, gearBindings, grants, instructions } = attached;
  return (id) => ({
    agents: blueprint.agentsOf(id),
    wires: blueprint.wiresOf(id),
    gear_bindings: gearBindings.ofWorkspace(id),
    instruction_bindings: instructions.bindingsOf(id),
    egress_grants: grants.ofWorkspace(id),
    context_bindings: contextBindings.of(id),
  });
}

/** Everything that waits for a person. */
function approvalSources({ gears, proposals, searches }: Waiting): ApprovalSource[] {
  return [
    (caller, limit) => gears.approval.pending(caller, limit),
    (caller, limit) => proposals.approvals(caller, limit),
    (caller, limit) => searches.approvals(caller, limit),
  ];
}

interface Waiting
  extends
    Pick<ReturnType<typeof buildGears>, "gears">,
    Pick<ReturnType<typeof buildLibrary>, "proposals">,
    Pick<ReturnType<typeof buildEgress>, "searches"> {}

function callModelOf(
  { clock, times = TRANSPORT_TIMES, callModel }: PartsOptions,
  destination: Parameters<typeof createModelClient>[0]["destination"],
): CallModel {
  return callModel ?? createModelClient({ clock, times, destination });
}

function buildGround({ db, clock, log, config, environment }: PartsOptions): Ground {
  const workers = new WorkerPool(() => openWorker(WORKER_ENTRY));
  db.checkpointIn(workers);
  return {
    db,
    clock,
    log,
    config,
    environment,
    background: new Background(log),
    workers,
    audit: new Audit(db, clock),
    journal: new Journal({ db, clock, log, superseded: resumedEnds }),
  };
}

function ownSandbox({ clock, log, config, environment }: Ground, installation: string): Sandbox {
  // The sandbox has its own background work, because stopping it is background work of the service.
  const background = new Background(log);
  const loopbackAdmin = isLoopbackAdmin(config);
  const folder = sandboxFolder(config.data, installation, environment);
  return createSandbox(config, { environment, clock, log, background, installation, loopbackAdmin, folder });
}

function healthOf({ db, clock, config }: Ground): Health {
  return new Health(clock, [
    { what: "database", write: () => db.prove() },
    { what: "disk", write: () => probeDirectory(config.data) },
  ]);
}

function metricsOf(
  { clock, workers }: Ground,
  streams: Streams,
  { turns, recorder }: ReturnType<typeof buildTurns>,
  backups: Backups,
): Metrics {
  const readings: Reading[] = [
    gauge("service_sse_clients", "Open event streams", () => streams.size),
    gauge("service_worker_jobs", "Jobs running in worker threads or queued for one", () => workers.load),
    gauge("service_turns_running", "Running turns", () => turns.running),
    counter("service_model_calls_total", "Finished model calls", () => recorder.counts.calls),
    counter(
      "service_model_input_tokens_total",
      "Input tokens reported by providers",
      () => recorder.counts.inputTokens,
    ),
    counter(
      "service_model_output_tokens_total",
      "Output tokens reported by providers",
      () => recorder.counts.outputTokens,
    ),
    ...backups.readings(),
  ];
  return new Metrics({
    elapsed: () => clock.elapsed(),
    isBusy: () => turns.running > 0 || workers.load > 0,
    build: { version: version.version, commit: version.commit },
    readings,
  });
}
