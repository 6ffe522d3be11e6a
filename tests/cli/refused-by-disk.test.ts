// Goal: each file that the disk refuses is named with the reason and makes the command fail at its end, while all others arrive; once the cause is
// corrected, the next sync stores it.

import { expect } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SyncReport } from "../../src/context/replica/report.ts";
import { asNobody, bound, giveToNobody } from "../kit/as-nobody.ts";
import { runBinary, type Outcome } from "../kit/binaries.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { mounting, smallDisk } from "../kit/small-disk.ts";

/** A server with two files, and a home with the token of a person who syncs. */
async function office() {
  const folder = await temporaryFolder();
  const server = await contextServer();
  const { token } = await server.user("ann", "contributor");
  await server.admin.write("docs/a.md", "one\n");
  await server.admin.write("top.md", "one\n");
  const at = (...names: string[]) => join(folder.path, ...names);
  chmodSync(folder.path, 0o755);
  for (const name of ["home", "copy"]) mkdirSync(at(name));
  await Bun.write(at("home", "token"), token);
  for (const name of ["home", "copy"]) giveToNobody(at(name));
  const environment = {
    HOME: at("home"),
    SERVICE_TOKEN: token,
    SERVICE_TOKEN_SERVER: server.url,
    SERVICE_DIR: at("copy"),
  };
  const join_ = ["init", "client", "--server", server.url, "--space", "team"];
  return {
    folder,
    server,
    at,
    join: join_,
    read: (name: string) => readFileSync(at("copy", name), "utf8"),
    run: (...args: string[]): Promise<Outcome> => asNobody(args, { environment }),
    asRoot: (...args: string[]) => runBinary("cairn", args, { environment }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1);
const reportOf = ({ stdout }: Outcome) => JSON.parse(stdout) as SyncReport;

bound("a sync names the file that a directory without rights refuses", async () => {
  await using one = await office();
  expect((await one.run(...one.join)).exitCode).toBe(0);
  await one.server.admin.write("docs/a.md", "two\n");
  await one.server.admin.write("docs/b.md", "new\n");
  await one.server.admin.write("top.md", "two\n");
  chmodSync(one.at("copy", "docs"), 0o500);
  const reason = "cannot use the file in the working tree: permission denied";
  const behind = ["docs/a.md", "docs/b.md"].map((path) => ({ path, reason }));
  const pulled = await one.run("pull", "--json");
  expect([pulled.exitCode, reportOf(pulled)]).toMatchObject([1, { pulled: ["top.md"], held: [], behind }]);
  expect([one.read("top.md"), one.read("docs/a.md")]).toEqual(["two\n", "one\n"]);
  // As long as it lasts; each warning is said once, however often the command looks.
  const again = await one.run("sync");
  expect([again.exitCode, again.stdout]).toEqual([
    1,
    expect.stringContaining(`out of date  docs/a.md: ${reason}\nout of date  docs/b.md: ${reason}\n`),
  ]);
  expect(lastLine(again.stderr)).toBe("Error: the disk refused to store 2 files; see above");
  const warnings = again.stderr.trimEnd().split("\n").slice(0, -1);
  expect(warnings).toHaveLength(new Set(warnings).size);
  expect((await one.run("sync", "--dry-run")).exitCode).toBe(0);
  chmodSync(one.at("copy", "docs"), 0o700);
  const after = await one.run("sync", "--json");
  expect([after.exitCode, reportOf(after)]).toMatchObject([0, { pushed: [], withdrawn: [], behind: [] }]);
  expect([one.read("docs/a.md"), one.read("docs/b.md")]).toEqual(["two\n", "new\n"]);
});

bound("a first clone names what it could not store, and the next sync stores it", async () => {
  await using one = await office();
  mkdirSync(one.at("copy", "docs"), { mode: 0o500 });
  giveToNobody(one.at("copy"));
  const { exitCode, stdout, stderr } = await one.run(...one.join);
  expect([exitCode, lastLine(stderr)]).toEqual([1, "Error: the disk refused to store 1 file; see above"]);
  expect(stdout).toContain(
    "\nout of date  docs/a.md: cannot use the file in the working tree: permission denied\n",
  );
  expect(one.read("top.md")).toBe("one\n");
  chmodSync(one.at("copy", "docs"), 0o700);
  expect((await one.run("sync")).exitCode).toBe(0);
  expect(one.read("docs/a.md")).toBe("one\n");
});

bound("a clone whose token cannot be saved says so, and syncs with the token of each command", async () => {
  await using one = await office();
  chmodSync(one.at("home"), 0o500);
  const { exitCode, stderr } = await one.run(...one.join, "--token-file", one.at("home", "token"));
  const saved = one.at("home", ".cairn", "credentials.json");
  expect([exitCode, lastLine(stderr)]).toEqual([
    1,
    `Error: cannot save the token in ${saved}: permission denied; give yourself access, or pass the token to each command with --token-file, or SERVICE_TOKEN beside SERVICE_TOKEN_SERVER`,
  ]);
  expect((await one.run("sync")).stdout).toStartWith("up to date with team of ");
});

bound(
  "a new space names the pages that it could not store, and the files that it could not record",
  async () => {
    await using folder = await temporaryFolder();
    chmodSync(folder.path, 0o755);
    const at = (...names: string[]) => join(folder.path, "notes", ...names);
    await folder.write("notes/mine.md", "mine\n");
    mkdirSync(at("team"));
    giveToNobody(at());
    chmodSync(at("team"), 0o500);
    chmodSync(at("mine.md"), 0);
    const environment = { HOME: folder.path, SERVICE_DIR: "" };
    const run = (...args: string[]) => asNobody([...args, "--dir", at()], { environment });
    const { exitCode, stdout, stderr } = await run("init", "solo", "--adopt");
    chmodSync(at("team"), 0o700);
    expect([exitCode, lastLine(stderr)]).toEqual([
      1,
      expect.stringContaining("Error: the change is recorded, but 2 files on disk are out of date: "),
    ]);
    const reason = "cannot use the file in the working tree: permission denied";
    expect(stdout).toContain(
      `\nnot on disk: team/principles.md: ${reason}\nnot on disk: team/skill-map.md: ${reason}\n`,
    );
    expect(stdout).toContain("\nnot recorded: mine.md: permission denied\n");
    expect(await Bun.file(at("decisions.md")).exists()).toBe(true);
    await run("space", "show");
    expect(await Bun.file(at("team", "principles.md")).exists()).toBe(true);
  },
);

mounting("a directory on another disk is named as such", async () => {
  await using one = await office();
  await using disk = await smallDisk({ path: one.at("copy") }, "docs");
  if (!disk) return;
  const { exitCode, stdout } = await one.asRoot(...one.join);
  const reason = "cannot use the file in the working tree: the directory is on another disk than the rest";
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`out of date  docs/a.md: ${reason}\n`)]);
  expect(one.read("top.md")).toBe("one\n");
});

