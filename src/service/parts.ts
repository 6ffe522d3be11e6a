// Builds the service feature by feature, each from the ground and the features below it. To add a feature, add its lines here and in server.ts.

import { Background } from "../kit/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/db.ts";
import type { Environment } from "../kit/environment.ts";
import { Health, probeDirectory } from "../kit/health.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Log } from "../kit/log.ts";
import { counter, gauge, Metrics, type Reading } from "../kit/metrics/metrics.ts";
import { SYSTEM_NETWORK, type Network } from "../kit/outbound.ts";
import { version } from "../kit/version.ts";
import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";
import { Approvals } from "./approvals/approvals.ts";
import { Decisions } from "./approvals/decisions.ts";
import { decisionStore } from "./approvals/store.ts";
import { ATTACHMENTS_FOLDER, buildAttachments } from "./attachments/build.ts";
import { Audit } from "./audit/audit.ts";
import { Blueprint } from "./blueprint/blueprint.ts";
import { blueprintStore } from "./blueprint/store.ts";
import { blueprintTools } from "./blueprint/tools.ts";
import type { OwnListener } from "./catalog/addresses.ts";
import { buildCatalog } from "./catalog/build.ts";
import { isLoopbackAdmin } from "./config/config.ts";
import type { Config } from "./config/schema.ts";
import { buildConversation } from "./conversation/build.ts";
import { buildEgress } from "./egress/build.ts";
import { Directories } from "./files/directories.ts";
import { Files } from "./files/files.ts";
import { fileTools } from "./files/tools.ts";
import { buildGears } from "./gears/build.ts";
import type { Ground } from "./ground.ts";
import { Journal } from "./journal/journal.ts";
import type { Caller } from "./identity/caller.ts";
import { buildLibrary } from "./library/build.ts";
import { buildMemory } from "./memory/build.ts";
import { createModelClient } from "./llm/client.ts";
import type { CallModel } from "./llm/model.ts";
import { TRANSPORT_TIMES, type TransportTimes } from "./llm/transport.ts";
import { buildPeople } from "./people/build.ts";
import { createSandbox } from "./sandbox/choice.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { installationName } from "./sandbox/store.ts";
import { buildOverview } from "./overview/build.ts";
import { buildSearch } from "./search/build.ts";
import { Snapshots } from "./snapshot/snapshots.ts";
import { snapshotStore } from "./snapshot/store.ts";
import { buildTerminals } from "./terminal/build.ts";
import { ToolRegistry } from "./tools/registry.ts";
import type { ToolSource } from "./tools/tool.ts";
import { buildTransfer } from "./transfer/build.ts";
import { buildTurns } from "./turns/build.ts";
import { delegateTools } from "./turns/delegate-tool.ts";
import { resumedEnds } from "./turns/events.ts";
import { UsageByDay } from "./usage/days.ts";
import { usageStore } from "./usage/store.ts";
import { Usages } from "./usage/usage.ts";
import { Access } from "./workspaces/access.ts";
import { Ownership } from "./workspaces/ownership.ts";
import { workspaceStore } from "./workspaces/store.ts";
import { Workspaces, type WorkspacePart } from "./workspaces/workspaces.ts";

/** Path from the root of the repository; release/build.ts compiles it in. */
const WORKER_ENTRY = "src/service/worker.ts";

