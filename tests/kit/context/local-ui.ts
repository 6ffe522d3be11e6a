// `cairn ui` in this process: the same listener, key and pages as the command's, for a blank space in a fresh folder.

import { join } from "node:path";
import { openUi } from "../../../src/context/local-console.ts";
import type { BrowsedSpace } from "../../../src/context/space/door.ts";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import { admittedTo, type Visitor } from "./console.ts";
import { temporaryFolder } from "../folder.ts";
import { localDeps } from "./space-doors.ts";
import { atEnd } from "../at-end.ts";

export interface TestUi extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  readonly port: number;
  /** The folder of the space. */
  readonly tree: string;
  readonly idle: Promise<void>;
  newAddress(): string;
  /** A browser that has exchanged the key of a new address. */
  enter(): Promise<Visitor>;
  /** As another command does it, meanwhile. */
  inSpace<T>(work: (space: BrowsedSpace) => Promise<T>): Promise<T>;
}

interface TestUiOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly address?: "127.0.0.1" | "::1";
  readonly idleMs?: number;
}

export async function localUi(options: TestUiOptions = {}): Promise<TestUi> {
  const { files = {}, clock = localDeps.clock, address = "127.0.0.1", ...more } = options;
  const folder = await temporaryFolder();
  const tree = join(folder.path, "space");
  const deps = { ...localDeps, clock };
  const created = await createLocalSpace({ directory: tree, name: "main", template: "blank" }, deps);
  for (const [path, text] of Object.entries(files))
    await created.write(path, new TextEncoder().encode(text), undefined);
  await created.close();
  const running = await openUi({ directory: tree, deps, address, port: 0, ...more });
  const { port, idle, newAddress } = running;
  const url = `http://${address === "::1" ? "[::1]" : address}:${port}`;
  return {
    url,
    port,
    tree,
    idle,
    newAddress,
    async enter() {
      return admittedTo(newAddress());
    },
    async inSpace(work) {
      const space = await openLocalSpace(tree, deps);
      await using _ = atEnd(() => space.close());
      return await work(space);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
