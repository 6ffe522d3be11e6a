// Goal: tests start a docker daemon although one that was killed left its file behind, and leave the file of one that runs.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { removeStalePid } from "../../kit/docker.ts";
import { temporaryFolder } from "../../kit/folder.ts";

test.if(process.platform === "linux")(
  "removes a file whose number is of nobody or of another program",
  async () => {
    await using folder = await temporaryFolder();
    const own = basename(process.execPath);
    const isKept = async (text: string, program: string) => {
      const path = await folder.write("pid", text);
      await removeStalePid(path, program);
      return existsSync(path);
    };
    expect(await isKept(`${process.pid}`, own)).toBe(true);
    expect(await isKept(`${process.pid}\n`, own)).toBe(true);
    expect(await isKept(`${process.pid}`, "dockerd")).toBe(false);
    expect(await isKept("4194305", own)).toBe(false);
    expect(await isKept("nonsense", own)).toBe(false);
    await removeStalePid(`${folder.path}/none`, own);
  },
);
