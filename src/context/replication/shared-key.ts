// The key that seals stored secrets, the same on all nodes: a node with another one could not read what it takes over. The first node leaves a sealed
// value in the object storage, and every node has to open it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/error.ts";
import type { ObjectStorage } from "../../kit/object-storage/object-storage.ts";
import { SecretBox } from "../../kit/secrets/secret-box.ts";
import { secretsKeyPath } from "../config/directory.ts";
import type { ServerConfig } from "../config/schema.ts";
import { SERVER_DATABASE } from "./copied-files.ts";

const PLACE = "secrets-key-check";
const BYTES_MAX = 4_096;
const ABOUT = "replication";

export class SharedKey {
  readonly #storage: ObjectStorage;
  readonly #config: ServerConfig;
  #isProven = false;

  constructor(storage: ObjectStorage, config: ServerConfig) {
    this.#storage = storage;
    this.#config = config;
  }

  /** Raises `refused` for another key than that of the other nodes, `unavailable`. The first node with data creates the key if it has none. */
  async require(): Promise<void> {
    if (this.#isProven) return;
    const box = new SecretBox(secretsKeyPath(this.#config));
    const found = await this.#storage.get(PLACE, BYTES_MAX);
    if (found !== undefined) requireOpens(box, Buffer.from(found).toString("utf8"));
    else if (!existsSync(join(this.#config.directory, SERVER_DATABASE))) return;
    else if (!(await this.#storage.create(PLACE, Buffer.from(box.seal(ABOUT, ABOUT))))) return this.require();
    this.#isProven = true;
  }
}

function requireOpens(box: SecretBox, sealed: string): void {
  try {
    box.open(sealed, ABOUT);
  } catch {
    throw new AppError(
      "refused",
      `${box.path} is missing, or is not the key of the other nodes; copy the file from one of them, with its permissions`,
    );
  }
}
