// Memory for tests of size: a service's data gets a space with many documents, most of them in the memory of one workspace.

import { join } from "node:path";
import { createLocalSpace } from "../../../src/context/space/local.ts";
import { MEMORY_DOCUMENT_BYTES_MAX } from "../../../src/service/memory/schema.ts";
import { localDeps } from "../context/space-doors.ts";

const DOCUMENTS = 2_000;
/** In the branch: more versions than an answer lists. */
export const BUSY = "shared/busy.md";
const VERSIONS = 520;

/** Before the service starts. `large.md` is half as large as a document may be. */
export async function addMemory(data: string, branch: string): Promise<void> {
  const directory = join(data, "space");
  for (let index = 0; index < DOCUMENTS; index += 1)
    await Bun.write(join(directory, branch, "shared", `note-${index}.md`), `note ${index}\n`.repeat(50));
  const space = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  await space.adopt();
  await space.write(
    "large.md",
    new TextEncoder().encode("word ".repeat(MEMORY_DOCUMENT_BYTES_MAX / 10)),
    null,
  );
  for (let version = 0; version < VERSIONS; version += 1)
    await space.write(`${branch}/${BUSY}`, new TextEncoder().encode(`text ${version}`), undefined);
  await space.close();
  await Bun.write(join(data, "config.yaml"), Bun.YAML.stringify({ memory: { space: directory } }));
}
