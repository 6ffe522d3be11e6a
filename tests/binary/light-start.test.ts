// Goal: a small command of the compiled programs reads the code that it needs, and not all code of the program.

import { expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";

/** 27 MB with the code in pieces and 39 MB in one, whatever else the machine does. */
const BYTES_MAX = 33 * 1024 * 1024;

test.skipIf(process.platform !== "linux").each(["service", "cairn"] as const)(
  "%s version",
  async (program) => {
    const child = Bun.spawn([binaryPath(program), "version"], { stdio: ["ignore", "ignore", "inherit"] });
    expect(await child.exited).toBe(0);
    expect(child.resourceUsage()!.maxRSS).toBeLessThan(BYTES_MAX);
  },
);
