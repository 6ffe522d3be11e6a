// Goal: a command that the system lets neither read nor write names the place, the reason and the way out, and never calls that a defect.

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { asNobody, bound, giveToNobody } from "../kit/as-nobody.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

const WAY_OUT = "run the command as the owner, or give yourself access";

/** A server of somebody whom modes bind, and a directory that they may not enter. */
async function server(folder: Folder) {
  const at = (...names: string[]) => join(folder.path, ...names);
  chmodSync(folder.path, 0o755);
  for (const name of ["home", "own", "shut"]) mkdirSync(at(name));
  for (const name of ["home", "own", "shut"]) giveToNobody(at(name));
  const directory = at("own", "server");
  const run = (args: readonly string[], variables: Record<string, string> = {}) =>
    asNobody(args, { environment: { HOME: at("home"), SERVICE_SERVER_DIR: directory, ...variables } });
  const init = ["init", "server", "--data-dir", directory, "--space", "team", "--admin", "ada"];
  expect((await run([...init, "--port", "0", "--non-interactive"])).exitCode).toBe(0);
  expect((await run(["backup", "create", "--out", at("own", "copy")])).exitCode).toBe(0);
  chmodSync(at("shut"), 0);
  return {
    at,
    inside: (...names: string[]) => join(directory, ...names),
    refused: async (args: readonly string[], variables?: Record<string, string>) => {
      const { exitCode, stderr } = await run(args, variables);
      return [exitCode, stderr];
    },
    run,
    /** Opens every directory again, which only root can remove otherwise. */
    [Symbol.dispose]() {
      const closed = [
        at("shut"),
        ...["tls", "logs", "spaces/lost+found"].map((name) => join(directory, name)),
      ];
      for (const path of closed) if (existsSync(path)) chmodSync(path, 0o700);
    },
  };
}

const failure = (place: string) => [1, `Error: ${place}: permission denied; ${WAY_OUT}\n`];

bound("a log that may not be written or read", async () => {
  await using folder = await temporaryFolder();
  using at = await server(folder);
  const log = at.inside("logs", "server.log");
  await Bun.write(log, "one\n");
  giveToNobody(at.inside("logs"));
  chmodSync(log, 0);
  expect(await at.refused(["server", "start", "--detach"])).toEqual(failure(log));
  expect(await at.refused(["server", "logs"])).toEqual(failure(log));
});

bound("a directory of certificates that may not be written", async () => {
  await using folder = await temporaryFolder();
  using at = await server(folder);
  mkdirSync(at.inside("tls"), { mode: 0o500, recursive: true });
  giveToNobody(at.inside("tls"));
  chmodSync(at.inside("tls"), 0o500);
  const command = ["server", "tls", "gen", "--host", "lab.example"];
  expect(await at.refused(command)).toEqual(failure(at.inside("tls")));
});

bound("backups in directories, and of files, without access", async () => {
  await using folder = await temporaryFolder();
  using at = await server(folder);
  const [copy, shut] = [at.at("own", "copy"), at.at("shut")];
  expect(await at.refused(["backup", "create", "--out", join(shut, "x")])).toEqual([
    1,
    `Error: ${shut} cannot be written by the server: permission denied; choose another directory\n`,
  ]);
  const restore = ["backup", "restore", copy, "--server-dir", join(shut, "new")];
  expect(await at.refused(restore)).toEqual(failure(shut));
  // Temporary files of another user, as `sudo -u` leaves them set.
  expect(await at.refused(["backup", "verify", copy], { TMPDIR: shut })).toEqual([
    1,
    `Error: cannot create temporary files in ${shut}: permission denied; set TMPDIR to a directory that you can write to\n`,
  ]);
  chmodSync(copy, 0);
  for (const command of ["verify", "restore"])
    expect(await at.refused(["backup", command, copy], { SERVICE_SERVER_DIR: at.at("own", "new") })).toEqual(
      failure(copy),
    );
});

bound("doctor says which directory of a space, or of the server, cannot be used", async () => {
  await using folder = await temporaryFolder();
  using at = await server(folder);
  for (const shut of [
    at.inside("spaces", "team"),
    at.inside("spaces", "team", ".cairn"),
    at.inside("auth"),
  ]) {
    chmodSync(shut, 0);
    const { exitCode, stdout } = await at.run(["doctor"]);
    chmodSync(shut, 0o700);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`cannot read and write ${shut}\n`)]);
    expect(stdout).toContain(`fix: chmod u+rwX ${shut}\n`);
    expect(stdout).not.toContain("is missing");
  }
  chmodSync(at.inside(), 0);
  const { stdout } = await at.run(["doctor", "--server-dir", at.inside()]);
  chmodSync(at.inside(), 0o700);
  for (const check of ["run file", "bootstrap token", "spaces"])
    expect(stdout).toMatch(
      new RegExp(`^skipped +${check} +could not be checked: ${at.inside()}: permission denied$`, "m"),
    );
  expect(stdout).not.toContain("EACCES");
});

bound(
  "a backup does not leave out a space whose folder cannot be entered, and doctor blames no other folder",
  async () => {
    await using folder = await temporaryFolder();
    using at = await server(folder);
    // As a disk of its own has it.
    mkdirSync(at.inside("spaces", "lost+found"), { mode: 0 });
    const { stdout } = await at.run(["doctor"]);
    expect(stdout).toContain("lost+found: not a space, because .cairn/space.yaml is missing\n");
    for (const shut of [at.inside("spaces", "team"), at.inside("spaces", "team", ".cairn")]) {
      chmodSync(shut, 0);
      const answer = await at.refused(["backup", "create", "--out", at.at("own", "second")]);
      chmodSync(shut, 0o700);
      const place = at.inside("spaces", "team", ".cairn");
      expect(answer[0]).not.toBe(0);
      expect(answer[1]).toMatch(/^Error: team: .*: permission denied/);
      expect(answer[1]).toContain(place);
    }
  },
);
