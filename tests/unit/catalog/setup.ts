// Sets up a catalog with its own database, its callers, and small HTTP servers as providers.

import { join } from "node:path";
import { systemClock } from "../../../src/kit/clock.ts";
import type { Db } from "../../../src/kit/storage/db.ts";
import { SecretBox } from "../../../src/kit/secrets/secret-box.ts";
import { Audit } from "../../../src/service/audit/audit.ts";
import { ProviderKeys } from "../../../src/service/catalog/keys.ts";
import { Models } from "../../../src/service/catalog/models.ts";
import { Providers, type ProvidersDeps } from "../../../src/service/catalog/providers.ts";
import { blueprintStore } from "../../../src/service/blueprint/store.ts";
import { catalogStore } from "../../../src/service/catalog/store.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { testDatabase } from "../../kit/database.ts";
import { admin } from "../../kit/service/callers.ts";

export interface Catalog extends AsyncDisposable {
  db: Db;
  providers: Providers;
  models: Models;
  /** The action and detail of every audit record, oldest first. */
  decisions(): Promise<{ action: string; target: string; detail: unknown }[]>;
  /** Inserts an agent that uses the model, and returns its id. */
  addAgent(modelId: number): number;
  removeAgent(id: number): void;
}

export async function openCatalog(changes: Partial<ProvidersDeps> = {}): Promise<Catalog> {
  const made = await testDatabase(migrations);
  const { db, folder } = made;
  const store = catalogStore(db);
  const audit = new Audit(db, systemClock);
  const network = {
    ownListener: () => undefined,
    resolve: () => Promise.reject(new Error("no such host")),
    hasProxy: false,
    fetch,
  };
  const keyFile = join(folder.path, "secrets.key");
  const keys = new ProviderKeys(new SecretBox(keyFile));
  const deps = { db, store, keys, audit, clock: systemClock };
  return {
    db,
    providers: new Providers({ ...deps, ...network, ...changes }),
    models: new Models({
      ...deps,
      agentsWith: (id, limit) => ({
        count: blueprintStore(db).countWithModel.get(id)!.count,
        first: blueprintStore(db).firstWithModel.all(id, limit),
      }),
    }),
    decisions: async () =>
      (await audit.list(admin, { limit: 500 }))
        .map(({ action, target, detail }) => ({ action, target, detail }))
        .toReversed(),
    ...agentsOf(db),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

function agentsOf(db: Db): Pick<Catalog, "addAgent" | "removeAgent"> {
  const addUser = db.query(
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'a', 'a', 'admin', 0)",
  );
  const addWorkspace = db.query(
    `INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
     VALUES (1, 'w', 'w', '', 'b', 'b/shared', 1, 0)`,
  );
  const add = db.query<{ id: number }, [number]>(
    `INSERT INTO agents (workspace_id, name, name_key, role, model_id, orchestrator, x, y, created_at)
     SELECT 1, 'a' || (count(*) + 1), 'a' || (count(*) + 1), '', ?, 0, 0, 0, 0 FROM agents RETURNING id`,
  );
  db.writeNow(() => (addUser.run(), addWorkspace.run()));
  return {
    addAgent: (modelId) => db.writeNow(() => add.get(modelId)!.id),
    removeAgent: (id) => db.exec(`UPDATE agents SET removed_at = 1 WHERE id = ${id}`),
  };
}

export interface Stub extends AsyncDisposable {
  url: string;
  port: number;
  requests: Request[];
}

/** Starts a provider that responds with `answer` and records its requests. */
export function startStub(answer: (request: Request) => Response | Promise<Response>): Stub {
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      requests.push(request);
      return answer(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port!,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
