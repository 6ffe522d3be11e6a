// Goal: the chart creates the context server once, and finishes a setup that ended with its pod.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { binaryPath } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

const TEMPLATE = readFileSync(join(ROOT, "release/chart/templates/server.yaml"), "utf8");
const COMMAND = /^ *(cairn init server .*)/m.exec(TEMPLATE)![1]!;

test("the first start of the chart's server creates it, also after a pod that ended meanwhile", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const start = (space: string) => {
    const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", COMMAND], {
      env: {
        PATH: `${dirname(binaryPath("cairn"))}:${process.env["PATH"]}`,
        HOME: folder.path,
        SERVICE_SERVER_DIR: directory,
        SPACE: space,
        ADMIN: "ada",
      },
    });
    return [exitCode, stdout.includes("token of ada")];
  };
  expect(start("not a name")).toEqual([1, false]);
  expect(existsSync(directory)).toBe(false);
  expect(start("main")).toEqual([0, true]);
  const config = readFileSync(join(directory, "server.yaml"));
  expect(start("main")).toEqual([0, false]);
  // Only the configuration was written.
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  await folder.write("server/server.yaml", config.toString());
  chmodSync(join(directory, "server.yaml"), 0o600);
  expect(start("main")).toEqual([0, true]);
});
