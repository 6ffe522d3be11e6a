// Encrypts the secrets of webhooks at rest with a key from a separate file (kit/secret-box.ts), so that a copied database or a backup cannot sign
// anything.

import type { Db } from "../../kit/storage/db.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { SecretBox } from "../../kit/secrets/secret-box.ts";
import { webhookStore, type HookRow } from "./store.ts";

export class HookSecrets {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** Returns the stored form of a secret. Raises `unavailable` or `invalid` if the key file fails. */
  seal(secret: string, hook: number): string {
    return this.#box.seal(secret, about(hook));
  }

  /** Raises `unavailable`, `invalid` when the key file is missing, wrong or unreadable. */
  open({ id, secret }: Pick<HookRow, "id" | "secret">): string {
    try {
      return this.#box.open(secret, about(id));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        error.code,
        `cannot decrypt its secret with ${this.#box.path}; restore that key file, or replace the secret (cairn webhook rotate-secret ${id})`,
      );
    }
  }

  /** Returns why the hook cannot sign; null: it can. */
  problemOf(hook: HookRow): string | null {
    try {
      this.open(hook);
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.message;
    }
  }
}

/**
 * Seals the secrets that an earlier build stored in plain text, and rewrites the database, so that neither free pages nor the WAL nor the copy
 * made by the upgrade contains one. Runs only before migration 005. Idempotent. Takes as long as copying the database.
 */
export function sealStoredSecrets(db: Db, keyPath: string, log: Log): void {
  const store = webhookStore(db);
  const secrets = new HookSecrets(new SecretBox(keyPath));
  const clear = store.secrets.all().filter(({ secret }) => !SecretBox.isSealed(secret));
  db.writeNow(() => {
    for (const { id, secret } of clear) store.setSecret.run(secrets.seal(secret, id), id);
  });
  db.rewrite();
  if (clear.length === 0) return;
  log.warn(
    "webhook secrets are now encrypted; delete earlier copies of the database, which hold them in the clear",
    { webhooks: clear.length },
  );
}

function about(hook: number): string {
  return `webhook:${hook}`;
}
