// Goal: gears run in containers although the container daemon does not see the service's temporary directory, as under systemd with `PrivateTmp`.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { approvedGear } from "../../kit/service/gears.ts";
import { runService } from "../../kit/service/running.ts";

const TIMEOUT_MS = 30_000;
/** A mount that only the command and its children see. */
const PRIVATE_MOUNT = 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"';
const canMount = process.platform === "linux" && process.getuid?.() === 0;
if (!canMount) console.log("skipped: a private temporary directory needs root on Linux");

let docker: TestDocker | undefined;
beforeAll(async () => {
  if (canMount) docker = await startDocker();
}, DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

test(
  "a gear runs in a container, and its files are removed",
  async () => {
    if (!docker) return;
    await using folder = await temporaryFolder();
    const temporary = join(folder.path, "tmp");
    await mkdir(temporary);
    const images = JSON.stringify(docker.images);
    const config = await folder.write("config.yaml", `sandbox: docker\nsandbox_images: ${images}\n`);
    const data = join(folder.path, "data");
    await using service = await runService({
      data,
      args: ["--config", config],
      environment: { ...docker.environment, TMPDIR: temporary },
      behind: ["unshare", "--mount", "sh", "-c", PRIVATE_MOUNT, "sh", temporary],
    });
    const gear = await approvedGear(service.admin);
    const result = await service.admin.post(`/gears/${gear.id}/run`, { args: { word: "hello" } });
    expect(result).toMatchObject({ exit_code: 0, stdout: '{"word":"hello"}' });
    expect(await service.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
    expect(await Array.fromAsync(new Bun.Glob("sandbox/*").scan({ cwd: data, onlyFiles: false }))).toEqual(
      [],
    );
  },
  TIMEOUT_MS,
);
