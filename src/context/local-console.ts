// Builds `cairn ui` from its parts: the space of this machine, the pages of the console that are about one space, the key and the listener.

import type { Clock } from "../kit/clock.ts";
import { Background } from "../kit/concurrency/background.ts";
import type { WorkerPool } from "../kit/workers/pool.ts";
import type { Area } from "./console/area.ts";
import { Console } from "./console/console.ts";
import { conflictsArea } from "./console/areas/conflict-routes.ts";
import { documentsArea } from "./console/areas/document-routes.ts";
import { foldersArea } from "./console/areas/folder-routes.ts";
import { freshnessArea } from "./console/areas/freshness-routes.ts";
import { graphArea } from "./console/areas/graph-routes.ts";
import { historyArea } from "./console/areas/history-routes.ts";
import { overviewArea } from "./console/areas/overview-routes.ts";
import { Rendering } from "./console/rendering.ts";
import { snapshotsArea } from "./console/areas/snapshot-routes.ts";
import { spacesArea } from "./console/areas/space-routes.ts";
import type { SpaceSource } from "./console/space-source.ts";
import { Pictures } from "./graph/pictures.ts";
import { TreeWatch } from "./replica/watch.ts";
import { LentSpace } from "./space/lent.ts";
import { openLocalSpace, type LocalSpaceDeps } from "./space/local.ts";
import { localCaller } from "./identity/caller.ts";
import { TreeMemory } from "./versioned-store/tree-memory.ts";
import { contextWorkers } from "./worker-pool.ts";
import type { LoopbackAddress } from "./local-ui/address.ts";
import { LocalUiDoor } from "./local-ui/door.ts";
import { Entry } from "./local-ui/entry.ts";
import { entryArea } from "./local-ui/entry-routes.ts";
import { serveUi, type RunningUi } from "./local-ui/host.ts";
import { LookingAhead } from "./local-ui/looking-ahead.ts";
import { localSource } from "./local-ui/local-source.ts";

interface LocalUiOptions {
  /** Of the space. */
  readonly directory: string;
  readonly deps: LocalSpaceDeps;
  readonly address: LoopbackAddress;
  /** 0: a free one. */
  readonly port: number;
  /** Only tests override it. */
  readonly idleMs?: number;
}

interface LocalUi extends RunningUi {
  readonly space: string;
  /** The folder. */
  readonly place: string;
}

interface UiParts {
  readonly entry: Entry;
  readonly onEntered: () => void;
  readonly source: SpaceSource;
  readonly workers: WorkerPool;
  readonly clock: Clock;
}

/** Every page of `cairn ui`. */
export function uiAreas({ entry, onEntered, source, workers, clock }: UiParts): Area[] {
  return [
    entryArea(entry, onEntered),
    overviewArea(source),
    foldersArea(source),
    documentsArea(source, new Rendering(workers)),
    historyArea(source),
    conflictsArea(source),
    snapshotsArea(source),
    spacesArea(source),
    graphArea(source, new Pictures(workers)),
    freshnessArea(source, clock),
  ];
}

/** Raises what opening the space raises, before anything listens, and `conflict` if the port is in use. */
export async function openUi({ directory, deps, ...listening }: LocalUiOptions): Promise<LocalUi> {
  const { clock, log, person } = deps;
  const background = new Background(log);
  const watch = new TreeWatch(log, () => ahead.changed());
  const memory = new TreeMemory({
    clock,
    watch,
    onRecall: (what) => ahead.read(what),
    later: (look) => background.run("look at a folder", () => lent.use(look)),
  });
  const lent = new LentSpace(() => openLocalSpace(directory, { ...deps, memory }), clock);
  const ahead = new LookingAhead({
    clock,
    use: (work) => lent.use(work),
    later: (work) => background.run("look at a changed folder", work),
  });
  const { space, place } = await lent.use(async ({ name, place: folder }) => ({
    space: name,
    place: folder,
  }));
  watch.start(directory);
  const workers = contextWorkers();
  const source = localSource(lent, directory);
  const entry = new Entry(clock);
  const areas = uiAreas({ entry, onEntered: () => ahead.entered(), source, workers, clock });
  const pages = new Console({ areas, door: new LocalUiDoor(entry, localCaller(person)), log });
  const release = async () => {
    watch.stop();
    await background.ended();
    workers.close();
    await lent.close();
  };
  try {
    const running = serveUi({
      ...listening,
      entry,
      pages: (request, exchange) => pages.handle(request, exchange),
      log,
    });
    const stop = async () => {
      await running.stop();
      await release();
    };
    return { ...running, space, place, stop };
  } catch (error) {
    await release();
    throw error;
  }
}
