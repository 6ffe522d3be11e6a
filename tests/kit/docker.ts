// A real docker daemon for tests: the one that answers, or one of our own while the tests run, and an image for each runtime.
// Images are made once on a machine (debootstrap, `docker import`), or fetched where that is not possible. Missing docker is said
// aloud, and in CI on Linux it is a failure.

import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inCi } from "../../release/step.ts";
import { locateTool } from "../../release/system-packages.ts";
import { DEFAULT_IMAGES } from "../../src/service/sandbox/images.ts";
import type { Runtime } from "../../src/service/sandbox/sandbox.ts";
import { atEnd } from "./at-end.ts";
import { outcomeOf } from "./binaries.ts";
import { machinesDocker } from "./isolation.ts";
import { RUN_LIMIT_MS } from "./wait-limit.ts";
import { within } from "./within.ts";

const DAEMON_START_MS = 30_000;
const DAEMON_STARTS_MAX = 3;
const POLL_MS = 50;
const REMOVALS_MAX = 50;
const TAG = "1";

export type TestImages = Readonly<Record<Runtime, string>>;

const OUR_IMAGES: TestImages = {
  python: `cairn-test-python:${TAG}`,
  node: `cairn-test-node:${TAG}`,
  bash: `cairn-test-bash:${TAG}`,
  binary: `cairn-test-binary:${TAG}`,
};

/** For hooks that call `startDocker`: the first call on a machine makes the images. */
export const DOCKER_SETUP_MS = 600_000;
/** Of each step that makes or fetches an image. */
const IMAGE_STEP_MS = DOCKER_SETUP_MS / 2;

export interface TestDocker {
  readonly images: TestImages;
  /** For a sandbox: what finds this daemon. */
  readonly environment: Record<string, string>;
  /** Runs the docker client; standard output, trimmed. Throws with what it said when it fails. */
  docker(...args: string[]): Promise<string>;
  /** Ends the daemon if this call started it. */
  stop(): Promise<void>;
}

/** Undefined where there is no docker: the reason has been printed, and the tests skip. */
export async function startDocker(): Promise<TestDocker | undefined> {
  const environment = clientEnvironment();
  let daemon: Daemon | undefined;
  if (!(await answers(environment))) {
    const obstacle = whyNotStart();
    if (obstacle !== undefined) return missing(obstacle);
    await removeStalePid("/var/run/docker.pid", "dockerd");
    await removeStalePid("/var/run/docker/containerd/containerd.pid", "containerd");
    daemon = await startDaemon([], environment);
  }
  await provideImages(environment);
  return {
    images: OUR_IMAGES,
    environment,
    docker: (...args) => client(environment, args),
    stop: async () => {
      if (!daemon) return;
      // Of programs that a test killed: they would stay for good, and the shims of those that run outlive a daemon that is stopped.
      const filters = Object.values(OUR_IMAGES).map((name) => `--filter=ancestor=${name}`);
      try {
        await removeContainers(environment, filters);
      } finally {
        await daemon.stop();
      }
    },
  };
}

/** A daemon of the test's own, which it may freeze and kill, with a small image for `bash` and `binary` gears. */
export interface OwnDaemon extends TestDocker, AsyncDisposable {
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
}

