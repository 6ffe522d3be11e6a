// Proof: `kill -9` at any moment of `cairn sync` on two machines loses no saved line, and both machines end with what the server has.

import { join } from "node:path";
import { binaryPath } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { replica, type Replica } from "../kit/context/replica.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

const FILES = 8;
/** How long a sync runs before it is killed, in ms. */
const LIFE_MS = { min: 5, max: 250 };
const KILLS_PER_LOOK = 10;
const SETTLE_ROUNDS_MAX = 6;

interface Machine {
  readonly name: string;
  readonly copy: Replica;
}

export async function killSync({ until, seed }: Share): Promise<Proof> {
  const choose = chooser(seed);
  const broken: string[] = [];
  const saved = new Set<string>();
  let kills = 0;
  await using folder = await temporaryFolder();
  await using server = await runContext();
  for (let file = 0; file < FILES; file += 1) await server.admin.write(`${file}.md`, "first line\n");
  const machines: Machine[] = [];
  for (const name of ["one", "two"]) {
    const copy = replica({ directory: join(folder.path, name), url: server.url, token: server.bootstrap });
    await copy.join();
    machines.push({ name, copy });
  }
  do {
    for (let round = 0; round < KILLS_PER_LOOK; round += 1) {
      const machine = machines[choose(machines.length)]!;
      save(machine, `${choose(FILES)}.md`, `<${machine.name} ${kills}>`, saved);
      await killed(server, machine, LIFE_MS.min + choose(LIFE_MS.max - LIFE_MS.min));
      kills += 1;
    }
    broken.push(...(await brokenIn(server, machines, saved)));
  } while (broken.length === 0 && performance.now() < until);
  return { tried: `${kills} kills, ${saved.size} saved lines`, broken };
}

/** Appends a line, and now and then makes a new file of it. */
function save({ copy }: Machine, path: string, line: string, saved: Set<string>): void {
  const before = copy.tree()[path];
  copy.write(path, `${before ?? ""}${line}\n`);
  saved.add(line);
}

function start(server: RunningContext, { copy }: Machine) {
  return Bun.spawn([binaryPath("cairn"), "sync", "--dir", copy.directory], {
    env: { ...process.env, SERVICE_TOKEN: server.bootstrap, SERVICE_TOKEN_SERVER: server.url },
    // Paths that could not be synced are data; the error only counts them.
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function killed(server: RunningContext, machine: Machine, afterMs: number): Promise<void> {
  const child = start(server, machine);
  await Promise.race([child.exited, Bun.sleep(afterMs)]);
  child.kill("SIGKILL");
  await child.exited;
}

async function brokenIn(
  server: RunningContext,
  machines: readonly Machine[],
  saved: ReadonlySet<string>,
): Promise<string[]> {
  for (let round = 0; round < SETTLE_ROUNDS_MAX; round += 1)
    for (const machine of machines) {
      const child = start(server, machine);
      const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      if ((await child.exited) !== 0) return [`${machine.name}: ${said}${error}`];
    }
  const files = await server.admin.get("/spaces/team/files");
  const shared: Record<string, string> = {};
  for (const { path } of files) shared[path] = await server.admin.read(path);
  const different = machines.filter(({ copy }) => !Bun.deepEquals(copy.tree(), shared));
  const text = Object.values(shared).join("\n");
  return [
    ...different.map(({ name }) => `${name} differs from the server`),
    ...[...saved].filter((line) => !text.includes(line)).map((line) => `lost: ${line}`),
  ];
}
