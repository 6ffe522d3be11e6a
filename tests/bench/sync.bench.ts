// Sync with the compiled programs: a folder that is up to date, a changed file on its way to another machine, the first clone beside `tar` over
// loopback, and a daemon at rest.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt } from "../kit/cli/cairn.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { bareClone } from "./bare-clone.ts";
import { processorMs } from "./programs.ts";
import { figure, median, medianOf, timed, type Row } from "./row.ts";

const FILES = 10_000;
const FILE_BYTES = 10_000;
const FILES_PER_PUSH = 500;
const COLD_RUNS = 9;
const CHANGES = 10;
/** The daemons pace changes that follow each other closely; the figure is about one after a pause. */
const CHANGE_EVERY_MS = 4_500;
const CLONES = 3;
const REST_MS = 10_000;
const LOOK_EVERY_MS = 1;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  await using server = await runContext();
  await fill(server);
  const tar: number[] = [];
  const bare: number[] = [];
  const clones: number[] = [];
  for (let round = 0; round < CLONES; round += 1) {
    tar.push(await timed(() => copyByTar(server, join(folder.path, `tar-${round}`))));
    bare.push(await timed(() => bareClone(server, join(folder.path, `bare-${round}`))));
    clones.push(await timed(() => clone(server, folder, `clone-${round}`)));
  }
  // The fastest of each: a file system where many files were just deleted takes seconds more to create some, in whichever comes first.
  const [fastest, tarMs, bareMs] = [Math.min(...clones), Math.min(...tar), Math.min(...bare)];
  const [ann, bob] = ["clone-0", "clone-1"].map((name) => join(folder.path, name)) as [string, string];
  const cold = await medianOf(COLD_RUNS, () => timed(() => cairnAt(["--dir", ann]).printed("sync")));
  const { arrival, restMs } = await byDaemons(server, ann, bob);
  return [
    figure("first clone of 10,000 files, 100 MB", fastest, {
      limit: tarMs,
      atMost: 2 * tarMs,
      target: "≥ 0.5 of tar over loopback",
    }),
    figure("the same, beside the least that stores each file as a version", fastest, {
      limit: bareMs,
      atMost: 2 * bareMs,
      target: "≥ 0.5 of bare",
    }),
    figure("cairn sync of 10,000 unchanged files, cold", cold, { atMost: 150 }),
    figure("one changed file, from the event to the other machine's disk", arrival, { atMost: 50 }),
    figure("a daemon at rest, of one core", (restMs / REST_MS) * 100, {
      unit: "%",
      atMost: 0.5,
      target: "none (≤ 0.5 %)",
    }),
  ];
}

/** Words in random order, which compress like prose. */
async function fill({ admin, directory }: RunningContext): Promise<void> {
  const words = Array.from({ length: 5_000 }, (_, index) => (index * 7_919).toString(36));
  const text = () => {
    let result = "";
    while (result.length < FILE_BYTES) result += `${words[Math.floor(Math.random() * words.length)]} `;
    return result;
  };
  for (let from = 0; from < FILES; from += FILES_PER_PUSH) {
    const ops = Array.from({ length: FILES_PER_PUSH }, (_, index) => ({
      op: "put",
      path: `d${(from + index) % 100}/file ${from + index}.md`,
      content_b64: Buffer.from(text()).toString("base64"),
    }));
    await admin.post("/spaces/team/push", { ops });
  }
  // Files follow in the order in which they were written.
  const last = join(directory, "spaces", "team", `d${(FILES - 1) % 100}/file ${FILES - 1}.md`);
  await until(() => existsSync(last));
}

async function clone(server: RunningContext, folder: Folder, name: string): Promise<void> {
  const tokenFile = await folder.write("token", server.bootstrap);
  const flags = ["--server", server.url, "--space", "team", "--token-file", tokenFile, "--non-interactive"];
  const { exitCode, stderr } = await cairnAt([]).cairn(
    "init",
    "client",
    ...flags,
    "--dir",
    join(folder.path, name),
  );
  if (exitCode !== 0) throw new Error(stderr);
}

/** The working tree through a loopback connection, written by another `tar`. */
async function copyByTar({ directory }: RunningContext, to: string): Promise<void> {
  const tree = join(directory, "spaces", "team");
  using sender = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(
        Bun.spawn(["tar", "-C", tree, "--exclude=./.cairn", "-cf", "-", "."], { stdout: "pipe" }).stdout,
      ),
  });
  const script = `mkdir -p "$1"; exec tar -C "$1" -xf -`;
  const body = (await fetch(sender.url)).body!;
  const receiver = Bun.spawn(["sh", "-c", script, "sh", to], { stdin: body });
  if ((await receiver.exited) !== 0) throw new Error("tar failed");
}

/** From the moment when the server's event could be read to the new content on the other machine's disk; and a daemon that has nothing to do. */
async function byDaemons(
  server: RunningContext,
  ann: string,
  bob: string,
): Promise<{ arrival: number; restMs: number }> {
  const daemonOf = (directory: string) =>
    Bun.spawn([binaryPath("cairn"), "daemon", "run", "--dir", directory], {
      env: { ...process.env, SERVICE_TOKEN: server.bootstrap, SERVICE_TOKEN_SERVER: server.url },
      stdio: ["ignore", "ignore", "inherit"],
    });
  const daemons = [daemonOf(ann), daemonOf(bob)];
  try {
    const path = "d0/file 0.md";
    const isConnected = (directory: string) => {
      const file = join(directory, ".sync", "daemon.json");
      return existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { connected: boolean }).connected;
    };
    await until(() => isConnected(ann) && isConnected(bob));
    await using events = await server.admin.events("/events?spaces=team");
    const times: number[] = [];
    for (let change = 0; change < CHANGES; change += 1) {
      const text = `change ${change}`;
      await Bun.sleep(CHANGE_EVERY_MS);
      writeFileSync(join(ann, path), text);
      await events.until(({ type }) => type === "file.write");
      times.push(
        await timed(async () => {
          while (readFileSync(join(bob, path), "utf8") !== text) await Bun.sleep(LOOK_EVERY_MS);
        }),
      );
    }
    await Bun.sleep(REST_MS / 10);
    const before = await processorMs(daemons[1]!.pid);
    await Bun.sleep(REST_MS);
    const restMs = (await processorMs(daemons[1]!.pid)) - before;
    return { arrival: median(times), restMs };
  } finally {
    for (const daemon of daemons) daemon.kill("SIGTERM");
    await Promise.all(daemons.map(({ exited }) => exited));
  }
}
