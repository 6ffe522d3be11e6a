// Secrets of webhooks at rest: sealed with a key that lies in a file of its own (kit/secret-box.ts), so that a copied database or a backup
// signs nothing.

import type { Db } from "../../kit/db.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { SecretBox } from "../../kit/secret-box.ts";
import { webhookStore, type HookRow } from "./store.ts";

export class HookSecrets {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** What is stored for a secret. Raises `unavailable`, `invalid`: of the key file. */
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
        `its secret cannot be opened with ${this.#box.path}: restore that key file, or give the webhook a new secret (cairn webhook rotate-secret ${id})`,
      );
    }
  }

  /** Why nothing can be signed for the hook; null: it can. */
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
 * Seals what an earlier build stored in the clear, and rewrites the database, so that neither its free pages nor its log nor the copy that
 * the upgrade makes hold a secret. Before the migration 005 and never later; can be repeated. Takes as long as copying the database.
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
