// Builds every part of the service, explicitly and in order. Adding a feature means adding its lines here and in server.ts.

import { Background } from "../kit/background.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../kit/db.ts";
import { Streams } from "../kit/http/sse.ts";
import type { Log } from "../kit/log.ts";
import { AttemptLimit } from "../kit/rate.ts";
import { Audit } from "./audit/audit.ts";
import { Blueprint } from "./blueprint/blueprint.ts";
import { BlueprintStore } from "./blueprint/store.ts";
import { blueprintTools } from "./blueprint/tools.ts";
import { systemResolve, type OwnListener } from "./catalog/addresses.ts";
import { Models } from "./catalog/models.ts";
import { Providers } from "./catalog/providers.ts";
import { CatalogStore } from "./catalog/store.ts";
import { Conversation } from "./conversation/conversation.ts";
import { SentPrompts } from "./conversation/records.ts";
import { ConversationStore } from "./conversation/store.ts";
import { Journal } from "./journal/journal.ts";
import { createModelClient } from "./llm/client.ts";
import { TRANSPORT_TIMES, type TransportTimes } from "./llm/transport.ts";
import { Authentication } from "./people/authentication.ts";
import { LOGIN_ATTEMPTS_PER_MINUTE } from "./people/schema.ts";
import { PeopleStore } from "./people/store.ts";
import { Teams } from "./people/teams.ts";
import { Users } from "./people/users.ts";
import { ToolRegistry } from "./tools/registry.ts";
import { delegateTools } from "./turns/delegate-tool.ts";
import { Engine } from "./turns/engine.ts";
import { Inspection } from "./turns/inspection.ts";
import { Openings } from "./turns/openings.ts";
import { Recorder } from "./turns/recorder.ts";
import { TurnStore } from "./turns/store.ts";
import { Turns } from "./turns/turns.ts";
import { Viewing } from "./turns/viewing.ts";
import { UsageStore } from "./usage/store.ts";
import { Usages } from "./usage/usage.ts";
import { Access } from "./workspaces/access.ts";
import { WorkspaceStore } from "./workspaces/store.ts";
import { Workspaces } from "./workspaces/workspaces.ts";

export interface PartsOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** Known once the socket is bound. */
  ownListener: OwnListener;
  times?: TransportTimes;
}

export type Parts = ReturnType<typeof buildParts>;

export function buildParts({ db, clock, log, ownListener, times = TRANSPORT_TIMES }: PartsOptions) {
  const background = new Background(log);
  const streams = new Streams();
  const journal = new Journal(db, clock, log);
  const audit = new Audit(db, clock);
  const rightsChanged = () => journal.recheck();

  const peopleStore = new PeopleStore(db);
  const authentication = new Authentication(peopleStore, db, clock, log);
  const loginLimit = new AttemptLimit(clock, LOGIN_ATTEMPTS_PER_MINUTE);
  const users = new Users({
    db,
    store: peopleStore,
    authentication,
    audit,
    clock,
    loginLimit,
    rightsChanged,
  });
  const teams = new Teams({ db, store: peopleStore, audit, clock, rightsChanged });

  const catalogStore = new CatalogStore(db);
  const providers = new Providers({
    db,
    store: catalogStore,
    audit,
    clock,
    ownListener,
    resolve: systemResolve,
    fetch,
  });
  const models = new Models({ db, store: catalogStore, audit, clock });

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
  });
  const workspaces = new Workspaces({
    db,
    store: workspaceStore,
    access,
    blueprint,
    models,
    teams,
    journal,
    audit,
    clock,
  });

  const conversationStore = new ConversationStore(db);
  const conversation = new Conversation({ db, store: conversationStore, access, journal, clock });
  const prompts = new SentPrompts(conversationStore);
  const workspaceBudget = (id: number) => workspaces.budgetOf(id);
  const usages = new Usages({ store: new UsageStore(db), access, blueprint, workspaceBudget, clock });

  const registry = new ToolRegistry([blueprintTools(blueprint, models), delegateTools]);
  const callModel = createModelClient({
    clock,
    times,
    checkAddress: (url) => providers.checkProviderAddress(url),
  });
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
    say: ({ row }, kind, text) =>
      journal.transient(row.workspace_id, row.turn_id, "delta", {
        run_id: row.id,
        agent_id: row.agent_id,
        kind,
        text,
      }),
  });
  const openings = new Openings({ store: turnStore, conversation, blueprint, journal, clock });
  const turns = new Turns({
    db,
    store: turnStore,
    openings,
    engine,
    blueprint,
    access,
    authentication,
    journal,
    background,
    clock,
    log,
  });
  const viewing = new Viewing({ journal, store: turnStore, turns, access, authentication });
  const inspection = new Inspection({
    store: turnStore,
    prompts,
    conversation,
    blueprint,
    engine,
    turns,
    access,
  });

  return {
    db,
    background,
    streams,
    journal,
    audit,
    authentication,
    users,
    teams,
    providers,
    models,
    access,
    blueprint,
    workspaces,
    conversation,
    usages,
    turns,
    viewing,
    inspection,
  };
}
