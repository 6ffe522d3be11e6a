// Goal: a child never outstays its deadline, never fills memory, and never holds its caller by what it left behind.

import { describe, expect, test } from "bun:test";
import { OutputCapture } from "../../src/kit/processes/capture.ts";
import { runProcess, startProcess } from "../../src/kit/processes/process.ts";

const environment = { PATH: process.env.PATH ?? "" };
const options = { environment, deadlineMs: 10_000, outputBytesMax: 1_000 };

describe.skipIf(process.platform === "win32")("processes", () => {
  test("return both streams and the exit code", async () => {
    expect(await runProcess(["sh", "-c", "echo out; echo err >&2; exit 4"], options)).toEqual({
      exitCode: 4,
      stdout: "out\n",
      stderr: "err\n",
      timedOut: false,
    });
  });

  test("report a missing program as an outcome", async () => {
    expect(await runProcess(["no-such-program"], options)).toEqual({
      exitCode: null,
      stdout: "",
      stderr: "no-such-program: not found",
      timedOut: false,
    });
  });

  test("the deadline holds, also when a process outside the group keeps the pipe", async () => {
    const started = performance.now();
    const outcome = await runProcess(["sh", "-c", "setsid sleep 10 & echo out; sleep 10"], {
      ...options,
      deadlineMs: 200,
    });
    expect(outcome).toEqual({ exitCode: null, stdout: "out\n", stderr: "", timedOut: true });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("output beyond the limit is read and dropped", async () => {
    const { exitCode, stdout } = await runProcess(
      ["sh", "-c", "head -c 500000 /dev/zero | tr '\\0' x"],
      options,
    );
    expect({ exitCode, length: stdout.length }).toEqual({ exitCode: 0, length: 1_000 });
  });

  test("input after the child's end is dropped in silence", async () => {
    const child = (await startProcess(["true"], { environment, output: () => {} }))!;
    await child.ended;
    child.write("late");
    child.endInput();
    expect(await child.ended).toEqual({ exitCode: 0, signalled: false });
  });

  test("a signal is told as shells tell it", async () => {
    const child = (await startProcess(["sh", "-c", "kill -TERM $$"], { environment, output: () => {} }))!;
    expect(await child.ended).toEqual({ exitCode: 143, signalled: true });
  });
});

describe("capture", () => {
  test("a character that the limit cuts in two is left out, an invalid one is replaced, a byte order mark stays", () => {
    const cut = new OutputCapture(4);
    for (const piece of ["ab", "ä", "ö"]) cut.add(Buffer.from(piece));
    expect({ text: cut.text(), truncated: cut.truncated }).toEqual({ text: "abä", truncated: true });
    const middle = new OutputCapture(3);
    middle.add(Buffer.from("abä"));
    expect({ text: middle.text(), truncated: middle.truncated }).toEqual({ text: "ab", truncated: true });
    const odd = new OutputCapture(100);
    odd.add(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xc3]));
    expect({ text: odd.text(), truncated: odd.truncated }).toEqual({
      text: "\ufeffa\ufffd",
      truncated: false,
    });
  });
});
