// Builds every part of the service, explicitly and in order. Adding a feature means adding its lines here and in server.ts.

import { Background } from "../kit/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/db.ts";
import { Health, probeDirectory } from "../kit/health.ts";
import type { Environment } from "../kit/environment.ts";
import { ClientAddresses } from "../kit/http/client-address.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Log } from "../kit/log.ts";
import { counter, gauge, Metrics } from "../kit/metrics/metrics.ts";
import { SYSTEM_NETWORK, type Network } from "../kit/outbound.ts";
import { AttemptLimit } from "../kit/rate.ts";
import { SecretBox } from "../kit/secret-box.ts";
import { version } from "../kit/version.ts";
import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";
import { Approvals } from "./approvals/approvals.ts";
import { Audit } from "./audit/audit.ts";
import { Refusals } from "./audit/refusals.ts";
import { Blueprint } from "./blueprint/blueprint.ts";
import { BlueprintStore } from "./blueprint/store.ts";
import { blueprintTools } from "./blueprint/tools.ts";
import { systemResolve, type OwnListener } from "./catalog/addresses.ts";
import { ProviderKeys } from "./catalog/keys.ts";
import { Models } from "./catalog/models.ts";
import { Providers } from "./catalog/providers.ts";
import { CatalogStore } from "./catalog/store.ts";
import { isLoopbackAdmin } from "./config/config.ts";
import type { Config } from "./config/schema.ts";
import { Conversation } from "./conversation/conversation.ts";
import { SentPrompts } from "./conversation/records.ts";
import { ConversationStore } from "./conversation/store.ts";
import { TokenCounts } from "./conversation/tokens.ts";
import { Grants } from "./egress/grants.ts";
import { Locks } from "./egress/locks.ts";
import { BraveSearch } from "./egress/search-client.ts";
import { Searches } from "./egress/searches.ts";
import { EgressStore } from "./egress/store.ts";
import { egressTools } from "./egress/tools.ts";
import { Directories } from "./files/directories.ts";
import { Files } from "./files/files.ts";
import { FilesStore } from "./files/store.ts";
import { fileTools } from "./files/tools.ts";
import { Announcements } from "./gears/announcements.ts";
import { BindingStore } from "./gears/binding-store.ts";
import { GearBindings } from "./gears/bindings.ts";
import { Gears } from "./gears/gears.ts";
import { RunStore } from "./gears/run-store.ts";
import { GearRuns } from "./gears/runs.ts";
import { GearStore } from "./gears/store.ts";
import { gearTools } from "./gears/tools.ts";
import { Journal } from "./journal/journal.ts";
import { Instructions } from "./library/instructions.ts";
import { ProposalStore } from "./library/proposal-store.ts";
import { Proposals } from "./library/proposals.ts";
import { LibraryStore } from "./library/store.ts";
import { libraryTools } from "./library/tools.ts";
import { createModelClient } from "./llm/client.ts";
import { TRANSPORT_TIMES, type TransportTimes } from "./llm/transport.ts";
import { Authentication } from "./people/authentication.ts";
import { ServiceDoor } from "./people/door.ts";
import { LOGIN_ATTEMPTS_PER_MINUTE } from "./people/schema.ts";
import { PeopleStore } from "./people/store.ts";
import { Teams } from "./people/teams.ts";
import { Users } from "./people/users.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { DockerCommand } from "./sandbox/docker-client.ts";
import { DEFAULT_IMAGES } from "./sandbox/images.ts";
import { createSandbox } from "./sandbox/choice.ts";
import { installationName } from "./sandbox/store.ts";
import { Shells } from "./terminal/shells.ts";
import { Terminals } from "./terminal/terminals.ts";
import { ToolRegistry } from "./tools/registry.ts";
import { delegateTools } from "./turns/delegate-tool.ts";
import { Engine } from "./turns/engine.ts";
import { resumedEnds } from "./turns/events.ts";
import { Inspection } from "./turns/inspection.ts";
import { Openings } from "./turns/openings.ts";
import { Recorder } from "./turns/recorder.ts";
import { Standing } from "./turns/standing.ts";
import { Steps } from "./turns/steps.ts";
import { TurnStore } from "./turns/store.ts";
import { Turns } from "./turns/turns.ts";
import { Viewing } from "./turns/viewing.ts";
import { UsageStore } from "./usage/store.ts";
import { Usages } from "./usage/usage.ts";
import { Access } from "./workspaces/access.ts";
import { WorkspaceStore } from "./workspaces/store.ts";
import { Workspaces, type WorkspaceFollower } from "./workspaces/workspaces.ts";

/** From the root of the repository; release/build.ts compiles it in. */
const WORKER_ENTRY = "src/service/worker.ts";