mounting("a full disk stops a sync with the reason, and the next one continues", async () => {
  await using one = await office();
  await using disk = await smallDisk({ path: one.at() }, "small");
  if (!disk) return;
  const at = ["--dir", join(disk.path, "copy")];
  expect((await one.asRoot(...one.join, ...at)).exitCode).toBe(0);
  await one.server.admin.write("docs/big.md", "x".repeat(64 * 1024));
  await disk.fill();
  const { exitCode, stdout, stderr } = await one.asRoot("sync", ...at);
  expect([exitCode, stdout, lastLine(stderr)]).toEqual([
    2,
    "",
    // It may have recorded edits before.
    "Error: the disk is full; finished steps are kept; free some space and try again",
  ]);
  await disk.free();
  const after = await one.asRoot("sync", "--json", ...at);
  expect([after.exitCode, reportOf(after)]).toMatchObject([0, { pulled: ["docs/big.md"], behind: [] }]);
});

mounting("a command that a full disk stops says so and leaves nothing behind", async () => {
  await using folder = await temporaryFolder();
  await using disk = await smallDisk(folder);
  if (!disk) return;
  const at = (name: string) => join(disk.path, name);
  const failed = async (...args: string[]) => {
    const { exitCode, stderr } = await runBinary("cairn", args);
    return [exitCode, stderr];
  };
  const says = (place = "") => [2, `Error: ${place}the disk is full; free some space and try again\n`];
  const server = ["init", "server", "--non-interactive", "--noui", "--space", "main", "--admin", "ada"];
  await disk.fill();
  expect(await failed("init", "solo", "--dir", at("space"))).toEqual(
    says(`${at("space/.cairn/space.db")}: `),
  );
  expect(await failed(...server, "--port", "0", "--data-dir", at("server"))).toEqual(says());
  expect(readdirSync(disk.path)).toEqual(["filler"]);
});
