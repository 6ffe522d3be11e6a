// What a space is (its name, template, rules), kept in its database as text that the engine does not look into. The file beside it says the
// same; who reads both decides which one counts.

import type { Db } from "../../../kit/db.ts";
import type { MetadataKeeper, SpaceMetadata } from "../engine.ts";
import type { SpaceStore } from "./store.ts";

export class Metadata implements MetadataKeeper {
  readonly #db: Db;
  readonly #store: SpaceStore;

  constructor(db: Db, store: SpaceStore) {
    this.#db = db;
    this.#store = store;
  }

  get(): SpaceMetadata | null {
    return this.#store.metadata.get();
  }

  prove(): Promise<void> {
    return this.#db.prove();
  }

  set({ content, written, before }: SpaceMetadata, begin: () => void = () => {}): Promise<void> {
    return this.#db.write(() => {
      begin();
      this.#store.setMetadata.run(content, written, before);
    });
  }
}
