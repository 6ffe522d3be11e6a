// Goal: a setup of a server that is killed at any moment is finished by repeating it, or it was finished and its admin can sign in.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initServer } from "../../src/context/init-server.ts";
import { startServer } from "../../src/context/main.ts";
import { templateFiles } from "../../src/context/spaces/templates.ts";
import { atEnd } from "../kit/at-end.ts";
import { AppError } from "../../src/kit/error.ts";
import { temporaryFolder } from "../kit/folder.ts";

const CRASHING = join(import.meta.dir, "../kit/context/crashing-setup.ts");
/** More than a setup looks at the clock. */
const MOMENTS_MAX = 100;
const log = { format: "json" as const, write: () => {} };

/** Runs the setup again as the same command. Returns whether there was something left to do. */
async function repeated(directory: string): Promise<boolean> {
  try {
    await initServer({ directory, space: "plans", admin: "Ada", port: 0 }, log);
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    expect(error.message).toContain("already holds files of a server");
    return false;
  }
}

/** The server as the admin with the token of the setup finds it. */
async function foundBy(directory: string, token: string) {
  const server = await startServer({ directory, log });
  await using _ = atEnd(() => server.stop("looked"));
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  const users = await ask("/users");
  const spaces = await ask("/spaces");
  const files = await ask("/spaces/plans/files");
  return {
    users: users.body.map(({ name, role }: { name: string; role: string }) => [name, role]),
    spaces: spaces.body.map(({ name }: { name: string }) => name),
    files: files.body.map(({ path, version, state }: { path: string; version: number; state: string }) => [
      path,
      version,
      state,
    ]),
    audit: (await ask("/audit/verify")).body.ok,
  };
}

const whole = {
  users: [["Ada", "admin"]],
  spaces: ["plans"],
  files: templateFiles("team")
    .map(({ path }) => [path, 1, "live"])
    .sort(),
  audit: true,
};

// Filling in the page takes longer, so every third moment has to do. A moment takes several starts of a program, so each test has every other one.
describe.each([
  ["command", 1],
  ["page", 3],
] as const)("a setup by the %s", (way, step) => {
  test.each([1, 2])("is finished after a kill at any moment, part %d of 2", async (part) => {
    await using folder = await temporaryFolder();
    let kills = 0;
    for (let moment = 1 + (part - 1) * step; moment < MOMENTS_MAX; moment += 2 * step) {
      const directory = join(folder.path, String(moment));
      const child = Bun.spawn([process.execPath, CRASHING, way, directory, String(moment)]);
      if ((await child.exited) === 0) break;
      expect([moment, child.signalCode]).toEqual([moment, "SIGKILL"]);
      kills += 1;
      const wasLeft = await repeated(directory);
      // The page gives its admin a password and no token.
      if (way === "page" && !wasLeft) continue;
      const token = readFileSync(join(directory, "auth/bootstrap_admin.token"), "utf8").trim();
      expect([moment, await foundBy(directory, token)]).toEqual([moment, whole]);
    }
    expect(kills).toBeGreaterThan(2);
  });
});