export interface PartsOptions {
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
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts(options: PartsOptions) {
  const { ownListener, network = SYSTEM_NETWORK } = options;
  const ground = buildGround(options);
  const { db, clock, log, background, audit, journal } = ground;
  const streams = new Streams();
  const installation = installationName(db);
  const sandbox = options.sandbox ?? ownSandbox(ground, installation);
  const workspaceRows = workspaceStore(db);
  const people = buildPeople(ground, {
    ownedWorkspaces: new Ownership(workspaceRows),
    revoked: (revocation) => turns.standing.revoke(revocation),
  });
  const { authentication, teams } = people;
  const { providers, models } = buildCatalog(ground, {
    ownListener,
    agentsWith: (modelId) => blueprint.countWithModel(modelId),
  });
  const access = new Access(workspaceRows);
  const changed = { db, access, journal, audit, clock };
  const blueprint = new Blueprint({ ...changed, store: blueprintStore(db), models });
  const { directories, attachmentDirectories } = directoriesOf(ground, access);
  const files = new Files({ ...changed, directories, workers: ground.workers });
  const attaching = { ...buildAttachments(ground, access), attachmentDirectories };
  const { instructions, proposals, libraryTools } = buildLibrary(ground, { access, blueprint });
  const recall = buildMemory(ground, { access, blueprint, workspaceRows });
  const { contextBindings } = recall;
  // The order matters: copying bindings needs the agents' copies.
  const workspaceParts: WorkspacePart[] = [
    {
      created: (id, input) => blueprint.createOrchestrator(id, input.orchestrator_model_id),
      cloned: (from) => blueprint.copyOf(from),
    },
    { cloned: (from) => instructions.bindingsCopyOf(from) },
    { cloned: (from) => gearBindings.copyOf(from) },
    recall.workspacePart,
    { archiving: (id) => turns.turns.requireIdle(id) },
    {
      archived: () => terminals.recheck(),
      removed(id) {
        background.run("removal of files", () => files.removeAll(id));
        attachmentDirectories.remove(id);
        terminals.recheck();
      },
    },
  ];
  const ofWorkspaces = { store: workspaceRows, teams, background, log, parts: workspaceParts };
  const workspaces = new Workspaces({ ...changed, ...ofWorkspaces });
  const { conversation, prompts } = buildConversation(ground, access);
  const workspaceBudget = workspaces.budgetOf.bind(workspaces);
  const usages = new Usages({ store: usageStore(db), access, blueprint, workspaceBudget, clock });
  const { searches, grants, egressTools } = buildEgress(ground, { access, blueprint, conversation, network });
  const { gears, gearBindings, gearRuns, gearTools } = buildGears(ground, {
    access,
    blueprint,
    files,
    sandbox,
  });
  const approvals = approvalsOf({ gears, proposals, searches });
  const terminals = buildTerminals(ground, { access, authentication, files, installation, sandbox });
  const attached = { blueprint, contextBindings, gearBindings, grants, instructions };
  const snapshots = snapshotsOf(ground, access, attached);
  const ownTools = [
    blueprintTools(blueprint, models),
    delegateTools,
    fileTools(files),
    libraryTools,
    egressTools,
    gearTools,
    recall.memoryTools,
  ];
  const registry = new ToolRegistry(options.tools ?? ownTools);
  const callModel = callModelOf(options, (url) => providers.checkProviderAddress(url));
  const turns = buildTurns(ground, {
    access,
    ...attaching,
    authentication,
    blueprint,
    callModel,
    contextFor: recall.contextFor,
    conversation,
    gearRuns,
    instructions,
    models,
    prompts,
    registry,
    snapshots,
    usages,
    withdrawRequests: (workspaceId) => searches.withdrawIn(workspaceId),
  });
  return {
    ...ground,
    ...attaching,
    ...people,
    ...recall,
    ...turns,
    ...buildOverview(ground, { access, approvals, authentication }),
    ...buildSearch(ground, access, directories),
    ...buildTransfer(ground, { ...attached, access, files, gears, models, snapshots, workspaces }),
    access,
    approvals,
    blueprint,
    conversation,
    decisions: decisionsOf(db, access),
    directories,
    files,
    gearBindings,
    gearRuns,
    gears,
    grants,
    health: healthOf(ground),
    instructions,
    isolation: sandbox,
    metrics: metricsOf(ground, streams, turns),
    models,
    proposals,
    providers,
    sandbox,
    searches,
    snapshots,
    streams,
    terminals,
    usageByDay: new UsageByDay({ store: usageStore(db), access, clock }),
    usages,
    workspaces,
  };
}

/** The blueprint, with a part of each feature that is attached to it. */
function snapshotsOf({ db, journal }: Ground, access: Access, features: Attached): Snapshots {
  const { blueprint, contextBindings, gearBindings, grants, instructions } = features;
  return new Snapshots({
    store: snapshotStore(db),
    access,
    journal,
    content: (id) => ({
      agents: blueprint.agentsOf(id),
      wires: blueprint.wiresOf(id),
      gear_bindings: gearBindings.ofWorkspace(id),
      instruction_bindings: instructions.bindingsOf(id),
      egress_grants: grants.ofWorkspace(id),
      context_bindings: contextBindings.of(id),
    }),
  });
}

interface Attached
  extends
    Pick<ReturnType<typeof buildGears>, "gearBindings">,
    Pick<ReturnType<typeof buildLibrary>, "instructions">,
    Pick<ReturnType<typeof buildMemory>, "contextBindings">,
    Pick<ReturnType<typeof buildEgress>, "grants"> {
  readonly blueprint: Blueprint;
}

function callModelOf(
  { clock, times = TRANSPORT_TIMES, callModel }: PartsOptions,
  checkAddress: Parameters<typeof createModelClient>[0]["checkAddress"],
): CallModel {
  return callModel ?? createModelClient({ clock, times, checkAddress });
}

/** Files of workspaces, and beside them the attachments, which no agent sees. */
function directoriesOf({ config, background, clock, log }: Ground, access: Access) {
  const deps = { data: config.data, access, background, clock, log };
  return {
    directories: new Directories(deps),
    attachmentDirectories: new Directories({ ...deps, folder: ATTACHMENTS_FOLDER }),
  };
}

/** Everything that waits for a person, in the order of the list. */
function approvalsOf({ gears, proposals, searches }: Pending): Approvals {
  return new Approvals([
    (caller, limit) => gears.approval.pending(caller, limit),
    (caller, limit) => proposals.approvals(caller, limit),
    (caller, limit) => searches.approvals(caller, limit),
  ]);
}

function decisionsOf(db: Db, access: Access): Decisions {
  const requireSight = (caller: Caller, workspaceId: number) => void access.workspace(caller, workspaceId);
  return new Decisions({ store: decisionStore(db), requireSight });
}

interface Pending
  extends
    Pick<ReturnType<typeof buildGears>, "gears">,
    Pick<ReturnType<typeof buildLibrary>, "proposals">,
    Pick<ReturnType<typeof buildEgress>, "searches"> {}

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
  return createSandbox(config, { environment, clock, log, background, installation, loopbackAdmin });
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
  ];
  return new Metrics({
    elapsed: () => clock.elapsed(),
    isBusy: () => turns.running > 0 || workers.load > 0,
    build: { version: version.version, commit: version.commit },
    readings,
  });
}
