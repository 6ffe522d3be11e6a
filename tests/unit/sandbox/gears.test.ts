// Goal: a gear sees the same contract wherever it runs: in a fresh container, in one that waited, and as a child process.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { file, openSandbox, type SandboxKind, type TestSandbox } from "../../kit/sandbox.ts";
import { refusal, refusalText } from "../../kit/refusal.ts";

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
    beforeAll(async () => {
      at = await openSandbox(kind, { docker });
      if (docker || kind === "subprocess") await at.sandbox.prepare();
    });
    afterAll(() => at[Symbol.asyncDispose]());

    const it = (name: string, act: () => Promise<void>) =>
      test(name, async () => {
        if (!docker && kind !== "subprocess") return;
        await at.settled();
        await act();
      });

    it("python: arguments on stdin, the result on stdout", async () => {
      const code =
        "import json, sys\nargs = json.load(sys.stdin)\nprint(json.dumps({'sum': args['a'] + args['b']}))";
      expect(await at.run("python", code, { stdin: '{"a":2,"b":3}' })).toEqual({
        ...done,
        stdout: '{"sum": 5}\n',
      });
    });

    it("node: modules of its own, and no package from elsewhere", async () => {
      const files = [
        file(
          "main.js",
          "const { double } = require('./lib/double.js');\nlet text = '';\nprocess.stdin.on('data', (d) => (text += d)).on('end', () => console.log(double(JSON.parse(text).n)));",
        ),
        file("lib/double.js", "exports.double = (n) => n * 2;"),
      ];
      expect(await at.run("node", "", { files, stdin: '{"n":21}' })).toEqual({ ...done, stdout: "42\n" });
    });

    it("bash: stderr and exit code are told apart from the result", async () => {
      const result = await at.run("bash", 'read -r line; echo "got $line"; echo oops >&2; exit 3', {
        stdin: '{"x":1}\n',
      });
      expect(result).toEqual({ ...done, exitCode: 3, stdout: 'got {"x":1}\n', stderr: "oops\n" });
    });

    it("binary: the entrypoint itself is executed", async () => {
      expect(await at.run("binary", "#!/bin/sh\nexec cat\n", { stdin: "{}" })).toEqual({
        ...done,
        stdout: "{}",
      });
    });

    it("binary: what the system can't execute is the gear's result, not an error of the service", async () => {
      const result = await at.run("binary", "\u0001\u0002no program");
      expect({
        exitCode: [126, 127, 2].includes(result.exitCode),
        timedOut: result.timedOut,
        stdout: result.stdout,
      }).toEqual({ exitCode: true, timedOut: false, stdout: "" });
      expect(result.stderr).not.toBe("");
    });

    it("inputs lie read-only under inputs/ of the working directory, the gear's own files beside it", async () => {
      const inputs = [file("notes/a.txt", "from the workspace")];
      const code = "cat inputs/notes/a.txt; ls; stat -c %a main.sh inputs/notes/a.txt";
      expect(await at.run("bash", code, { inputs })).toEqual({
        ...done,
        stdout: "from the workspaceinputs\nmain.sh\n444\n444\n",
      });
    });

    it("an input never takes the place of an approved file", async () => {
      const files = [file("main.sh", "true"), file("Inputs/a", "x")];
      await refusal(
        at.run("bash", "", { files }),
        "invalid",
        "Inputs/a: the folder inputs/ holds what a call hands in; a gear's own file cannot lie in it",
      );
    });

    it("a path that leads out, and two files of one name, are refused", async () => {
      expect(await refusalText(at.run("bash", "", { files: [file("../out", "x")] }))).toStartWith(
        "invalid: ../out: ",
      );
      const twice = [file("main.sh", "1"), file("main.sh", "2")];
      await refusal(
        at.run("bash", "", { files: twice }),
        "invalid",
        "main.sh: another file of the gear has that name already",
      );
    });

    it("a gear that reads no arguments does not mind large ones", async () => {
      expect(await at.run("bash", "echo done", { stdin: "x".repeat(1_000_000) })).toEqual({
        ...done,
        stdout: "done\n",
      });
    });

    it("large arguments arrive whole", async () => {
      const stdin = JSON.stringify({ text: "ä".repeat(400_000) });
      expect(await at.run("bash", "wc -c", { stdin })).toEqual({
        ...done,
        stdout: `${Buffer.byteLength(stdin)}\n`,
      });
    });

    it("output comes while it is made, and the record has the same bytes", async () => {
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

    it("what is not UTF-8 becomes the replacement sign; escape sequences stay", async () => {
      const result = await at.run("bash", "printf 'a\\377b\\033[31mred\\0end\\036x'");
      expect(result).toEqual({ ...done, stdout: "a\ufffdb\u001b[31mred\0end\u001ex" });
    });

    it("1 MiB of a stream is kept, the rest is counted and dropped", async () => {
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

    it("the time-out ends it promptly, also when a grandchild holds the pipe", async () => {
      const result = await at.run("bash", "sleep 600 & setsid sleep 20 & echo started; wait", {
        timeoutMs: 1_000,
      });
      expect(result).toEqual({ ...done, exitCode: 137, stdout: "started\n", timedOut: true });
      expect(result.durationMs).toBeLessThan(3_500);
    });

    it("a gear that ends leaves nobody waiting for what it started", async () => {
      const result = await at.run("bash", "sleep 600 & setsid sleep 20 & echo over");
      expect(result).toEqual({ ...done, stdout: "over\n" });
      expect(result.durationMs).toBeLessThan(3_000);
    });

    it("cancelled before it began: nothing runs", async () => {
      expect(await at.run("bash", "echo ran", { signal: AbortSignal.abort() })).toEqual({
        ...done,
        exitCode: 137,
        stdout: "",
      });
    });

    it("runs of one gear side by side do not see each other", async () => {
      const results = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          at.run("bash", `cat inputs/n; ls inputs | wc -l`, { inputs: [file("n", `${n}\n`)] }),
        ),
      );
      expect(results).toEqual([1, 2, 3, 4].map((n) => ({ ...done, stdout: `${n}\n1\n` })));
    });

    it("the surroundings are the gear's: no variable of ours, a home and a temporary folder that can be written", async () => {
      const code = 'touch "$HOME/a" "$(mktemp)"; compgen -e | sort';
      const result = await at.run("bash", code);
      expect(result).toEqual({ ...done, stdout: expect.any(String) as string });
      const known = [
        // By this the processes of a gear are found when it ends (src/kit/run-mark.ts).
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

    it("after the runs no folder is left", async () => {
      await at.settled();
      const left = (await readdir(at.folder, { recursive: true })).filter((name) =>
        name.includes("cairn-run-"),
      );
      // One waits in the pool of each image.
      expect(
        left.filter((name) => name.includes("main") || (kind !== "warm" && !name.includes("sh-"))),
      ).toEqual([]);
    });
  });
}
