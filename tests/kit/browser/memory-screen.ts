// A browser on a service with memory in a folder, where two workers have remembered something: three turns, one of them with a refused write.

import { join } from "node:path";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import { temporaryFolder } from "../folder.ts";
import { call, say } from "../model/index.ts";
import { screen } from "./screen.ts";
import { localDeps } from "../context/space-doors.ts";
import { atEnd } from "../at-end.ts";

export const FACTS = "shared/facts.md";

export async function memoryScreen() {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const created = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  const text = (content: string) => new TextEncoder().encode(content);
  await created.write("team/style.md", text("# Style\n\nBe brief.\n"), null);
  await created.write("team/glossary.md", text("# Glossary\n\nTide: the sea that comes and goes.\n"), null);
  await created.close();
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory: { space: directory } }));
  const at = await screen({
    workers: ["scout", "clerk"],
    people: { ann: "member", bob: "member" },
    args: ["--config", config],
    under: [folder],
  });
  const { branch } = await at.admin.get(at.own);
  const write = (name: string, content: string, version: number) =>
    call("memory_write", { name, content, version });
  const ask = async (worker: string, ...calls: ReturnType<typeof call>[]) => {
    at.model
      .script("boss", [call("delegate", { agent: worker, task: "Do it." }), say("Done.")])
      .script(worker, [...calls, say("Done.")]);
    await at.chat(`Ask ${worker}.`);
  };
  await ask(
    "scout",
    write(FACTS, "# Facts\n\n- The sea is cold.\n- The ship is old.\n", 0),
    write("mine/log.md", "Day 1.\n", 0),
  );
  await ask(
    "clerk",
    call("memory_list"),
    call("memory_search", { query: "sea" }),
    call("memory_read", { name: FACTS }),
    write(FACTS, "# Facts\n\n- The sea is cold and wide.\n- The ship is old.\n", 1),
  );
  await ask(
    "scout",
    write(FACTS, "# Facts\n\n- The sea is warm.\n", 1),
    write("shared/key.md", "AKIAQWERTYUIOPASDFGH", 0),
  );
  const agents = await at.admin.get(`${at.own}/agents`);
  return Object.assign(at, {
    branch,
    scoutId: agents.find(({ name }) => name === "scout")!.id,
    ask,
    write,
    /** Opens the space for one piece of work, as a person's command does. */
    async space<T>(work: (space: SpaceDoor) => Promise<T>): Promise<T> {
      const space = await openLocalSpace(directory, localDeps);
      await using _ = atEnd(() => space.close());
      return await work(space);
    },
  });
}

/** A browser on a service that looks for its space in a folder where there is none yet. */
export async function emptyMemoryScreen() {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory: { space: directory } }));
  const at = await screen({ model: true, args: ["--config", config], under: [folder] });
  return Object.assign(at, {
    createSpace: async () =>
      (await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps)).close(),
  });
}
