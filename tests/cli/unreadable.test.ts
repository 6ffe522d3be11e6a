// Goal: a file or folder that the person may not read is said to be so, stops no command about others, and never counts as changed or deleted.

import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import type { ListedFile } from "../../src/context/files/listing-schema.ts";
import { asNobody, bound, commandAsNobody, giveToNobody } from "../kit/as-nobody.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { replica } from "../kit/context/replica.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

const DENIED = { code: "unreadable", reason: "permission denied" } as const;
const TEXTS: Readonly<Record<string, string>> = {
  "closed.md": "# Closed\n\n[open](open.md)\n",
  "open.md": "# Open\n\n[hidden](secret/hidden.md)\n",
  "secret/hidden.md": "# Hidden\n",
  "secret/deep/far.md": "# Far\n",
};

/** Takes the right to read away, and gives it back at the end. */
function close(...paths: string[]): Disposable {
  for (const path of paths) chmodSync(path, 0);
  return {
    [Symbol.dispose]() {
      for (const path of paths) chmodSync(path, 0o700);
    },
  };
}

/** A space in a folder of somebody whom modes bind. */
async function space(folder: Folder) {
  const directory = join(folder.path, "notes");
  chmodSync(folder.path, 0o755);
  for (const [path, text] of Object.entries(TEXTS)) await folder.write(`notes/${path}`, text);
  await folder.write("home/.keep", "");
  for (const name of ["notes", "home"]) giveToNobody(join(folder.path, name));
  const surroundings = { cwd: directory, environment: { HOME: join(folder.path, "home"), SERVICE_DIR: "" } };
  const run = (...args: string[]) => asNobody(args, surroundings);
  const printed = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([exitCode, stderr]).toEqual([0, ""]);
    return stdout;
  };
  await printed("init", "solo", "--dir", directory, "--template", "blank", "--non-interactive", "--quiet");
  await printed("space", "adopt");
  return {
    run,
    printed,
    on: (path: string) => join(directory, path),
    list: async () => {
      const files: ListedFile[] = JSON.parse(await printed("file", "list", "--json"));
      return files.map(({ path, version, state, refused }) => [path, version, state, refused]);
    },
  };
}

bound("what may not be read is listed with the reason, and every other file is served", async () => {
  await using folder = await temporaryFolder();
  const at = await space(folder);
  const clean = await at.list();
  expect(clean).toEqual(
    Object.keys(TEXTS)
      .sort()
      .map((path) => [path, 1, "live", undefined]),
  );
  {
    using _ = close(at.on("closed.md"), at.on("secret"));
    expect(await at.list()).toEqual([
      ["closed.md", 1, "refused", DENIED],
      ["open.md", 1, "live", undefined],
      ["secret/", null, "refused", DENIED],
      ["secret/deep/far.md", 1, "refused", DENIED],
      ["secret/hidden.md", 1, "refused", DENIED],
    ]);
    expect(await at.printed("status")).toContain("\n  refused    closed.md\n  refused    secret/\n");
    const adopting = await at.run("space", "adopt");
    expect([adopting.exitCode, adopting.stderr]).toEqual([1, "Error: 4 files were not adopted; see above\n"]);
    expect(adopting.stdout).toContain("refused closed.md: permission denied\n");
    // Readers see the version.
    expect(await at.printed("file", "get", "secret/hidden.md")).toBe("# Hidden\n");
    expect(await at.printed("graph", "--broken")).not.toContain("hidden.md");
    const exported = await at.run("export", "--format", "single");
    expect([exported.exitCode, exported.stdout.includes("# Open")]).toEqual([0, true]);
    expect(exported.stderr).toContain("not included: closed.md: permission denied\n");
    const write = asNobody(["file", "put", "closed.md", "--from", "-", "--dir", at.on("")], { input: "x" });
    const refusal = "Error: closed.md: cannot use the file in the working tree: permission denied\n";
    expect((await write).stderr).toBe(refusal);
  }
  expect(await at.list()).toEqual(clean);
});

bound("a restore of a snapshot deletes nothing that may not be read", async () => {
  await using folder = await temporaryFolder();
  const at = await space(folder);
  const clean = await at.list();
  await at.printed("history", "snapshot", "now");
  {
    using _ = close(at.on("secret"));
    expect(await at.printed("history", "restore", "1")).toStartWith("nothing to restore");
    // It would be overwritten unseen.
    const put = await at.run("file", "put", "secret/hidden.md", "--from", at.on("open.md"));
    expect(put).toMatchObject({ exitCode: 2, stdout: "" });
  }
  expect(await at.list()).toEqual(clean);
});

