// The spaces that pages show: those of a server, or the one of a folder on this machine. A page uses a space for one piece of work.

import type { Caller } from "../identity/caller.ts";
import type { BrowsedSpace } from "../space/door.ts";
import type { SpaceList } from "../spaces/open-space.ts";

export interface SpaceSource {
  list(caller: Caller): Promise<SpaceList>;
  /** Raises `not_found` for a space that does not exist or that the caller may not see, and what `work` raises. */
  use<T>(caller: Caller, name: string, work: (space: BrowsedSpace) => Promise<T>): Promise<T>;
}
