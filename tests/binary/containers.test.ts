// Goal: the images and the compose files of a release run both programs hardened and without root, keep the data, and run gears in containers.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chownSync, copyFileSync, cpSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { isRoot } from "../kit/as-nobody.ts";
import { binaryPath } from "../kit/binaries.ts";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../kit/docker.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";

/** Of the user in the images. */
const USER = 10_001;
const TOKEN = "a-token-that-only-this-test-knows";
const SOURCE = join(ROOT, "release/containers");

interface Service {
  readonly init: boolean;
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly volumes: readonly string[];
}

const composed = (file: string, name: string): Service => {
  const { services } = Bun.YAML.parse(readFileSync(join(SOURCE, file), "utf8")) as {
    services: Record<string, Service>;
  };
  return services[name]!;
};

let docker: TestDocker | undefined;
const images: string[] = [];
const tagOf = (target: string) => `cairn-test-image-${target}`;

beforeAll(async () => {
  docker = await startDocker();
  if (docker === undefined) return;
  await using folder = await temporaryFolder();
  const client = tagOf("docker-client");
  await docker.docker("import", await clientArchive(folder.path), client);
  images.push(client);
  // As a release archive is unpacked.
  const archive = join(folder.path, "archive");
  cpSync(SOURCE, join(archive, "containers"), { recursive: true });
  for (const name of ["service", "cairn"] as const) copyFileSync(binaryPath(name), join(archive, name));
  for (const target of ["cairn", "service", "service-docker"]) {
    const settings = [
      "--network=none",
      `--build-arg=BASE=${docker.images.bash}`,
      `--build-arg=DOCKER_CLI=${client}`,
      `--file=${join(archive, "containers/Containerfile")}`,
      `--target=${target}`,
      `--tag=${tagOf(target)}`,
    ];
    await docker.docker("build", ...settings, archive);
    images.push(tagOf(target));
  }
}, DOCKER_SETUP_MS);

afterAll(async () => {
  if (images.length > 0) await docker?.docker("image", "rm", "--force", ...images);
  await docker?.stop();
});

/** The client of this machine, where its own image has it. */
async function clientArchive(folder: string): Promise<string> {
  const path = join(folder, "client.tar");
  const program = Bun.which("docker")!;
  const rename = "s,.*,usr/local/bin/docker,";
  const tar = [
    "tar",
    "--create",
    "--absolute-names",
    "--dereference",
    "--file",
    path,
    "--transform",
    rename,
    program,
  ];
  expect(Bun.spawnSync(tar).exitCode).toBe(0);
  return path;
}

if (!isRoot)
  console.log("skipped: the workspace with the container daemon (its directory belongs to another user)");

const it = (name: string, act: (docker: TestDocker) => Promise<void>, skipped = false) =>
  test.skipIf(skipped)(
    name,
    async () => {
      if (docker) await act(docker);
    },
    180_000,
  );

/** The settings of a service as options of the client. Without a network, so that nothing depends on that of this machine. */
const options = ({ init, read_only, tmpfs, cap_drop, security_opt }: Service): string[] => [
  "--network=none",
  `--init=${init}`,
  `--read-only=${read_only}`,
  ...tmpfs.map((path) => `--tmpfs=${path}`),
  ...cap_drop.map((name) => `--cap-drop=${name}`),
  ...security_opt.map((option) => `--security-opt=${option}`),
];

const PORTS = { cairn: "8743", service: "8688", "service-docker": "8688" };
type Target = keyof typeof PORTS;

async function started(shared: TestDocker, target: Target, more: readonly string[]) {
  const container = await shared.docker("run", "--detach", ...more, tagOf(target));
  const inside = (...command: string[]) => shared.docker("exec", container, ...command);
  const check = await shared.docker("inspect", "--format", "{{json .Config.Healthcheck.Test}}", container);
  const isHealthy = () =>
    inside(...(JSON.parse(check) as string[]).slice(1)).then(
      () => true,
      () => false,
    );
  await eventually(isHealthy, true);
  return {
    inside,
    async restart(): Promise<void> {
      await shared.docker("restart", "--time", "15", container);
      await eventually(isHealthy, true);
    },
    /** Returns the exit code. */
    async stop(): Promise<string> {
      await shared.docker("stop", "--time", "15", container);
      return shared.docker("inspect", "--format", "{{.State.ExitCode}}", container);
    },
    /** Returns status and body. The images have no HTTP client, and the container has no network. */
    async answer(method: string, path: string, body: object | "" = "", token = TOKEN) {
      const text = body && JSON.stringify(body);
      const head = [
        `${method} /api/v1${path} HTTP/1.1`,
        "Host: localhost",
        "Connection: close",
        `Content-Length: ${text.length}`,
        ...(body && ["Content-Type: application/json"]),
        ...(token && [`Authorization: Bearer ${token}`]),
      ];
      const script = `exec 3<>/dev/tcp/127.0.0.1/${PORTS[target]}; printf %s "$0" >&3; cat <&3`;
      const answer = await inside("bash", "-c", script, `${head.join("\r\n")}\r\n\r\n${text}`);
      const [top = "", rest = ""] = answer.split("\r\n\r\n");
      return { status: Number(top.split(" ")[1]), body: JSON.parse(rest) as Record<string, unknown> };
    },
    [Symbol.asyncDispose]: async () => void (await shared.docker("rm", "--force", "--volumes", container)),
  };
}

