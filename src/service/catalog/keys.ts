// Keys of providers at rest: sealed with a key that lies in a file of its own (kit/secret-box.ts), so that a copied database holds none.

import type { Db } from "../../kit/db.ts";
import type { Log } from "../../kit/log.ts";
import { SecretBox } from "../../kit/secret-box.ts";
import { catalogStore } from "./store.ts";

export class ProviderKeys {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** What is stored for a key; empty for none. Raises `unavailable`, `invalid`: of the key file. */
  seal(key: string, providerId: number): string {
    return key === "" ? "" : this.#box.seal(key, about(providerId));
  }

  /** The key; empty for none. Raises `unavailable`, `invalid` when the key file is missing, wrong or unreadable. */
  open(stored: string, providerId: number): string {
    return stored === "" ? "" : this.#box.open(stored, about(providerId));
  }
}

/**
 * Seals what an earlier build stored in the clear, and rewrites the database, so that neither its free pages nor its log nor the copy that
 * the upgrade makes hold a key. Before the migration 009 and never later; can be repeated. Takes as long as copying the database.
 */
export function sealStoredKeys(db: Db, keyPath: string, log: Log): void {
  const store = catalogStore(db);
  const keys = new ProviderKeys(new SecretBox(keyPath));
  const clear = store.storedKeys.all().filter(({ api_key }) => !SecretBox.isSealed(api_key));
  db.writeNow(() => {
    for (const { id, api_key } of clear) store.setKey.run(keys.seal(api_key, id), id);
  });
  db.rewrite();
  if (clear.length === 0) return;
  log.warn(
    "provider keys are encrypted now; copies of the database that were made before hold them in the clear: delete those copies",
    { providers: clear.length },
  );
}

function about(providerId: number): string {
  return `provider:${providerId}`;
}
