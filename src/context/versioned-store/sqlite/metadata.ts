// What a space is (its name, template, rules), kept in its database as text that the engine does not look into. The file beside it says the
// same; who reads both decides which one counts.

import { openDatabase, type Db } from "../../../kit/db.ts";
import { SpaceStore, type MetadataRow } from "./store.ts";

export class Metadata {
  readonly #db: Db;
  readonly #store: SpaceStore;

  constructor(db: Db, store: SpaceStore) {
    this.#db = db;
    this.#store = store;
  }

  /** Null: a space that is half made, or one from before this was kept. */
  get(): MetadataRow | null {
    return this.#store.metadata.get();
  }

  /** See `Db.prove`. */
  prove(): Promise<void> {
    return this.#db.prove();
  }

  /** Durable when it resolves. `begin` is asked inside the transaction and raises what it raises. */
  set({ content, written, before }: MetadataRow, begin: () => void = () => {}): Promise<void> {
    return this.#db.write(() => {
      begin();
      this.#store.setMetadata.run(content, written, before);
    });
  }
}

/** Is there a space in this database, whose file was lost? Only for one that nobody has open. */
export function hasMetadata(path: string): boolean {
  const db = openDatabase(path);
  try {
    const store = new SpaceStore(db);
    return store.metadataTable.get() !== null && store.metadata.get() !== null;
  } finally {
    db.close();
  }
}