/** `shared` has the image already. */
export async function startOwnDaemon(shared: TestDocker): Promise<OwnDaemon> {
  const folder = await mkdtemp(join(tmpdir(), "cairn-dockerd-"));
  const environment = { ...clientEnvironment(), DOCKER_HOST: `unix://${folder}/docker.sock` };
  const places = ["data-root", "exec-root"].flatMap((name) => [`--${name}`, join(folder, name)]);
  const own = [
    "--host",
    environment.DOCKER_HOST,
    "--pidfile",
    join(folder, "pid"),
    "--bridge=none",
    "--iptables=false",
  ];
  // In a network of its own: without a bridge it would take the machine's bridge away from the other daemon.
  const start = () => startDaemon([...places, ...own], environment, ["unshare", "--net"]);
  let daemon = await start();
  await handOver(shared.environment, environment, OUR_IMAGES.binary);
  const stop = async () => {
    daemon.signal("SIGCONT");
    // Only a daemon can take down what a killed one left: containers, mounts, networks.
    if (!(await answers(environment))) {
      await daemon.stop();
      // Of the killed containerd, which may still be a zombie: dockerd would take it for a running one, and wait for its answer.
      await rm(join(folder, "exec-root/containerd/containerd.pid"), { force: true });
      daemon = await start();
    }
    try {
      await removeContainers(environment);
    } finally {
      await daemon.stop();
    }
    await killShims(folder);
    await unmountBelow(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    images: { ...OUR_IMAGES, bash: OUR_IMAGES.binary },
    environment,
    docker: (...args) => client(environment, args),
    signal: (name) => daemon.signal(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * A daemon that was killed leaves its file. Once another process has its number, dockerd takes that one for itself and does not start. Removes
 * the file unless the process runs this program.
 */
export async function removeStalePid(path: string, program: string): Promise<void> {
  const pid = await readFile(path, "utf8").catch(() => undefined);
  if (pid === undefined) return;
  // Of a zombie, there is none.
  const running = await readlink(`/proc/${pid.trim()}/exe`).catch(() => "");
  if (!basename(running).startsWith(program)) await rm(path, { force: true });
}

function clientEnvironment(): Record<string, string> {
  const names = ["PATH", "HOME", "TMPDIR"];
  const own = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(own), ...machinesDocker() };
}

function whyNotStart(): string | undefined {
  if (process.platform !== "linux") return "these tests start a daemon on Linux only";
  if (locateTool("docker") === undefined) return "dockerd is not installed";
  return process.getuid?.() === 0 ? undefined : "no daemon answers, and starting one needs root";
}

function missing(obstacle: string): undefined {
  if (inCi && process.platform === "linux") throw new Error(`docker is missing: ${obstacle}`);
  console.log(`skipped: tests with containers (${obstacle})`);
  return undefined;
}

interface Daemon {
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** On a busy machine, and after a kill, its containerd does not always come up in the time that dockerd gives it: then once more. */
async function startDaemon(
  args: string[],
  environment: Record<string, string>,
  prefix: string[] = [],
): Promise<Daemon> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryDaemon(args, environment, prefix);
    } catch (error) {
      if (attempt === DAEMON_STARTS_MAX) throw error;
      console.log(`dockerd did not come up; start ${attempt + 1} of ${DAEMON_STARTS_MAX}`);
    }
  }
}

async function tryDaemon(
  args: string[],
  environment: Record<string, string>,
  prefix: string[],
): Promise<Daemon> {
  const log = join(await mkdtemp(join(tmpdir(), "cairn-dockerd-log-")), "log");
  const child = Bun.spawn([...prefix, locateTool("docker")!, ...args], {
    stdio: ["ignore", Bun.file(log), Bun.file(log)],
    env: { PATH: process.env.PATH ?? "" },
    detached: true,
  });
  const deadline = performance.now() + DAEMON_START_MS;
  while (!(await answers(environment))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      kill(-child.pid);
      await child.exited;
      throw new Error(`dockerd did not start:\n${(await Bun.file(log).text()).slice(-2000)}`);
    }
    await Bun.sleep(POLL_MS);
  }
  return {
    signal: (name) => child.kill(name),
    stop: async () => {
      child.kill("SIGTERM");
      await within("dockerd ends after SIGTERM", child.exited, RUN_LIMIT_MS);
      // Killed outright, it leaves containerd behind, in its group.
      kill(-child.pid);
      await rm(join(log, ".."), { recursive: true, force: true });
    },
  };
}

/** `pid`: negative for a group. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

async function answers(environment: Record<string, string>): Promise<boolean> {
  if (Bun.which("docker", { PATH: environment.PATH ?? "" }) === null) return false;
  const outcome = await run(["docker", "version"], environment, DAEMON_START_MS).catch(() => undefined);
  return outcome?.exitCode === 0;
}

async function client(
  environment: Record<string, string>,
  args: string[],
  limitMs?: number,
): Promise<string> {
  const { exitCode, output } = await run(["docker", ...args], environment, limitMs);
  if (exitCode !== 0) throw new Error(`docker ${args.join(" ")}: ${output}`);
  return output.trim();
}

/** A command that does not end in time is killed, and the error names it: a daemon that hangs answers no client. */
async function run(
  command: string[],
  env: Record<string, string>,
  limitMs = RUN_LIMIT_MS,
): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn(command, { env, stdio: ["ignore", "pipe", "pipe"] });
  const { exitCode, stdout, stderr } = await outcomeOf(command.join(" "), child, limitMs);
  return { exitCode, output: exitCode === 0 ? stdout : stderr };
}

async function removeContainers(
  environment: Record<string, string>,
  filters: readonly string[] = [],
): Promise<void> {
  const all = () => client(environment, ["ps", "--all", "--quiet", ...filters]);
  for (let left = await all(), tries = 1; left !== ""; left = await all(), tries += 1) {
    const names = left.split("\n");
    const { output } = await run(["docker", "rm", "--force", "--volumes", ...names], environment);
    // Some are being removed at this moment, which docker calls an error.
    if (tries === REMOVALS_MAX) throw new Error(`containers stay: ${output}`);
    if (tries > 1) await Bun.sleep(POLL_MS);
  }
}

async function provideImages(environment: Record<string, string>): Promise<void> {
  const there = await Promise.all(
    Object.values(OUR_IMAGES).map(
      async (name) => (await run(["docker", "image", "inspect", name], environment)).exitCode === 0,
    ),
  );
  if (there.every(Boolean)) return;
  console.log("docker: making the images that gears run in; once on a machine …");
  if (locateTool("debootstrap") && process.getuid?.() === 0) await makeImages(environment);
  else await fetchImages(environment);
}

