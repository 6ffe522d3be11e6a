// Goal: a program that a test starts and that never listens does not outlive the attempt.

import { expect, test } from "bun:test";
import { listening, LogReader } from "../kit/log-reader.ts";

test.skipIf(process.platform === "win32")("a program that does not come to listen is killed", async () => {
  const line = `{"time":"","level":"info","message":"starting"}`;
  const command = ["sh", "-c", `echo '${line}' >&2; exec sleep 600 2>/dev/null`];
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
  const said = new RegExp(`no log line "listening"; the program said:\n${line}`);
  await expect(listening(child, new LogReader(child.stderr))).rejects.toThrow(said);
  expect(child.signalCode).toBe("SIGKILL");
});
