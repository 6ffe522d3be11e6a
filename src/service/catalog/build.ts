// Builds the catalog feature: providers with their keys, and models.

import { SecretBox } from "../../kit/secrets/secret-box.ts";
import type { Ground } from "../ground.ts";
import { systemResolve } from "../../kit/network/outbound.ts";
import type { OwnListener } from "./addresses.ts";
import { hasHttpProxy } from "./destination.ts";
import { ProviderKeys } from "./keys.ts";
import { Models, type ModelsDeps } from "./models.ts";
import { Providers } from "./providers.ts";
import { catalogStore } from "./store.ts";

interface CatalogNeeds extends Pick<ModelsDeps, "agentsWith"> {
  /** Known once the socket is bound. */
  readonly ownListener: OwnListener;
}

export function buildCatalog(
  { db, clock, config, environment, audit }: Ground,
  { ownListener, agentsWith }: CatalogNeeds,
) {
  const store = catalogStore(db);
  const keys = new ProviderKeys(new SecretBox(config.secretsKey));
  const outside = { ownListener, resolve: systemResolve, hasProxy: hasHttpProxy(environment), fetch };
  const providers = new Providers({ db, store, keys, audit, clock, ...outside });
  const models = new Models({ db, store, keys, audit, clock, agentsWith });
  return { providers, models };
}
