// Goal: in a folder, every `cairn file` command says and does what it does on a server: nothing that a person edits by hand is unseen, nothing
// is lost by deleting or reverting, and scripts can tell by exit code and JSON what happened.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ListedFile } from "../../src/context/files/listing-schema.ts";
import { binaryPath, outcomeOf } from "../kit/binaries.ts";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

/** A space in a folder, and commands that run inside it. */
async function space(template = "blank") {
  const home = await temporaryFolder();
  const directory = join(home.path, "notes");
  const environment = { HOME: home.path, SERVICE_DIR: "", SERVICE_SERVER_DIR: "" };
  await cairnAt([], { environment }).printed("init", "solo", "--dir", directory, "--template", template);
  const at = cairnAt([], { cwd: directory, environment });
  return {
    ...at,
    environment,
    directory,
    write: (path: string, text: string) => home.write(`notes/${path}`, text),
    on: (path: string) => join(directory, path),
    /** Runs a command with this on its standard input. */
    async piped(text: string, ...args: string[]) {
      const child = Bun.spawn([binaryPath("cairn"), ...args], {
        cwd: directory,
        env: { ...process.env, ...environment },
        stdio: [new Blob([text]), "pipe", "pipe"],
      });
      const { exitCode, stdout, stderr } = await outcomeOf(args.join(" "), child);
      return [exitCode, stdout, stderr] as const;
    },
    list: async (...flags: string[]) =>
      (await at.data<ListedFile[]>("file", "list", ...flags)).map(({ path, version, state }) => [
        path,
        version,
        state,
      ]),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test("from the first edit to the last version: list, diff, adopt, history, delete, undelete, destroy, revert", async () => {
  await using at = await space("solo");
  expect(await at.printed("status")).toEndWith("\n\neverything on disk is recorded\n");
  await at.write("decisions.md", "# Decisions\n\nOurs.\n");
  await at.write("wiki/new page.md", "# New\n");
  rmSync(at.on("team/skill-map.md"));
  const status = await at.printed("status");
  for (const line of [
    "modified   decisions.md",
    "untracked  wiki/new page.md",
    "missing    team/skill-map.md",
  ])
    expect(status).toContain(`\n  ${line}\n`);
  expect(status).toContain("\nrecord every edit and new file: cairn space adopt\n");
  expect(await at.data<object>("status")).toMatchObject({
    space: "notes",
    changes: {
      modified: ["decisions.md"],
      untracked: ["wiki/new page.md"],
      missing: ["team/skill-map.md"],
      refused: [],
    },
    conflicts: [],
    sync: null,
  });

  const away = await at.printed("status", "--dir", at.directory);
  expect(away).toContain(`\nrecord every edit and new file: cairn space adopt --dir ${at.directory}\n`);
  expect(away).toContain(`\nshow an edit: cairn file diff <path> --dir ${at.directory}\n`);

  const table = await at.printed("file", "list");
  for (const file of await at.data<{ path: string; status: string }[]>("file", "list"))
    expect(table).toMatch(new RegExp(`^${file.path.replace(".", "\\.")} .* ${file.status} `, "m"));
  expect(table).toMatch(/^decisions\.md +v1 .* modified +always /m);
  expect(table).toMatch(/^wiki\/new page\.md +— .* untracked +always /m);
  expect(table).toMatch(/^identity\/me\.md +v1 .* clean +init-only /m);
  expect(await at.refused("file", "list", "--at", "noon")).toEqual(
    failure('--at "noon": expected a head (<epoch>.<seq>) or a time (RFC 3339)'),
  );
  expect(await at.printed("file", "diff", "decisions.md")).toContain("\n+++ decisions.md\ton disk\n");
  expect(await at.printed("file", "diff", "wiki/new page.md", "--stat")).toBe(
    "wiki/new page.md  nothing → the file on disk  1 line added, 0 removed\n",
  );
  expect(await at.printed("file", "history", "wiki/new page.md")).toContain(
    "record it with cairn space adopt\n",
  );
  const untracked = await at.data<object>("file", "history", "wiki/new page.md");
  expect(untracked).toMatchObject({ tracked: false, current: null, versions: [] });

  const back = "cairn file revert team/skill-map.md --to v1";
  expect((await at.refused("file", "undelete", "team/skill-map.md"))[1]).toBe(
    `Error: team/skill-map.md is not deleted, but missing on disk; get it back with ${back}\n`,
  );
  expect(status).toContain("\nget a missing file back: cairn file revert <path> --to <version>\n");
  expect(await at.printed("file", "diff", "wiki/new page.md")).toStartWith(
    "--- /dev/null\n+++ wiki/new page.md\ton disk\n@@ ",
  );
  await at.write("wiki/data.md", "a\0b\n");
  expect(await at.printed("file", "diff", "wiki/data.md")).toBe("wiki/data.md: binary files differ\n");
  rmSync(at.on("wiki/data.md"));
  await at.write("bra[1].md", "brackets\n");
  expect(await at.printed("search", "brackets", "--path", "bra[1].md")).toBe("bra[1].md:1:brackets\n");
  rmSync(at.on("bra[1].md"));

  expect(await at.printed("space", "adopt")).toBe("adopted decisions.md\nadopted wiki/new page.md\n");
  expect(await at.printed("space", "adopt")).toBe("nothing to adopt\n");
  expect(await at.printed("space", "index")).toContain("space-index.md is at v2 and lists 6 documents\n");
  expect(await at.printed("space", "index")).toContain("space-index.md is up to date (v2, 6 documents)\n");
  expect(readFileSync(at.on("space-index.md"), "utf8")).toContain("- `wiki/new page.md`: New\n");
  expect(await at.printed("file", "diff", "decisions.md")).toContain("+++ decisions.md\tv2\n");

  await at.printed("file", "delete", "decisions.md", "--if-version", "2");
  expect(existsSync(at.on("decisions.md"))).toBe(false);
  expect(await at.list("--deleted", "decisions.md")).toEqual([["decisions.md", 2, "deleted"]]);
  await at.printed("file", "undelete", "decisions.md");
  expect(readFileSync(at.on("decisions.md"), "utf8")).toBe("# Decisions\n\nOurs.\n");
  expect(await at.printed("file", "revert", "decisions.md", "--to", "1")).toBe(
    "decisions.md is at v3, with the content of v1\n",
  );
  expect(readFileSync(at.on("decisions.md"), "utf8")).toContain("Put the newest first.");
  const live = "cannot destroy current live version — soft-delete first";
  expect((await at.refused("file", "destroy", "decisions.md", "-v", "3", "--yes"))[1]).toContain(live);
  expect(await at.refused("file", "destroy", "decisions.md", "-v", "3")).toEqual(
    failure(`${live}; run cairn file delete decisions.md`),
  );
  await at.printed("file", "destroy", "decisions.md", "-v", "v2", "--yes");
  const { versions } = await at.data<{ versions: object[] }>("file", "history", "decisions.md");
  expect(versions).toMatchObject([
    { version: 3, destroyed: false },
    { version: 2, destroyed: true },
    { version: 1, destroyed: false },
  ]);
  expect((await at.said("file", "get", "decisions.md", "--version", "v2"))[0]).toBe(1);
});

test("a write names what it expects: exit code 3 if that is not so, and an edit by hand is never overwritten unseen", async () => {
  await using at = await space();
  expect(await at.piped("one\n", "file", "put", "log.md", "--from", "-", "--create")).toEqual([
    0,
    "log.md is at v1 (4 B)\n",
    "",
  ]);
  const put = (text: string, ...flags: string[]) =>
    at.piped(text, "file", "put", "log.md", "--from", "-", ...flags);
  expect((await put("two\n", "--create"))[0]).toBe(3);
  expect((await put("two\n", "--if-version", "v1"))[0]).toBe(0);
  const [stale, , said] = await put("three\n", "--if-version", "1");
  expect([stale, said]).toEqual([3, expect.stringContaining("expected v1, but the current version is v2")]);
  expect(await put("x", "--if-version", "v1.5")).toEqual([
    1,
    "",
    'Error: --if-version "v1.5": expected a version, vN or N (for example v4)\n',
  ]);
  // An edit becomes a version of its own first, so the expected version is not current any more.
  await at.write("log.md", "by hand\n");
  expect((await put("three\n", "--if-version", "v2"))[0]).toBe(3);
  expect(readFileSync(at.on("log.md"), "utf8")).toBe("by hand\n");
  expect((await put("three\n"))[0]).toBe(0);
  expect(await at.printed("file", "get", "log.md", "--version", "v3")).toBe("by hand\n");
  const [secret, , why] = await put(`key: AKIA${"Q".repeat(16)}\n`);
  expect([secret, why]).toEqual([1, expect.stringContaining("looks like a secret (AWS access key)")]);
});

test.each([
  ["a#b?c", "must not contain ?"],
  ["../up.md", 'must not contain the segment ".."'],
  [".cairn/x", "is a reserved name"],
  ["a\u202eb.md", "must not contain control or invisible characters"],
])("refuses the name %j before it writes", async (name, problem) => {
  await using at = await space();
  const [exitCode, , said] = await at.piped("x", "file", "put", name, "--from", "-");
  expect([exitCode, said]).toEqual([1, expect.stringContaining(problem)]);
  expect(await at.list()).toEqual([]);
});

test("reads no device in place of a file, which may never end", async () => {
  await using at = await space();
  for (const args of [
    ["file", "put", "a.md", "--from"],
    ["conflict", "resolve", "a.md", "--merged"],
  ])
    expect(await at.refused(...args, "/dev/zero")).toEqual(
      failure(`${args.at(-1)} /dev/zero: not a regular file`),
    );
});

test("a file that is missing brings up one in other letter case, but not one with another number or a short name", async () => {
  await using at = await space();
  for (const path of ["README.md", "a.md", "log/2026-11-25.md"])
    await at.piped("x", "file", "put", path, "--from", "-");
  expect(await at.refused("file", "delete", "readme.md")).toEqual([
    1,
    "Error: file readme.md: not found\n[info] did you mean README.md?\n",
  ]);
  for (const path of ["b.md", "log/2026-11-26.md"])
    expect(await at.refused("file", "delete", path)).toEqual(failure(`file ${path}: not found`));
});

test("a file that is missing brings up the one with a similar path", async () => {
  await using at = await space();
  for (const path of ["decisions.md", "notes/release.md", "old/notes.md"])
    await at.piped("x", "file", "put", path, "--from", "-");
  for (const [command, path, meant] of [
    ["get", "decision.md", "decisions.md"],
    ["history", "Decisions.md", "decisions.md"],
    ["delete", "release.md", "notes/release.md"],
    ["diff", "decisions", "decisions.md"],
  ] as const)
    expect(await at.refused("file", command, path)).toEqual([
      1,
      `Error: file ${path}: not found\n[info] did you mean ${meant}?\n`,
    ]);
  expect(await at.refused("file", "get", "./decisions.md")).toEqual([
    1,
    'Error: path: must not contain the segment "."\n[info] did you mean decisions.md?\n',
  ]);
  // One that is nowhere, and a version of one that is there.
  expect(await at.refused("file", "get", "elsewhere.md")).toEqual(failure("file elsewhere.md: not found"));
  expect(await at.refused("file", "get", "decisions.md", "-v", "9")).toEqual(
    failure("file decisions.md v9: not found"),
  );
});

test("names with #, %, spaces, right-to-left and combining characters are ordinary, and case alone is no new name", async () => {
  await using at = await space();
  const names = ["50% #1 a&b.md", "café.md", "ملف/מסמך.md", "日本 語.md"];
  for (const name of names) {
    const [exitCode] = await at.piped(`${name}\n`, "file", "put", name.normalize("NFD"), "--from", "-");
    expect([name, exitCode]).toEqual([name, 0]);
  }
  expect(await at.list()).toEqual(names.toSorted().map((name) => [name, 1, "live"]));
  for (const name of names) {
    expect(await at.printed("file", "get", name.normalize("NFD"))).toBe(`${name}\n`);
    expect(await at.printed("file", "history", name)).toContain("v1 (current)");
  }
  const [exitCode, , said] = await at.piped("x", "file", "put", "CAFÉ.md", "--from", "-");
  expect([exitCode, said]).toEqual([1, expect.stringContaining("café.md")]);
});

test("a file and a directory that took each other's place are refused, until the recorded files are deleted", async () => {
  await using at = await space("solo");
  rmSync(at.on("decisions.md"));
  await at.write("decisions.md/first.md", "# First\n");
  rmSync(at.on("team"), { recursive: true });
  await at.write("team", "# One page\n");
  const inTheWay = [
    'decisions.md/first.md: "decisions.md" is recorded as a file; delete that file first',
    'team: is recorded as a directory, which holds "team/principles.md"; delete the files in it first',
  ];
  expect(await at.printed("file", "list")).toContain(` refused: ${inTheWay[0]!.split(": ")[1]} `);
  expect(await at.data<object>("status")).toMatchObject({
    changes: {
      modified: [],
      untracked: [],
      missing: ["decisions.md", "team/principles.md", "team/skill-map.md"],
      refused: ["decisions.md/first.md", "team"],
    },
  });
  const adopting = await at.cairn("space", "adopt");
  expect(adopting).toMatchObject({
    exitCode: 1,
    stdout: inTheWay.map((refused) => `refused ${refused}\n`).join(""),
    stderr: "Error: 2 files were not adopted; see above\n",
  });

  for (const path of ["decisions.md", "team/principles.md", "team/skill-map.md"])
    await at.printed("file", "delete", path);
  expect(await at.printed("space", "adopt")).toBe("adopted decisions.md/first.md\nadopted team\n");
  expect(await at.printed("status")).toEndWith("\n\neverything on disk is recorded\n");
  expect(await at.printed("file", "get", "team")).toBe("# One page\n");
});

test("adopt lists the folder of Git and succeeds, and status leaves it out; a name that a person can change stays a failure", async () => {
  await using at = await space();
  await at.write(".git/config", "[core]\n");
  await at.write("wiki/.DS_Store", "x");
  await at.write("wiki/page.md", "# Page\n");
  const listed =
    'refused .git/: ".git" is a reserved name\nrefused wiki/.DS_Store: ".DS_Store" is a reserved name\n';
  expect(await at.cairn("space", "adopt")).toEqual({
    exitCode: 0,
    stdout: `adopted wiki/page.md\n${listed}`,
    stderr: "",
  });
  expect(await at.printed("status")).toEndWith("\n\neverything on disk is recorded\n");
  await at.write("wiki/a:b.md", "x");
  expect(await at.data<object>("status")).toMatchObject({ changes: { refused: ["wiki/a:b.md"] } });
  expect(await at.cairn("space", "adopt")).toEqual({
    exitCode: 1,
    stdout: `${listed}refused wiki/a:b.md: must not contain :\n`,
    stderr: "Error: 1 file was not adopted; see above\n",
  });
});

test("empty lists are empty lists, and what does not exist is an error", async () => {
  await using at = await space();
  expect(await at.printed("file", "list")).toBe("no files\n");
  expect(await at.printed("file", "list", "--json")).toBe("[]\n");
  expect(await at.printed("history", "list", "--json")).toBe("[]\n");
  expect(await at.data<object>("space", "adopt")).toMatchObject({ adopted: [], refused: [] });
  for (const command of ["get", "history", "diff", "delete", "undelete"])
    expect([command, await at.refused("file", command, "none.md")]).toEqual([
      command,
      failure("file none.md: not found"),
    ]);
  const [exitCode, said] = await at.refused("file", "get", "none.md", "--json");
  expect([exitCode, JSON.parse(said)]).toMatchObject([1, { error: { code: "not_found" } }]);
  const [, elsewhere] = await at.refused("file", "list", "--dir", "..");
  expect(elsewhere).toContain("no space in ");
  await at.write("space-index.md", "mine\n");
  expect((await at.refused("space", "index"))[1]).toContain("space-index.md has no version");
});

describe.skipIf(process.platform === "win32")("a difference", () => {
  const RED = "\u001b[31m-one\u001b[0m";
  const GREEN = "\u001b[32m+two\u001b[0m";

  test("has colours and a pager on a terminal, and neither in a pipe", async () => {
    await using at = await space();
    await at.piped("one\n", "file", "put", "a.md", "--from", "-");
    writeFileSync(at.on("a.md"), "two\u001b[2J\n");
    const pager = at.on("../pager");
    writeFileSync(pager, `#!/bin/sh\necho "paged $1"\ncat\n`);
    chmodSync(pager, 0o755);
    const shown = async (variables: Record<string, string>, ...flags: string[]) => {
      const command = [binaryPath("cairn"), "file", "diff", "a.md", "--dir", at.directory, ...flags];
      return (await onTerminal(command, { ...at.environment, ...variables })).text;
    };
    const paged = await shown({ PAGER: `'${pager}' -x` });
    expect(paged).toStartWith("paged -x\n");
    // The text of the file is shown, and does nothing to the terminal.
    expect(paged).toContain(`${RED}\n${GREEN.replace("two", "two\ufffd[2J")}\n`);
    for (const plain of [{ PAGER: "cat" }, { PAGER: "" }, { PAGER: "/no/such/pager" }])
      expect(await shown(plain)).toContain(RED);
    expect(await shown({ PAGER: "cat" }, "--no-color")).not.toContain("\u001b");
    expect(await shown({ PAGER: "cat", NO_COLOR: "1" })).not.toContain("\u001b");
    expect(await shown({ PAGER: pager }, "--json")).toStartWith("{");
    expect(await at.printed("file", "diff", "a.md")).not.toContain("\u001b");
  });
});

test("a list on a narrow terminal tells its files apart", async () => {
  await using at = await space();
  for (const name of ["one", "two"]) await at.write(`meetings/${name}.md`, name);
  const command = [binaryPath("cairn"), "file", "list", "--dir", at.directory];
  const { text } = await onTerminal(command, at.environment, [], 40);
  for (const name of ["one", "two"]) expect(text).toContain(`meetings/${name}.md`);
});

test("in the folder of a space, deleting a space needs the name of its server, and limits that nobody set have no figure", async () => {
  await using inside = await space();
  const real = realpathSync(inside.directory);
  expect(await inside.refused("space", "delete", "main", "--yes")).toEqual(
    failure(
      `you are in the space ${real}, which is a folder; to delete a space of a server, name the server with --server, or use --local for the one on this machine`,
    ),
  );
  const [, local] = await inside.refused("space", "delete", "main", "--yes", "--local");
  expect(local).not.toContain("you are in the space");
  expect(await inside.printed("space", "show")).toMatch(/max_space_size +unlimited\nmax_files +unlimited\n/);
});

test("a restore names the files that it cannot bring back", async () => {
  await using at = await space();
  await at.piped("one\n", "file", "put", "gone.md", "--from", "-");
  await at.printed("history", "snapshot", "good");
  await at.piped("two\n", "file", "put", "gone.md", "--from", "-");
  await at.printed("file", "destroy", "gone.md", "--version", "1", "--yes");
  const { head } = await at.data<{ head: string }>("space", "show");
  expect(await at.printed("history", "restore", "1")).toBe(
    `0 files restored; the head is ${head}\n1 file was not restored, because the content at that time was destroyed or pruned:\n  gone.md\n`,
  );
  expect(readFileSync(at.on("gone.md"), "utf8")).toBe("two\n");
});

test("a restore undoes edits and deletes by hand, which become versions first, and leaves new files alone", async () => {
  await using at = await space();
  for (const name of ["a.md", "b.md"]) await at.piped(`${name}\n`, "file", "put", name, "--from", "-");
  for (const name of ["", "a\nb"]) await at.refused("history", "snapshot", name);
  await at.printed("history", "snapshot", "good");
  rmSync(at.on("a.md"));
  writeFileSync(at.on("b.md"), "broken\n");
  writeFileSync(at.on("new.md"), "new\n");
  for (const unknown of ["99", "bad"])
    expect(await at.refused("history", "restore", unknown)).toEqual(
      failure(`snapshot "${unknown}": not found; cairn history list shows all`),
    );
  expect(await at.data<{ versions: object[] }>("file", "history", "b.md")).toMatchObject({ current: 1 });
  await at.printed("history", "restore", "1");
  expect(["a.md", "b.md", "new.md"].map((name) => readFileSync(at.on(name), "utf8"))).toEqual([
    "a.md\n",
    "b.md\n",
    "new\n",
  ]);
  expect(await at.printed("file", "get", "b.md", "--version", "2")).toBe("broken\n");
  // By its name, too; a number comes first.
  await at.printed("history", "snapshot", "1");
  await at.piped("worse\n", "file", "put", "b.md", "--from", "-");
  expect(await at.printed("history", "restore", "good")).toMatch(/^1 file restored; /);
  expect(readFileSync(at.on("b.md"), "utf8")).toBe("b.md\n");
});

test("data has the content of a file character by character, and no content that is not text", async () => {
  await using at = await space();
  writeFileSync(at.on("mark.md"), "\ufeffwith a mark\n");
  writeFileSync(at.on("photo.bin"), new Uint8Array([0xff, 0xd8, 0xff]));
  expect(await at.data<object>("file", "get", "mark.md")).toMatchObject({ content: "\ufeffwith a mark\n" });
  expect(await at.refused("file", "get", "photo.bin", "--yaml")).toEqual([
    1,
    expect.stringContaining("photo.bin: not UTF-8 text; print its bytes without --yaml"),
  ]);
});
