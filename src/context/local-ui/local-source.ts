// The space of this machine for the pages of the console. It is opened for one piece of work at a time, so that other commands go on working.

import { notFound } from "../../kit/error.ts";
import type { SpaceSource } from "../console/space-source.ts";
import type { LentSpace } from "../space/lent.ts";
import type { BrowsedSpace } from "../space/door.ts";

export function localSource(lent: LentSpace<BrowsedSpace>): SpaceSource {
  return {
    list: () => lent.use(async (space) => ({ spaces: [await space.record()], unopened: [] })),
    use: (_caller, name, work) =>
      lent.use((space) => {
        if (name !== space.name) throw notFound("space", name);
        return work(space);
      }),
  };
}