/** As options: a volume for each of the service. Removed at the end, after the containers that use them. */
async function volumesOf(shared: TestDocker, { volumes }: Service) {
  const made = await Promise.all(
    volumes.map(async (one) => ({ name: await shared.docker("volume", "create"), path: one.split(":")[1] })),
  );
  return {
    options: made.map(({ name, path }) => `--volume=${name}:${path}`),
    [Symbol.asyncDispose]: async () =>
      void (await shared.docker("volume", "rm", "--force", ...made.map(({ name }) => name))),
  };
}

it("runs the workspace without root, asks for a token, and keeps its data", async (shared) => {
  const service = composed("compose.yaml", "service");
  await using data = await volumesOf(shared, service);
  const more = [...options(service), ...data.options];
  {
    await using first = await started(shared, "service", [...more, `--env=SERVICE_ADMIN_TOKEN=${TOKEN}`]);
    expect(await first.inside("id", "--user")).toBe(String(USER));
    expect((await first.answer("GET", "/instructions", "", "")).status).toBe(401);
    const saved = await first.answer("POST", "/instructions", { name: "tone", text: "Be plain." });
    expect(saved.status).toBe(201);
    expect(await first.stop()).toBe("0");
  }
  await using second = await started(shared, "service", more);
  expect((await second.answer("GET", "/instructions/1")).body).toMatchObject({ name: "tone" });
});

it("creates the context server, runs it and its commands, and writes backups", async (shared) => {
  const server = composed("compose.yaml", "server");
  await using data = await volumesOf(shared, server);
  const more = [...options(server), ...data.options];
  const init = "init server --noui --non-interactive --address :: --space main --admin ada";
  await shared.docker("run", "--rm", ...more, tagOf("cairn"), ...init.split(" "));
  await using running = await started(shared, "cairn", more);
  expect(await running.inside("cairn", "server", "status")).toContain("health     ok");
  expect(await running.inside("cairn", "doctor")).toContain("the server reads and writes its storage");
  const backups = server.volumes[1]!.split(":")[1]!;
  expect(await running.inside("cairn", "backup", "create", "--out", backups)).toContain(`${backups}/`);
  await running.inside("cairn", "server", "tls", "gen", "--host", "localhost");
  await running.inside("sh", "-c", 'echo "tls: { enabled: true }" >> "$SERVICE_SERVER_DIR/server.yaml"');
  await running.restart();
  expect(await running.inside("cairn", "server", "status")).toContain("https://localhost:8743");
  expect(await running.stop()).toBe("0");
});

it(
  "runs gears in containers of their own, next to that of the workspace",
  async (shared) => {
    const [source, target] = composed("compose.gears.yaml", "service").volumes[0]!.split(":");
    expect(target).toBe(source!);
    await using folder = await temporaryFolder();
    const { path } = folder;
    const config = { sandbox: "docker", sandbox_images: shared.images };
    for (const one of [path, await folder.write("config.yaml", JSON.stringify(config))])
      chownSync(one, USER, USER);
    const socket = new URL(shared.environment["DOCKER_HOST"]!).pathname;
    await using running = await started(shared, "service-docker", [
      ...options(composed("compose.yaml", "service")),
      `--env=SERVICE_DATA=${path}`,
      `--env=SERVICE_ADMIN_TOKEN=${TOKEN}`,
      `--volume=${path}:${path}`,
      `--volume=${socket}:/var/run/docker.sock`,
      `--group-add=${statSync(socket).gid}`,
    ]);
    const gear = { name: "who", runtime: "bash", description: "x", code: "id --user --name" };
    const { body } = await running.answer("POST", "/gears", { ...gear, args_schema: '{"type":"object"}' });
    expect(body).toMatchObject({ id: 1, isolated: true });
    const approved = { status: "approved", content_hash: body["content_hash"] };
    expect((await running.answer("PATCH", "/gears/1", approved)).status).toBe(200);
    const { body: result } = await running.answer("POST", "/gears/1/run", { args: {} });
    expect(result).toMatchObject({ exit_code: 0, stdout: "nobody\n" });
  },
  !isRoot,
);
