// Stores the metadata of a space (name, template, rules) in its database as opaque text. `space.yaml` holds the same; the reader of both decides
// which one wins.

import type { Db } from "../../../kit/storage/db.ts";
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