export interface PartsOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** Known once the socket is bound. */
  ownListener: OwnListener;
  times?: TransportTimes;
  config: Config;
  environment: Environment;
  /** Where gears run. */
  sandbox?: Sandbox;
  /** Another one than the system's in tests only. */
  network?: Network;
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts(options: PartsOptions) {
  const { db, clock, log, ownListener, config, environment } = options;
  const { times = TRANSPORT_TIMES, network = SYSTEM_NETWORK } = options;
  const background = new Background(log);
  const workers = new WorkerPool(() => openWorker(WORKER_ENTRY));
  const installation = installationName(db);
  const sandbox =
    options.sandbox ??
    createSandbox(config, {
      environment: options.environment,
      clock,
      log,
      // Its own: its stop waits for its own work, and is itself work of the service's.
      background: new Background(log),
      installation,
      loopbackAdmin: isLoopbackAdmin(config),
    });
  const streams = new Streams();
  const journal = new Journal({ db, clock, log, superseded: resumedEnds });
  const audit = new Audit(db, clock);
  const refusals = new Refusals({ db, audit, background });
  const rightsChanged = () => journal.recheck();

  const peopleStore = new PeopleStore(db);
  const addresses = new ClientAddresses("trusted_proxies", config.trustedProxies);
  const authentication = new Authentication(peopleStore, db, clock, log, addresses);
  const door = new ServiceDoor(authentication);
  const loginLimit = new AttemptLimit(clock, LOGIN_ATTEMPTS_PER_MINUTE);
  const users = new Users({
    db,
    store: peopleStore,
    authentication,
    audit,
    clock,
    refusals,
    loginLimit,
    rightsChanged,
    revoked: (revocation) => standing.revoke(revocation),
  });
  const teams = new Teams({ db, store: peopleStore, audit, clock, rightsChanged });

  const catalogStore = new CatalogStore(db);
  const keys = new ProviderKeys(new SecretBox(config.secretsKey));
  const providers = new Providers({
    db,
    store: catalogStore,
    keys,
    audit,
    clock,
    ownListener,
    resolve: systemResolve,
    fetch,
  });
  const models = new Models({ db, store: catalogStore, keys, audit, clock });

  const workspaceStore = new WorkspaceStore(db);
  const access = new Access(workspaceStore);
  const blueprint = new Blueprint({
    db,
    store: new BlueprintStore(db),
    access,
    models,
    journal,
    audit,
    clock,
    attachments: (id) => ({
      gear_bindings: gearBindings.ofWorkspace(id),
      instruction_bindings: instructions.bindingsOf(id),
      egress_grants: grants.ofWorkspace(id),
    }),
  });
  const directories = new Directories({
    data: config.data,
    store: new FilesStore(db),
    background,
    clock,
    log,
  });
  const files = new Files({ db, access, journal, audit, directories });
  const instructions = new Instructions({
    db,
    store: new LibraryStore(db),
    access,
    blueprint,
    journal,
    audit,
    clock,
  });
  const proposals = new Proposals({
    db,
    store: new ProposalStore(db),
    instructions,
    access,
    journal,
    audit,
    clock,
  });
  const followers: WorkspaceFollower[] = [
    { removed: (id) => background.run("removal of files", () => files.removeAll(id)) },
    { cloned: (from) => instructions.bindingsCopyOf(from) },
    { cloned: (from) => gearBindings.copyOf(from) },
    { removed: () => terminals.recheck() },
  ];
  const workspaces = new Workspaces({
    db,
    store: workspaceStore,
    access,
    blueprint,
    models,
    teams,
    journal,
    audit,
    background,
    log,
    clock,
    followers,
  });

  const conversationStore = new ConversationStore(db);
  const conversation = new Conversation({ db, store: conversationStore, access, journal, audit, clock });
  const prompts = new SentPrompts(conversationStore);
  const workspaceBudget = workspaces.budgetOf.bind(workspaces);
  const usages = new Usages({ store: new UsageStore(db), access, blueprint, workspaceBudget, clock });

  const egressStore = new EgressStore(db);
  const locks = new Locks(egressStore, config.egress);
  const searches = new Searches({
    db,
    store: egressStore,
    access,
    journal,
    audit,
    background,
    clock,
    log,
    locks,
    client: new BraveSearch(network, config.egressKey, log),
  });
  const grants = new Grants({
    db,
    store: egressStore,
    access,
    blueprint,
    journal,
    audit,
    clock,
    locks,
    searches,
  });

  const gearStore = new GearStore(db);
  const bindingStore = new BindingStore(db);
  const announcements = new Announcements({ bindings: bindingStore, journal, isolation: sandbox });
  const gears = new Gears({
    db,
    store: gearStore,
    bindings: bindingStore,
    access,
    announcements,
    audit,
    clock,
    isolation: sandbox,
  });
  const gearBindings = new GearBindings({
    db,
    store: bindingStore,
    gears,
    access,
    blueprint,
    journal,
    audit,
    clock,
  });
  const readWorkspaceFile = files.readWorkspaceFile.bind(files);
  const gearRuns = new GearRuns({
    db,
    store: new RunStore(db),
    gearStore,
    gears,
    bindings: gearBindings,
    access,
    workspaces,
    audit,
    clock,
    sandbox,
    readWorkspaceFile,
  });
  const approvals = new Approvals([
    (caller, limit) => gears.approvals(caller, limit),
    (caller, limit) => proposals.approvals(caller, limit),
    (caller, limit) => searches.approvals(caller, limit),
  ]);

  const docker = new DockerCommand(environment);
  const shells = new Shells({
    docker,
    image: config.sandboxImages.bash ?? DEFAULT_IMAGES.bash,
    installation,
    log,
  });
  const terminals = new Terminals({
    db,
    access,
    authentication,
    audit,
    files,
    sandbox,
    shells,
    background,
    clock,
    on: config.terminal,
  });
  journal.whenRightsChange(() => terminals.recheck());

  const registry = new ToolRegistry([
    blueprintTools(blueprint, models),
    delegateTools,
    fileTools(files),
    libraryTools(instructions, proposals),
    egressTools(locks, searches),
    gearTools({ gears, bindings: gearBindings, runs: gearRuns, blueprint, isolation: sandbox }),
  ]);
  const checkAddress = (url: string) => providers.checkProviderAddress(url);
  const callModel = createModelClient({ clock, times, checkAddress });
  const turnStore = new TurnStore(db);
  const recorder = new Recorder({ db, turns: turnStore, prompts, conversation, journal, usages, clock });
  const engine = new Engine({
    recorder,
    callModel,
    registry,
    models,
    blueprint,
    usages,
    clock,
    log,
    instructionsFor: (workspaceId, agentId) => instructions.instructionsFor(workspaceId, agentId),
    say: ({ row }, kind, text) =>
      journal.transient(row.workspace_id, row.turn_id, "delta", {
        run_id: row.id,
        agent_id: row.agent_id,
        kind,
        text,
      }),
  });
  const openings = new Openings({ store: turnStore, conversation, blueprint, journal, clock });
  const standing = new Standing({ store: turnStore, authentication, access });
  const turns = new Turns({
    db,
    store: turnStore,
    openings,
    engine,
    blueprint,
    access,
    standing,
    background,
    clock,
    log,
  });
  journal.whenRightsChange(() => turns.recheck());
  const viewing = new Viewing({ journal, store: turnStore, turns, access, authentication });
  const inspection = new Inspection({
    store: turnStore,
    prompts,
    counts: new TokenCounts(workers),
    conversation,
    blueprint,
    engine,
    turns,
    access,
  });
  const steps = new Steps({ store: turnStore, turns, gearRuns: (turnId) => gearRuns.ofTurn(turnId) });

  const metrics = new Metrics({
    elapsed: () => clock.elapsed(),
    isBusy: () => turns.running > 0 || workers.load > 0,
    build: { version: version.version, commit: version.commit },
    readings: [
      gauge("service_sse_clients", "Event streams that are open", () => streams.size),
      gauge("service_worker_jobs", "Work that worker threads do or that waits for them", () => workers.load),
      gauge("service_turns_running", "Turns that run", () => turns.running),
      counter("service_model_calls_total", "Model calls that are over", () => recorder.counts.calls),
      counter(
        "service_model_input_tokens_total",
        "Tokens that models read, as providers reported them",
        () => recorder.counts.inputTokens,
      ),
      counter(
        "service_model_output_tokens_total",
        "Tokens that models wrote, as providers reported them",
        () => recorder.counts.outputTokens,
      ),
    ],
  });
  const health = new Health(clock, [
    { what: "database", write: () => db.prove() },
    { what: "disk", write: () => probeDirectory(config.data) },
  ]);

  return {
    db,
    health,
    background,
    metrics,
    workers,
    streams,
    journal,
    audit,
    refusals,
    addresses,
    authentication,
    door,
    users,
    teams,
    providers,
    models,
    access,
    blueprint,
    workspaces,
    directories,
    files,
    instructions,
    proposals,
    conversation,
    usages,
    turns,
    viewing,
    inspection,
    steps,
    grants,
    searches,
    terminals,
    gears,
    gearBindings,
    gearRuns,
    approvals,
    sandbox,
    isolation: sandbox,
  };
}