bound(
  "a sync deletes nothing on the server that may not be read here, and says what stays behind",
  async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    for (const [path, text] of Object.entries(TEXTS)) await server.admin.write(path, text);
    const { token } = await server.user("ann", "contributor");
    const directory = join(folder.path, "copy");
    const copy = replica({ directory, url: () => server.url, token });
    await copy.join();
    chmodSync(folder.path, 0o755);
    giveToNobody(directory);
    const environment = {
      HOME: directory,
      SERVICE_TOKEN: token,
      SERVICE_TOKEN_SERVER: server.url,
      SERVICE_DIR: directory,
    };
    const sync = () => asNobody(["sync", "--json"], { environment });
    expect((await sync()).exitCode).toBe(0);
    {
      using _ = close(join(directory, "closed.md"), join(directory, "secret"));
      await Bun.write(join(directory, "open.md"), "# Opened\n");
      const { exitCode, stdout } = await sync();
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([
        1,
        {
          pushed: ["open.md"],
          withdrawn: [],
          refused: [
            { path: "closed.md", ...DENIED },
            { path: "secret/", ...DENIED },
            { path: "secret/deep/far.md", ...DENIED },
            { path: "secret/hidden.md", ...DENIED },
          ],
        },
      ]);
    }
    const after = JSON.parse((await sync()).stdout);
    expect(after).toMatchObject({ pulled: [], pushed: [], withdrawn: [], refused: [] });
  },
);

bound("a space or a project without access is called that, not missing", async () => {
  await using folder = await temporaryFolder();
  const at = await space(folder);
  const directory = join(folder.path, "notes");
  {
    using _ = close(directory);
    const answer = await asNobody(["file", "list", "--dir", directory]);
    expect(answer).toMatchObject({
      exitCode: 1,
      stderr: `Error: ${directory}: permission denied; make it readable, or name another space with --dir\n`,
    });
  }
  {
    using _ = close(at.on(".cairn"));
    const inside = await at.run("status");
    const remedy = "make it readable, or name another space with --dir";
    const shut = `Error: ${at.on(".cairn")} cannot be read: permission denied; ${remedy}\n`;
    expect(inside).toMatchObject({ exitCode: 1, stdout: "", stderr: shut });
    const named = await asNobody(["status", "--dir", directory]);
    expect(named).toMatchObject({
      exitCode: 1,
      stderr: `Error: ${directory}: permission denied; make it readable, or name another space with --dir\n`,
    });
  }
  const project = join(folder.path, "project");
  mkdirSync(project, { mode: 0o555 });
  giveToNobody(project);
  const wired = await asNobody(["activate", project, "--only", "claude-code", "--dir", directory]);
  expect(wired).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      ": permission denied; run the command as the owner, or give yourself access\n",
    ),
  });
  expect(await at.list()).toHaveLength(Object.keys(TEXTS).length);
});

bound("what the disk refused to take is no edit", async () => {
  await using folder = await temporaryFolder();
  const at = await space(folder);
  chmodSync(join(folder.path, "notes"), 0o555);
  const put = await at.run("file", "put", "open.md", "--from", at.on("closed.md"));
  await at.run("file", "put", "new.md", "--from", at.on("closed.md"));
  const listed: ListedFile[] = JSON.parse((await at.run("file", "list", "--json")).stdout);
  const adopted = await at.run("space", "adopt");
  chmodSync(join(folder.path, "notes"), 0o755);
  expect([put.exitCode, put.stdout]).toEqual([1, "open.md is at v2 (26 B)\n"]);
  expect(put.stderr).toStartWith(
    "warning: the working tree is behind (path open.md, error open.md: cannot use the file in the working tree: permission denied)\n",
  );
  const states = listed.map(({ path, state }) => [path, state]);
  expect(states).toContainEqual(["open.md", "live"]);
  expect(states).toContainEqual(["new.md", "missing"]);
  expect(adopted.stdout).toBe("nothing to adopt\n");
  expect((await at.list()).map(([path, version]) => [path, version])).toEqual([
    ["closed.md", 1],
    ["new.md", 1],
    ["open.md", 2],
    ["secret/deep/far.md", 1],
    ["secret/hidden.md", 1],
  ]);
  expect(await Bun.file(at.on("open.md")).text()).toBe(TEXTS["closed.md"]!);
});

