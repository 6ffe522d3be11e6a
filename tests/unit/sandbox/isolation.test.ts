// Goal: inside a real container, fresh or pooled, a gear has exactly what the specification allows, and nothing is left afterwards.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { openSandbox, type SandboxKind, type TestSandbox } from "../../kit/service/sandbox.ts";

/** Reports its environment as JSON, with either version of control groups. */
const PROBE = `
import json, os, socket, stat
def text(*paths):
    for path in paths:
        try: return open(path).read().strip()
        except OSError: pass
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
mounts = sorted(((l.split()[1], l.split()[2]) for l in open("/proc/mounts")), key=lambda m: -len(m[0]))
def kind(path): return next(t for m, t in mounts if path == m or m == "/" or path.startswith(m + "/"))
writable, sockets = set(), []
for folder, folders, files in os.walk("/"):
    if folder == "/":
        folders[:] = [f for f in folders if f not in ("proc", "sys")]
    if os.access(folder, os.W_OK): writable.add(kind(folder))
    for name in files:
        path = os.path.join(folder, name)
        mode = os.lstat(path).st_mode
        if stat.S_ISSOCK(mode): sockets.append(path)
        if stat.S_ISREG(mode) and os.access(path, os.W_OK): writable.add(kind(path))
def attempt(act):
    try: act()
    except OSError as error: return error.strerror
    return "done"
quota = text("/sys/fs/cgroup/cpu.max") or text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + " " + text("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
memory = text("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
print(json.dumps({
  "interfaces": sorted(os.listdir("/sys/class/net")),
  "outward": attempt(lambda: socket.create_connection(("192.0.2.1", 80), 2)),
  "user": [os.getuid(), os.getgid(), os.getgroups()],
  "capabilities": [status["CapEff"], status["CapPrm"], status["CapBnd"]],
  "noNewPrivileges": status["NoNewPrivs"],
  "memoryMiB": int(memory) // 2**20,
  "processors": int(quota.split()[0]) / int(quota.split()[1]),
  "processes": int(text("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")),
  "writable": sorted(writable - {"devpts", "mqueue"}),
  "sockets": sockets,
  "gearFile": attempt(lambda: open("main.py", "a")),
  "gearMode": attempt(lambda: os.chmod("main.py", 0o777)),
  "newFile": attempt(lambda: open("/gear/other", "w")),
  "root": attempt(lambda: open("/other", "w")),
  "init": open("/proc/1/comm").read().strip(),
}))`;

let docker: TestDocker | undefined;
beforeAll(async () => void (docker = await startDocker()), DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

for (const kind of ["cold", "warm"] satisfies SandboxKind[]) {
  describe(kind, () => {
    let at: TestSandbox;
    beforeAll(async () => {
      at = await openSandbox(kind, { docker });
      if (docker) await at.sandbox.prepare(true);
    });
    afterAll(() => at[Symbol.asyncDispose]());

    const it = (name: string, act: (docker: TestDocker) => Promise<void>) =>
      test(name, async () => {
        if (docker) await act(docker);
      });

    it("confines a gear to the specified limits", async () => {
      const { stdout, stderr } = await at.run("python", PROBE);
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({
        interfaces: ["lo"],
        outward: "Network is unreachable",
        user: [65534, 65534, [65534]],
        capabilities: ["0000000000000000", "0000000000000000", "0000000000000000"],
        noNewPrivileges: "1",
        memoryMiB: 512,
        processors: 1,
        processes: 256,
        writable: ["tmpfs"],
        sockets: [],
        gearFile: "Permission denied",
        gearMode: "Read-only file system",
        newFile: "Read-only file system",
        root: "Read-only file system",
        init: "docker-init",
      });
    });

    it("kills a gear that uses too much memory, without a timeout", async () => {
      const { exitCode, timedOut, stdout } = await at.run(
        "python",
        "print('began', flush=True)\nx = b'x' * (700 * 2**20)\nprint('had it')",
      );
      expect({ exitCode, timedOut, stdout }).toEqual({ exitCode: 137, timedOut: false, stdout: "began\n" });
    });

    it("limits processes to 256, including the launcher and init", async () => {
      const code = `
import os, signal, time
children = []
try:
    while len(children) < 400:
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        children.append(child)
except BlockingIOError as error:
    print(error.strerror)
print(200 < len(children) < 256)`;
      const { exitCode, stdout } = await at.run("python", code);
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: "Resource temporarily unavailable\nTrue\n",
      });
    });

    it("ends a fork bomb at its timeout", async () => {
      const { timedOut, exitCode } = await at.run("bash", ":(){ :|:& };:; sleep 600", { timeoutMs: 1_500 });
      expect({ timedOut, exitCode }).toEqual({ timedOut: true, exitCode: 137 });
    });

    it("hides the secret of the end marker, and passes on a forged one as output", async () => {
      const code = `
import os
launcher = os.getppid()
for name in ("mem", "environ", "maps", "fd", "fd/0", "fd/1"):
    try:
        path = f"/proc/{launcher}/{name}"
        os.listdir(path) if name == "fd" else open(path, "rb").read(1)
        print("read", name)
    except PermissionError:
        pass
print("\\036guess:0", flush=True)
raise SystemExit(7)`;
      const { exitCode, stdout, stderr } = await at.run("python", code);
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 7, stdout: "\u001eguess:0\n", stderr: "" });
    });

    it("reports a signal for a gear that kills everything, including its launcher", async () => {
      const { exitCode, timedOut, stdout } = await at.run("bash", "echo before; kill -9 -1; sleep 60");
      expect({ exitCode, timedOut, stdout }).toEqual({ exitCode: 137, timedOut: false, stdout: "before\n" });
    });

    it("removes all containers except pooled ones", async (at2) => {
      await at.settled();
      const listed = await at2.docker(
        "ps",
        "--all",
        "--filter",
        `label=cairn.installation=${at.installation}`,
        "--format",
        "{{.Image}}",
      );
      const expected = kind === "warm" ? Object.values(at2.images).sort() : [];
      expect(listed.split("\n").filter(Boolean).sort()).toEqual(expected);
    });

    it("leaves nothing behind when the sandbox stops", async (at2) => {
      await at.sandbox.stop();
      expect(
        await at2.docker("ps", "--all", "--quiet", "--filter", `label=cairn.installation=${at.installation}`),
      ).toBe("");
    });
  });
}
