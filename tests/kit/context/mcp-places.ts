// Spaces that `cairn mcp` serves in tests: a folder, and one of a server.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace } from "../../../src/context/space/local.ts";
import { cairnAt, type Cairn } from "../cli/cairn.ts";
import { temporaryFolder, type Folder } from "../folder.ts";
import { runContext } from "./running-context.ts";
import { localDeps } from "./space-doors.ts";

export interface Place extends AsyncDisposable, Pick<Cairn, "printed" | "data" | "cairn"> {
  readonly flags: readonly string[];
  /** The working tree. */
  readonly tree: string;
}

export async function inFolder(): Promise<Place> {
  const folder = await temporaryFolder();
  const tree = join(folder.path, "space");
  mkdirSync(tree);
  const space = await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps);
  await space.write("a.md", new TextEncoder().encode("one\n"), undefined);
  await space.close();
  return placed(tree, ["--dir", tree], folder);
}

export async function onServer(): Promise<Place> {
  const server = await runContext();
  const folder = await temporaryFolder();
  const token = await folder.write("token", server.bootstrap);
  await server.admin.write("a.md", "one\n");
  const flags = ["--server", server.url, "--token-file", token];
  return placed(join(server.directory, "spaces/team"), flags, folder, server);
}

function placed(tree: string, flags: readonly string[], ...under: (Folder | AsyncDisposable)[]): Place {
  return {
    ...cairnAt(flags),
    tree,
    flags,
    async [Symbol.asyncDispose]() {
      for (const one of under.toReversed()) await one[Symbol.asyncDispose]();
    },
  };
}
