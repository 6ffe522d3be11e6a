// Goal: a place that is missing, is a file or belongs to somebody else is named with the reason and the way out, and nothing is left there.

import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { asNobody, bound, giveToNobody } from "../kit/as-nobody.ts";
import { refused, stoppedContext } from "../kit/cli/cairn.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

/** A space, a server, a backup of it and a directory that their owner may read but not write. */
async function desk(folder: Folder) {
  const at = (...names: string[]) => join(folder.path, ...names);
  chmodSync(folder.path, 0o755);
  for (const name of ["home", "own", "closed"]) mkdirSync(at(name));
  await folder.write("own/file", "");
  for (const name of ["home", "own", "closed"]) giveToNobody(at(name));
  const server = at("own", "server");
  const run = (args: readonly string[], variables: Record<string, string> = {}) =>
    asNobody(args, {
      environment: { HOME: at("home"), SERVICE_SERVER_DIR: server, SERVICE_DIR: "", ...variables },
    });
  const init = ["init", "server", "--data-dir", server, "--space", "team", "--admin", "ada"];
  expect((await run([...init, "--port", "0", "--non-interactive"])).exitCode).toBe(0);
  expect((await run(["backup", "create", "--out", at("own", "copy")])).exitCode).toBe(0);
  expect((await run(["init", "solo", "--dir", at("own", "notes"), "--template", "blank"])).exitCode).toBe(0);
  chmodSync(at("closed"), 0o500);
  return {
    at,
    refused: async (args: readonly string[], variables?: Record<string, string>) => {
      const { exitCode, stderr } = await run(args, variables);
      return [exitCode, stderr.replace(/^server: .*\n/, "")];
    },
    [Symbol.dispose]: () => chmodSync(at("closed"), 0o700),
  };
}

const failure = (text: string): [number, string] => [1, `Error: ${text}\n`];

bound("temporary files of a backup and of a space that cannot be written", async () => {
  await using folder = await temporaryFolder();
  using one = await desk(folder);
  const [copy, notes, closed] = [one.at("own", "copy"), one.at("own", "notes"), one.at("closed")];
  chmodSync(join(notes, ".cairn"), 0o500);
  for (const [place, reason] of [
    [one.at("own", "missing"), "no such directory"],
    [one.at("own", "file"), "not a directory"],
    [closed, "permission denied"],
  ] as const) {
    const says = failure(
      `cannot create temporary files in ${place}: ${reason}; set TMPDIR to a directory that you can write to`,
    );
    expect(await one.refused(["backup", "verify", copy], { TMPDIR: place })).toEqual(says);
    expect(await one.refused(["status", "--dir", notes], { TMPDIR: place })).toEqual(says);
  }
  chmodSync(join(notes, ".cairn"), 0o700);
  expect(readdirSync(closed)).toEqual([]);
});

bound("backups into a directory that cannot be written, and below a file", async () => {
  await using folder = await temporaryFolder();
  using one = await desk(folder);
  const [copy, file, closed] = [one.at("own", "copy"), one.at("own", "file"), one.at("closed")];
  const restored = (place: string) => one.refused(["backup", "restore", copy, "--server-dir", place]);
  const denied = failure(`${closed} cannot be written: permission denied; restore into another directory`);
  expect(await restored(join(closed, "new"))).toEqual(denied);
  expect(await restored(closed)).toEqual(denied);
  expect(readdirSync(closed)).toEqual([]);
  expect(await restored(join(file, "new"))).toEqual(
    failure(`${file}: not a directory; restore into another directory`),
  );
  expect(await one.refused(["backup", "create", "--out", join(file, "new")])).toEqual(
    failure(`${file}: not a directory; choose another directory`),
  );
});

bound("new servers, spaces and services where nothing can be created", async () => {
  await using folder = await temporaryFolder();
  using one = await desk(folder);
  const [file, closed] = [one.at("own", "file"), one.at("closed")];
  const server = ["init", "server", "--space", "a", "--admin", "ada", "--port", "0", "--non-interactive"];
  const created = (place: string) => one.refused([...server, "--data-dir", place]);
  const place = join(closed, "in", "new");
  expect(await created(place)).toEqual(
    failure(
      `cannot create ${place}: ${closed} cannot be written: permission denied; choose another directory`,
    ),
  );
  expect(await created(join(file, "new"))).toEqual(
    failure(
      `cannot create ${join(file, "new")}: a part of the path is not a directory; choose another directory`,
    ),
  );
  expect(await one.refused(["init", "solo", "--dir", place])).toEqual(
    failure(`cannot write in ${closed}: permission denied; choose another folder`),
  );
  const serve = ["serve", "--listen", "127.0.0.1:0", "--data", place];
  const { exitCode, stderr } = await asNobody(serve, { program: "service" });
  expect([exitCode, stderr]).toEqual(
    failure(`data directory ${place}: permission denied; name another one with --data`),
  );
  expect(readdirSync(closed)).toEqual([]);
});

bound("a copy that may not be looked into is not called a folder without a server", async () => {
  await using folder = await temporaryFolder();
  using one = await desk(folder);
  const notes = one.at("own", "notes");
  chmodSync(notes, 0);
  const says = failure(`${notes}: permission denied; run the command as the owner, or give yourself access`);
  for (const command of ["sync", "pull", "push", "daemon install", "daemon status"])
    expect([command, await one.refused([...command.split(" "), "--dir", notes])]).toEqual([command, says]);
  chmodSync(notes, 0o700);
});

test.skipIf(process.platform === "win32")("symbolic links that lead nowhere, or in a circle", async () => {
  await using server = await stoppedContext("blank");
  const at = (name: string) => join(server.folder.path, name);
  const copy = at("copy.tar.zst");
  await server.printed("backup", "create", "--out", copy);
  symlinkSync(at("missing"), at("nowhere"));
  symlinkSync(at("circle"), at("circle"));
  for (const name of ["nowhere", "circle"]) {
    const link = at(name);
    const broken = "a symbolic link that leads nowhere";
    expect(await refused("init", "solo", "--dir", link)).toEqual(
      failure(`cannot create ${link}: ${broken}; choose another directory`),
    );
    expect(await server.refused("backup", "create", "--out", link)).toEqual(
      failure(`${link}: ${broken}; choose another name`),
    );
    expect(await refused("backup", "restore", copy, "--server-dir", link)).toEqual(
      failure(`${link}: ${broken}; restore into another directory`),
    );
  }
  expect(await refused("activate", at("circle"), "--dir", at("notes"))).toEqual(
    failure(`${at("circle")}: symbolic links in the path lead in a circle`),
  );
  expect(readdirSync(server.folder.path).toSorted()).toEqual(["circle", "copy.tar.zst", "nowhere", "server"]);
});