bound(
  "a change that the disk refuses to take is recorded, and the command says which file is old",
  async () => {
    await using folder = await temporaryFolder();
    const at = await space(folder);
    const directory = join(folder.path, "notes");
    const repair = "correct the cause, then run cairn space show, which updates the disk";
    const reason = "cannot use the file in the working tree: permission denied";
    const error = (path: string) =>
      `Error: the change is recorded, but 1 file on disk is out of date: ${join(directory, path)} (${reason}); ${repair}\n`;
    const lastLine = (text: string) => text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
    const refused = async (path: string, ...args: string[]) => {
      const { exitCode, stdout, stderr } = await at.run(...args);
      expect([exitCode, lastLine(stderr)]).toEqual([1, error(path)]);
      return stdout;
    };
    const put = ["file", "put", "open.md", "--from", at.on("secret/deep/far.md")];
    await at.printed("file", "delete", "secret/hidden.md");
    await at.printed("history", "snapshot", "before");
    await at.printed("file", "put", "open.md", "--from", at.on("closed.md"));
    chmodSync(directory, 0o555);
    chmodSync(at.on("secret"), 0o555);
    try {
      const restored = await at.run("history", "restore", "1", "--yaml");
      expect([restored.exitCode, Bun.YAML.parse(restored.stdout)]).toMatchObject([
        1,
        { files: ["open.md"], behind: [{ path: "open.md", reason }] },
      ]);
      expect(await refused("open.md", ...put)).toBe("open.md is at v4 (6 B)\n");
      const revert = ["file", "revert", "open.md", "--to", "v1"];
      expect(await refused("open.md", ...revert)).toBe("open.md is at v5, with the content of v1\n");
      expect(await refused("secret/hidden.md", "file", "undelete", "secret/hidden.md")).toContain("at v1\n");
      expect(await refused("closed.md", "file", "delete", "closed.md")).toContain(
        "closed.md is deleted (v1)",
      );
      // Only what this command changed makes it fail.
      const other = ["file", "put", "secret/deep/far.md", "--from", at.on("secret/deep/far.md")];
      expect((await at.run(...other)).exitCode).toBe(0);
      const asData = await at.run(...put, "--json");
      expect([asData.exitCode, JSON.parse(asData.stdout)]).toMatchObject([
        1,
        { path: "open.md", version: 6, behind: [{ path: "open.md", reason }] },
      ]);
      expect(asData.stderr).toContain("warning: the working tree is behind (path open.md, error ");
      expect(asData.stderr).not.toMatch(/^\d{4}-\d\d-\d\dT/m);
      const told = JSON.parse(asData.stderr.slice(asData.stderr.indexOf("{\n")));
      expect(told).toMatchObject({ error: { code: "refused", details: { behind: ["open.md"] } } });
    } finally {
      chmodSync(directory, 0o755);
      chmodSync(at.on("secret"), 0o755);
    }
    expect(await Bun.file(at.on("open.md")).text()).toBe(TEXTS["closed.md"]!);
    await at.printed("space", "show");
    expect(await at.list()).toEqual([
      ["open.md", 6, "live", undefined],
      ["secret/deep/far.md", 2, "live", undefined],
      ["secret/hidden.md", 1, "live", undefined],
    ]);
  },
);

bound("an edit that the disk refuses to take is recorded, and no copy of the text stays", async () => {
  await using folder = await temporaryFolder();
  const at = await space(folder);
  const home = join(folder.path, "home");
  const editor = join(home, "editor.sh");
  await Bun.write(editor, '#!/bin/sh\necho "# Edited" >"$1"\n');
  chmodSync(editor, 0o755);
  chmodSync(at.on(""), 0o555);
  const command = commandAsNobody(["file", "edit", "open.md", "--dir", at.on("")]);
  const { text, exitCode } = await onTerminal(command, { HOME: home, TMPDIR: home, EDITOR: editor });
  chmodSync(at.on(""), 0o755);
  expect(exitCode).toBe(1);
  expect(text).toContain("open.md is at v2 (9 B)\n");
  expect(text).toContain(`but 1 file on disk is out of date: ${at.on("open.md")} (`);
  expect(text).not.toContain("kept in");
  expect(await at.printed("file", "get", "open.md")).toBe("# Edited\n");
});
