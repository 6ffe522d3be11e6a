// Goal: a gear has the same contract in a fresh container, in a pooled one and as a child process.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { file, openSandbox, type SandboxKind, type TestSandbox } from "../../kit/service/sandbox.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { until } from "../../kit/eventually.ts";
import { refusalText } from "../../kit/http/refusal.ts";

const kinds: SandboxKind[] = ["cold", "warm", "subprocess"];
let docker: TestDocker | undefined;

beforeAll(async () => void (docker = await startDocker()), DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

const done = {
  exitCode: 0,
  stderr: "",
  timedOut: false,
  truncated: false,
  durationMs: expect.any(Number) as number,
};

for (const kind of kinds) {
  describe(kind, () => {
    let at: TestSandbox;
    const timers = manualClock();
    beforeAll(async () => {
      at = await openSandbox(kind, { docker, timers });
      if (docker || kind === "subprocess") await at.sandbox.prepare(true);
    });
    afterAll(() => at[Symbol.asyncDispose]());

    const it = (name: string, act: () => Promise<void>) =>
      test(name, async () => {
        if (!docker && kind !== "subprocess") return;
        await at.settled();
        await act();
      });

    it("runs python with arguments on stdin and the result on stdout", async () => {
      const code =
        "import json, sys\nargs = json.load(sys.stdin)\nprint(json.dumps({'sum': args['a'] + args['b']}))";
      expect(await at.run("python", code, { stdin: '{"a":2,"b":3}' })).toEqual({
        ...done,
        stdout: '{"sum": 5}\n',
      });
    });

    it("runs node with its own modules, and no other packages", async () => {
      const files = [
        file(
          "main.js",
          "const { double } = require('./lib/double.js');\nlet text = '';\nprocess.stdin.on('data', (d) => (text += d)).on('end', () => console.log(double(JSON.parse(text).n)));",
        ),
        file("lib/double.js", "exports.double = (n) => n * 2;"),
      ];
      expect(await at.run("node", "", { files, stdin: '{"n":21}' })).toEqual({ ...done, stdout: "42\n" });
    });

    it("runs bash, and separates stderr and the exit code from the result", async () => {
      const result = await at.run("bash", 'read -r line; echo "got $line"; echo oops >&2; exit 3', {
        stdin: '{"x":1}\n',
      });
      expect(result).toEqual({ ...done, exitCode: 3, stdout: 'got {"x":1}\n', stderr: "oops\n" });
    });

    it("executes the entrypoint of a binary", async () => {
      expect(await at.run("binary", "#!/bin/sh\nexec cat\n", { stdin: "{}" })).toEqual({
        ...done,
        stdout: "{}",
      });
    });

    it("returns a result, not an error, for a binary that the system cannot execute", async () => {
      const result = await at.run("binary", "\u0001\u0002no program");
      expect({
        exitCode: [126, 127, 2].includes(result.exitCode),
        timedOut: result.timedOut,
        stdout: result.stdout,
      }).toEqual({ exitCode: true, timedOut: false, stdout: "" });
      expect(result.stderr).not.toBe("");
    });

    it("provides inputs read-only in inputs/, beside the gear's own files", async () => {
      const inputs = [file("notes/a.txt", "from the workspace")];
      const code = "cat inputs/notes/a.txt; ls; stat -c %a main.sh inputs/notes/a.txt";
      expect(await at.run("bash", code, { inputs })).toEqual({
        ...done,
        stdout: "from the workspaceinputs\nmain.sh\n444\n444\n",
      });
    });

    it("never replaces an approved file by an input", async () => {
      const files = [file("main.sh", "true"), file("Inputs/a", "x")];
      expect(await refusalText(at.run("bash", "", { files }))).toBe(
        "invalid: Inputs/a: the folder inputs/ is reserved for the inputs of a call; put the gear's own files elsewhere",
      );
    });

    it("refuses a path that leads outside, and two files with one name", async () => {
      expect(await refusalText(at.run("bash", "", { files: [file("../out", "x")] }))).toStartWith(
        "invalid: ../out: ",
      );
      const twice = [file("main.sh", "1"), file("main.sh", "2")];
      expect(await refusalText(at.run("bash", "", { files: twice }))).toBe(
        "invalid: main.sh: another file of the gear already has that name",
      );
    });

    it("runs a gear that ignores large arguments", async () => {
      expect(await at.run("bash", "echo done", { stdin: "x".repeat(1_000_000) })).toEqual({
        ...done,
        stdout: "done\n",
      });
    });

    it("delivers large arguments completely", async () => {
      const stdin = JSON.stringify({ text: "ä".repeat(400_000) });
      expect(await at.run("bash", "wc -c", { stdin })).toEqual({
        ...done,
        stdout: `${Buffer.byteLength(stdin)}\n`,
      });
    });

    it("streams output live, and records the same bytes", async () => {
      const seen: string[] = [];
      const first = Promise.withResolvers<void>();
      const stop = new AbortController();
      const output = (stream: string, chunk: Uint8Array) => {
        seen.push(`${stream}: ${Buffer.from(chunk).toString()}`);
        first.resolve();
      };
      const running = at.run("bash", "echo one; exec sleep 60", { output, signal: stop.signal });
      await first.promise;
      stop.abort();
      expect(await running).toEqual({ ...done, exitCode: 137, stdout: "one\n" });
      expect(seen).toEqual(["stdout: one\n"]);
    });

    it("replaces invalid UTF-8, and keeps escape sequences", async () => {
      const result = await at.run("bash", "printf 'a\\377b\\033[31mred\\0end\\036x'");
      expect(result).toEqual({ ...done, stdout: "a\ufffdb\u001b[31mred\0end\u001ex" });
    });

    it("keeps 1 MiB of a stream and drops the rest", async () => {
      let streamed = 0;
      const output = (_: string, chunk: Uint8Array) => void (streamed += chunk.byteLength);
      const result = await at.run("bash", "head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2", { output });
      expect({ ...result, stdout: result.stdout.length }).toEqual({
        ...done,
        stdout: 1024 * 1024,
        stderr: "end\n",
        truncated: true,
      });
      expect(streamed).toBe(3_000_004);
    });

    it("ends at the timeout, even if a grandchild holds the pipe", async () => {
      let hasStarted = false;
      const running = at.run("bash", "sleep 600 & setsid sleep 600 & echo started; wait", {
        timeoutMs: 1_000,
        output: () => (hasStarted = true),
      });
      // Output may come before the timeout begins.
      await until(() => hasStarted && timers.waits().includes(1_000));
      timers.advance(1_000);
      const result = await running;
      expect(result).toEqual({ ...done, exitCode: 137, stdout: "started\n", timedOut: true });
    });

    it("does not wait for processes that a finished gear started", async () => {
      const result = await at.run("bash", "sleep 600 & setsid sleep 600 & echo over");
      expect(result).toEqual({ ...done, stdout: "over\n" });
    });

    it("runs nothing when cancelled before the start", async () => {
      expect(await at.run("bash", "echo ran", { signal: AbortSignal.abort() })).toEqual({
        ...done,
        exitCode: 137,
        stdout: "",
      });
    });

    it("isolates concurrent runs of one gear from each other", async () => {
      const results = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          at.run("bash", `cat inputs/n; ls inputs | wc -l`, { inputs: [file("n", `${n}\n`)] }),
        ),
      );
      expect(results).toEqual([1, 2, 3, 4].map((n) => ({ ...done, stdout: `${n}\n1\n` })));
    });

    it("gives a gear none of our variables, but a writable home and temporary folder", async () => {
      const code = 'touch "$HOME/a" "$(mktemp)"; compgen -e | sort';
      const result = await at.run("bash", code);
      expect(result).toEqual({ ...done, stdout: expect.any(String) as string });
      const known = [
        // Identifies the gear's processes when it ends (src/kit/processes/run-mark.ts).
        "CAIRN_RUN_MARK",
        "HOME",
        "HOSTNAME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "OLDPWD",
        "PATH",
        "PWD",
        "SHLVL",
        "TEMP",
        "TMP",
        "TMPDIR",
        "TZ",
        "_",
      ];
      expect(
        result.stdout
          .trim()
          .split("\n")
          .filter((name) => !known.includes(name)),
      ).toEqual([]);
    });

    it("leaves no folder after the runs", async () => {
      await at.settled();
      const left = (await readdir(at.folder, { recursive: true })).filter((name) =>
        name.includes("cairn-run-"),
      );
      // Each image's pool has one container.
      expect(
        left.filter((name) => name.includes("main") || (kind !== "warm" && !name.includes("sh-"))),
      ).toEqual([]);
    });
  });
}
