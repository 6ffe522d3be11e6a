// Goal: gears run as specified on container daemons and with clients that are set up in another way than ours; if they cannot, the refusal names
// the cause and what to do.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isRoot } from "../../kit/as-nobody.ts";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { type Folder, temporaryFolder } from "../../kit/folder.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { clientBefore } from "../../kit/service/docker-client.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";

const FOREIGN_IMAGE = "cairn-test-foreign:1";
/** The start of a program for the processor 0xffff, which no machine has. */
const FOREIGN_PROGRAM = Buffer.from(
  `7f454c4602010100${"00".repeat(8)}0200ffff01000000${"00".repeat(40)}`,
  "hex",
);

let docker: TestDocker | undefined;
beforeAll(async () => void (docker = await startDocker()), DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

const it = (name: string, act: (docker: TestDocker) => Promise<void>, when = true) =>
  test.skipIf(!when)(name, async () => {
    if (docker) await act(docker);
  });

const PROXY = "http://ada:secret@proxy.example:3128";

it("hides the proxies of the docker client's settings from a gear", async (shared) => {
  await using folder = await temporaryFolder();
  const every = {
    httpProxy: PROXY,
    httpsProxy: PROXY,
    ftpProxy: PROXY,
    allProxy: PROXY,
    noProxy: "localhost",
  };
  await folder.write("config.json", JSON.stringify({ proxies: { default: every } }));
  await using at = await openSandbox("cold", { docker: shared, environment: { DOCKER_CONFIG: folder.path } });
  const { stdout } = await at.run(
    "python",
    "import os\nprint([name for name in os.environ if 'proxy' in name.lower()])",
  );
  expect(stdout).toBe("[]\n");
});

/** A daemon on another machine: its files are below another folder. */
const elsewhere = (folder: Folder) => `
for word in "$@"; do
  shift
  case "$word" in --volume=*) word="--volume=${folder.path}/elsewhere\${word#--volume=}" ;; esac
  set -- "$@" "$word"
done
`;

it(
  "says that the daemon does not see the service's files",
  async (shared) => {
    await using folder = await temporaryFolder();
    const environment = await clientBefore(folder, elsewhere(folder));
    await using at = await openSandbox("cold", { docker: shared, environment });
    const unseen =
      "unavailable: the container daemon does not see the data directory of this service, so containers cannot get its files: " +
      "share that directory with the daemon, start the service with a data directory that the daemon sees, or use a daemon on the same machine";
    expect(await refusalText(at.run("bash", "true"))).toBe(unseen);
    // Once more: a failed trial is not kept.
    expect(await refusalText(at.run("bash", "true"))).toBe(unseen);
  },
  isRoot,
);

/** A daemon in a virtual machine, which reads the files as an ordinary user. */
const READS_AS_USER = `
for word in "$@"; do
  case "$word" in --volume=*:/.cairn/sh:*)
    launcher=\${word#--volume=}
    case "$(ls -l "\${launcher%%:*}")" in ---*) exit 4 ;; esac ;;
  esac
done
`;

it("runs gears with a daemon that reads the service's files as an ordinary user", async (shared) => {
  await using folder = await temporaryFolder();
  const environment = await clientBefore(folder, READS_AS_USER);
  await using at = await openSandbox("cold", { docker: shared, environment });
  expect(await at.run("bash", "echo here")).toMatchObject({ exitCode: 0, stdout: "here\n" });
  const [start] = await readdir(at.folder);
  const names = (await readdir(join(at.folder, start!))).filter((name) => name.startsWith("sh-"));
  const modes = await Promise.all(
    names.map(async (name) => (await stat(join(at.folder, start!, name))).mode),
  );
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o555]);
});

it("names an image for another kind of processor", async (shared) => {
  await using folder = await temporaryFolder();
  const shell = await folder.write("root/bin/sh", "");
  await Bun.write(shell, FOREIGN_PROGRAM);
  await chmod(shell, 0o755);
  const archive = join(folder.path, "image.tar");
  Bun.spawnSync(["tar", "-C", join(folder.path, "root"), "-cf", archive, "."]);
  await shared.docker("import", archive, FOREIGN_IMAGE);
  await using at = await openSandbox("cold", { docker: shared, images: { bash: FOREIGN_IMAGE } });
  expect(await refusalText(at.run("bash", "true"))).toBe(
    `unavailable: image ${FOREIGN_IMAGE} is for another kind of processor: run "docker pull ${FOREIGN_IMAGE}", or set another one in sandbox_images`,
  );
  // The others are not blamed for it, although they start at the same time.
  const both = [refusalText(at.run("bash", "true")), at.run("binary", "#!/bin/sh\necho fine\n")] as const;
  expect([await both[0], (await both[1]).stdout]).toEqual([expect.stringContaining(FOREIGN_IMAGE), "fine\n"]);
  await shared.docker("rmi", FOREIGN_IMAGE);
});
