// Encrypts provider keys at rest with a key from a separate file (kit/secret-box.ts), so that a copy of the database reveals none.

import type { Db } from "../../kit/storage/db.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { SecretBox } from "../../kit/secrets/secret-box.ts";
import { catalogStore } from "./store.ts";

export class ProviderKeys {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** Returns the sealed form to store; empty for no key. Raises `unavailable` or `invalid` for problems with the key file. */
  seal(key: string, providerId: number): string {
    return key === "" ? "" : this.#box.seal(key, about(providerId));
  }

  /** Returns the key; empty for none. Raises `unavailable` or `invalid` when the key file is missing, wrong or unreadable. */
  open(stored: string, providerId: number): string {
    return stored === "" ? "" : this.#box.open(stored, about(providerId));
  }

  /** As `open`, for a call whose error everyone in the workspace reads: the error does not contain the path of the key file. */
  openForCall(stored: string, provider: { readonly id: number; readonly name: string }): string {
    try {
      return this.open(stored, provider.id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        error.code,
        `the stored key of provider "${provider.name}" cannot be read; an admin sees the reason by testing the provider under Models`,
      );
    }
  }
}

/**
 * Seals keys that an earlier build stored in the clear, and rewrites the database, so that neither its free pages, nor its log, nor the
 * upgrade's backup contain a key. Runs before migration 009, never later; idempotent. Takes as long as copying the database.
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
    "provider keys are now encrypted; delete earlier copies of the database, which hold them in the clear",
    { providers: clear.length },
  );
}

function about(providerId: number): string {
  return `provider:${providerId}`;
}
