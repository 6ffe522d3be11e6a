// A port that no other test takes, also while nothing listens there: for servers that come back to an address, or move to one. Every other server of
// a test listens on port 0.

import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../src/kit/error.ts";
import { freePort } from "../../src/kit/network/port.ts";
import { thingsOfRun } from "./run-end.ts";

/** The tests of other processes see the mark of a port, which is there until the run ends. */
export async function keptPort(host = "127.0.0.1"): Promise<number> {
  for (;;) {
    const port = await freePort(host);
    const mark = join(tmpdir(), `cairn-test-port-${port}`);
    try {
      writeFileSync(mark, "", { flag: "wx" });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      continue;
    }
    thingsOfRun()?.defer(() => rmSync(mark, { force: true }));
    return port;
  }
}
