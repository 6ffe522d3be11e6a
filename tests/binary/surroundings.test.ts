// Goal: the compiled programs take nothing from the folder they are started in, and carry the stamp of their build.

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readManifest } from "../../release/step.ts";
import { programs } from "../../release/targets.ts";
import { binaryPath, runBinary } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

for (const { name } of programs) {
  describe(name, () => {
    test("a hostile bunfig.toml, .env, package.json and tsconfig.json in the current directory have no effect", async () => {
      await using folder = await temporaryFolder();
      const marker = join(folder.path, "marker");
      const preload = await folder.write(
        "preload.ts",
        `require("node:fs").writeFileSync(${JSON.stringify(marker)}, String(process.env.FROM_DOTENV));`,
      );
      await folder.write(
        "bunfig.toml",
        `preload = [${JSON.stringify(preload)}]\n[run]\npreload = ["./preload.ts"]\n`,
      );
      await folder.write(
        ".env",
        "FROM_DOTENV=1\nSERVICE_DATA=/nowhere\nBUN_OPTIONS=--preload=./preload.ts\n",
      );
      await folder.write("package.json", "{ not json");
      await folder.write("tsconfig.json", "{ not json");
      const here = await runBinary(name, ["version"], { cwd: folder.path });
      expect(here).toEqual(await runBinary(name, ["version"]));
      expect(here).toEqual({ exitCode: 0, stderr: "", stdout: expect.stringMatching(/^(service|cairn) \d/) });
      expect(existsSync(marker)).toBe(false);
    });

    test("the same bunfig.toml does work on Bun itself, so the test above can fail", async () => {
      await using folder = await temporaryFolder();
      await folder.write(
        "preload.ts",
        `require("node:fs").writeFileSync("marker", String(process.env.FROM_DOTENV));`,
      );
      await folder.write("bunfig.toml", `preload = ["./preload.ts"]\n`);
      await folder.write(".env", "FROM_DOTENV=1\n");
      await folder.write("main.ts", "");
      const child = Bun.spawn([process.execPath, "main.ts"], {
        cwd: folder.path,
        env: process.env,
        stdio: ["ignore", "ignore", "ignore"],
      });
      await child.exited;
      expect(await Bun.file(join(folder.path, "marker")).text()).toBe("1");
    });

    test("version says which build it is", async () => {
      const { stdout, exitCode } = await runBinary(name, ["version"]);
      const { version } = await readManifest();
      expect(exitCode).toBe(0);
      expect(stdout).toContain(version);
      expect(stdout).not.toContain("-dev");
      expect(stdout).toMatch(/\b([0-9a-f]{12}|unknown)\b/);
    });

    test("the paths of the build machine are not inside", async () => {
      const bytes = Buffer.from(await Bun.file(binaryPath(name)).bytes());
      expect(bytes.includes("src/kit/terminal/cli.ts")).toBe(true); // Names of sources are there, or this would prove nothing.
      expect(bytes.includes(ROOT)).toBe(false);
    });
  });
}

test("cairn version prints one value in three forms", async () => {
  const json = JSON.parse((await runBinary("cairn", ["version", "--json"])).stdout) as Record<string, string>;
  const yaml = Bun.YAML.parse((await runBinary("cairn", ["version", "--yaml"])).stdout);
  const text = (await runBinary("cairn", ["version"])).stdout;
  expect(Object.keys(json)).toEqual(["version", "commit", "date"]);
  expect(yaml).toEqual(json);
  expect(text).toBe(`cairn ${json.version} (commit ${json.commit}, ${json.date})\n`);
});