async function fetchImages(environment: Record<string, string>): Promise<void> {
  for (const [runtime, name] of Object.entries(OUR_IMAGES)) {
    const official = DEFAULT_IMAGES[runtime as Runtime];
    await client(environment, ["pull", "--quiet", official], IMAGE_STEP_MS);
    await client(environment, ["tag", official, name]);
  }
}

async function makeImages(environment: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "cairn-images-"));
  await using _ = atEnd(() => rm(folder, { recursive: true, force: true }));
  const debian = join(folder, "debian");
  await bootstrap("python3,busybox-static", debian);
  await importFolder(environment, debian, OUR_IMAGES.python);
  await importFolder(environment, debian, OUR_IMAGES.bash);
  await makeSmallSystem(debian, join(folder, "small"));
  await importFolder(environment, join(folder, "small"), OUR_IMAGES.binary);
  // Node needs little of the system, and that little is there.
  await copyProgram(Bun.which("node"), join(debian, "usr/local/bin/node"));
  await importFolder(environment, debian, OUR_IMAGES.node);
}

/** Of a killed daemon, whose successor does not adopt all of them: each keeps a container running for good. */
async function killShims(folder: string): Promise<void> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
  const shims = new Set<string>();
  for (const pid of numbers) if ((await read(pid, "cmdline")).includes(`\0${folder}/`)) shims.add(pid);
  for (const pid of numbers) {
    // The name of the program, in parentheses, may contain spaces.
    const parent = (await read(pid, "stat")).replace(/^.*\) \S+ /s, "").split(" ")[0]!;
    if (shims.has(parent)) shims.add(pid);
  }
  for (const pid of shims) kill(Number(pid));
}

/** A killed daemon does not unmount what it mounted, and its successor does not know of all of it. */
async function unmountBelow(folder: string): Promise<void> {
  const places = (await Bun.file("/proc/mounts").text()).split("\n").map((line) => line.split(" ")[1] ?? "");
  for (const place of places
    .filter((path) => path.startsWith(`${folder}/`))
    .sort()
    .toReversed()) {
    await run(["umount", "--lazy", place], { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
  }
}

async function handOver(
  from: Record<string, string>,
  to: Record<string, string>,
  image: string,
): Promise<void> {
  const save = Bun.spawn(["docker", "save", image], { env: from, stdio: ["ignore", "pipe", "inherit"] });
  const load = Bun.spawn(["docker", "load", "--quiet"], {
    env: to,
    stdio: [save.stdout, "ignore", "inherit"],
  });
  if (!(await piped(`image ${image} is handed over`, save, load)))
    throw new Error(`image ${image} was not handed over`);
}

async function bootstrap(packages: string, folder: string): Promise<void> {
  const command = [
    locateTool("debootstrap")!,
    "--variant=minbase",
    `--include=${packages}`,
    "bookworm",
    folder,
  ];
  const { exitCode, output } = await run(
    command,
    { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    IMAGE_STEP_MS,
  );
  if (exitCode !== 0) throw new Error(`debootstrap failed: ${output.slice(-2000)}`);
}

/** The least system that a gear can run in: a shell and its tools in one static program, which Debian has. */
async function makeSmallSystem(debian: string, folder: string): Promise<void> {
  const busybox = join(folder, "bin/busybox");
  await copyProgram(join(debian, "bin/busybox"), busybox);
  const { output } = await run([busybox, "--list"], {});
  const applets = output
    .trim()
    .split("\n")
    .filter((name) => name !== "busybox");
  await Promise.all(applets.map((name) => symlink("busybox", join(folder, "bin", name))));
}

async function copyProgram(source: string | null, target: string): Promise<void> {
  if (source === null) throw new Error(`${target} can't be made: the program is not on PATH`);
  await mkdir(join(target, ".."), { recursive: true });
  await copyFile(source, target);
  await chmod(target, 0o755);
}

async function importFolder(
  environment: Record<string, string>,
  folder: string,
  name: string,
): Promise<void> {
  const leftOut = ["./var/cache/apt/*", "./var/lib/apt/lists/*", "./dev/*"].map(
    (pattern) => `--exclude=${pattern}`,
  );
  const tar = Bun.spawn(["tar", ...leftOut, "--numeric-owner", "-C", folder, "-c", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const load = Bun.spawn(["docker", "import", "-", name], {
    env: environment,
    stdio: [tar.stdout, "ignore", "inherit"],
  });
  if (!(await piped(`image ${name} is made`, tar, load))) throw new Error(`image ${name} was not made`);
}

/** Whether both ends of a pipe succeed. They are killed if they do not end in time. */
async function piped(what: string, from: Bun.Subprocess, to: Bun.Subprocess): Promise<boolean> {
  try {
    const codes = await within(what, Promise.all([from.exited, to.exited]), IMAGE_STEP_MS);
    return codes.every((code) => code === 0);
  } catch (error) {
    from.kill("SIGKILL");
    to.kill("SIGKILL");
    throw error;
  }
}
