// Builds the search feature, and the background work that keeps its index up to date.

import type { Directories } from "../files/directories.ts";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { FileLooks } from "./file-looks.ts";
import { Indexing } from "./indexing.ts";
import { Search } from "./search.ts";
import { searchStore } from "./store.ts";

export function buildSearch(ground: Ground, access: Access, directories: Directories) {
  const { db, workers, background, clock, log } = ground;
  const store = searchStore(db);
  const directoryOf = (workspaceId: number) => directories.pathOf(workspaceId);
  const indexing = new Indexing({ db, store, workers, background, directoryOf });
  const withFiles = () => directories.existing();
  const looks = new FileLooks({ db, store, workers, background, clock, log, directoryOf, withFiles });
  return {
    search: new Search({ store, access, indexing, looks, clock }),
    searchIndex: {
      start: () => (indexing.start(), looks.look()),
      stop: () => (indexing.stop(), looks.stop()),
    },
  };
}
