// Goal: `cairn file edit` hands a file to the editor that was chosen, writes it back only over the version that was read, and never loses
// what was typed. The compiled program runs on a terminal of its own; editors are scripts.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTerminal } from "../../src/kit/process.ts";
import { binaryPath, runBinary } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

const unix = test.skipIf(process.platform === "win32");

/** A server that does not run, with `notes.md` at v1, and a place for editors. */
async function desk() {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const temporary = join(folder.path, "tmp");
  await folder.write("tmp/.keep", "");
  const at = ["--server-dir", directory];
  const cairn = (...args: string[]) => runBinary("cairn", [...args, ...at]);
  const first = ["--space", "main", "--admin", "ada", "--template", "blank"];
  await runBinary("cairn", ["init", "server", "--data-dir", directory, ...first]);
  const source = await folder.write("first.md", "first\n");
  await cairn("file", "put", "docs/notes.md", "--from", source);
  return {
    cairn,
    directory,
    path: folder.path,
    /** What editing left in the place for temporary files. */
    left: () => readdirSync(temporary).filter((name) => name !== ".keep"),
    write: (name: string, text: string) => folder.write(name, text),
    /** An editor that runs this with the file as `$last`. Returns what $EDITOR has to be. */
    async editor(script: string, args = ""): Promise<string> {
      const path = await folder.write("my editor/run.sh", `#!/bin/sh\nfor last; do :; done\n${script}\n`);
      chmodSync(path, 0o755);
      return `'${path}' ${args}`;
    },
    /** Edits on a terminal; what it said, and its exit code. */
    async edit(variables: Record<string, string>, ...args: string[]) {
      const command = [binaryPath("cairn"), "file", "edit", ...args, ...at];
      let said = "";
      const decoder = new TextDecoder();
      const terminal = startTerminal(["sh", "-c", '"$0" "$@"; echo "exit=$?"', ...command], {
        environment: process.env,
        variables: { HOME: folder.path, TMPDIR: temporary, TERM: "xterm", ...variables },
        columns: 500,
        rows: 24,
        output: (chunk) => (said += decoder.decode(chunk, { stream: true })),
        drained: () => {},
      })!;
      await terminal.ended;
      const [, text = "", exitCode] = /^(.*)exit=(\d+)\r?\n/s.exec(said) ?? [];
      return { text: text.replaceAll("\r\n", "\n"), exitCode: Number(exitCode) };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("an edit", () => {
  unix(
    "of what somebody edited or added in the folder begins with what lies there, and both are kept",
    async () => {
      await using at = await desk();
      const folder = join(at.directory, "spaces", "main");
      writeFileSync(join(folder, "docs", "notes.md"), "by hand\n");
      writeFileSync(join(folder, "new.md"), "added\n");
      const shown = await at.cairn("file", "get", "docs/notes.md");
      expect([shown.exitCode, shown.stdout]).toEqual([0, "by hand\n"]);
      expect(JSON.parse((await at.cairn("file", "get", "new.md", "--json")).stdout)).toEqual({
        path: "new.md",
        version: null,
        state: "untracked",
        content: "added\n",
      });
      const editor = await at.editor('echo more >>"$last"');
      const done = await at.edit({ EDITOR: editor }, "docs/notes.md");
      expect(done).toEqual({ exitCode: 0, text: "docs/notes.md is at v3 (13 B)\n" });
      const version = async (name: string) =>
        (await at.cairn("file", "get", "docs/notes.md", "--version", name)).stdout;
      expect([await version("v1"), await version("v2"), await version("v3")]).toEqual([
        "first\n",
        "by hand\n",
        "by hand\nmore\n",
      ]);
    },
  );

  unix(
    "gives the editor the content in a file of its own with its name, and writes what comes back",
    async () => {
      await using at = await desk();
      const seen = join(at.path, "seen");
      const editor = await at.editor(
        `printf '%s\\n' "$@" >${seen}; stat -c %a "$last" >>${seen}; cat "$last" >>${seen}; env | grep -c ^SERVICE_ >>${seen}; echo second >>"$last"`,
        `--wait "two words"`,
      );
      // VISUAL wins over EDITOR.
      const done = await at.edit(
        { VISUAL: editor, EDITOR: "false", SERVICE_TOKEN: "secret" },
        "docs/notes.md",
      );
      expect(done).toEqual({ exitCode: 0, text: "docs/notes.md is at v2 (13 B)\n" });
      const [flag, words, copy, mode, content, secrets] = readFileSync(seen, "utf8").split("\n");
      expect([flag, words, mode, content, secrets]).toEqual(["--wait", "two words", "600", "first", "0"]);
      expect(copy).toEndWith("/notes.md");
      expect((await at.cairn("file", "get", "docs/notes.md")).stdout).toBe("first\nsecond\n");
      expect(at.left()).toEqual([]);
    },
  );

  unix("that changes nothing writes nothing", async () => {
    await using at = await desk();
    const done = await at.edit({ EDITOR: await at.editor('touch "$last"') }, "docs/notes.md", "--json");
    expect([done.exitCode, JSON.parse(done.text)]).toEqual([
      0,
      { path: "docs/notes.md", version: 1, changed: false },
    ]);
    expect((await at.cairn("file", "history", "docs/notes.md")).stdout).not.toContain("v2");
    expect(at.left()).toEqual([]);
  });

  unix("loses to who wrote meanwhile: exit code 3, and the text is kept where the message says", async () => {
    await using at = await desk();
    const theirs = await at.write("theirs.md", "theirs\n");
    // The server is free while the editor is open: another command works on it.
    const put = `${binaryPath("cairn")} file put docs/notes.md --from ${theirs} --server-dir ${at.directory} >/dev/null`;
    const editor = await at.editor(`echo mine >"$last"; ${put}`);
    const lost = await at.edit({ EDITOR: editor }, "docs/notes.md");
    const says =
      /^Error: docs\/notes.md: expected v1, but the current version is v2; your text is kept in (.+)\n$/;
    const kept = says.exec(lost.text)?.[1] ?? lost.text;
    expect([lost.exitCode, readFileSync(kept, "utf8")]).toEqual([3, "mine\n"]);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect((await at.cairn("file", "get", "docs/notes.md")).stdout).toBe("theirs\n");
  });

  unix("that is refused for another reason keeps the text as well", async () => {
    await using at = await desk();
    const editor = await at.editor(
      `echo "key: AKIA$(printf 'Q%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)" >"$last"`,
    );
    const refused = await at.edit({ EDITOR: editor }, "docs/notes.md");
    expect(refused.exitCode).toBe(1);
    expect(refused.text).toMatch(/looks like a secret .*; your text is kept in /);
    expect(at.left().length).toBe(1);
  });

  unix("begins a new file with --create only, and only where there is none", async () => {
    await using at = await desk();
    const editor = await at.editor(`echo new >"$last"`);
    const none = await at.edit({ EDITOR: editor }, "new.md");
    expect(none).toEqual({ exitCode: 1, text: "Error: file new.md: not found\n" });
    expect(await at.edit({ EDITOR: editor }, "new.md", "--create")).toEqual({
      exitCode: 0,
      text: "new.md is at v1 (4 B)\n",
    });
    const there = await at.edit({ EDITOR: editor }, "new.md", "--create");
    expect(there.text).toBe("Error: new.md: is there already; edit it without --create\n");
    expect(at.left()).toEqual([]);
  });
});

describe("an editor", () => {
  unix(
    "that fails, is not there, or removes the file changes nothing, and what it saved is kept",
    async () => {
      await using at = await desk();
      const failing = await at.edit(
        { EDITOR: await at.editor(`echo half >"$last"; exit 4`) },
        "docs/notes.md",
      );
      expect(failing.exitCode).toBe(1);
      expect(failing.text).toMatch(
        /^Error: the editor failed \(exit code 4\): nothing was written; your text is kept in /,
      );
      expect(at.left().length).toBe(1);
      const absent = await at.edit({ EDITOR: "/nowhere/editor -w" }, "docs/notes.md");
      expect(absent.text).toBe("Error: the editor can't be started: /nowhere/editor\n");
      const removing = await at.edit({ EDITOR: await at.editor(`rm "$last"`) }, "docs/notes.md");
      expect(removing.text).toBe("Error: the editor removed the file: nothing was written\n");
      const unclosed = await at.edit({ EDITOR: "vi 'x" }, "docs/notes.md");
      expect(unclosed.text).toBe("Error: $EDITOR: the quote ' is not closed\n");
      expect(at.left().length).toBe(1);
      expect((await at.cairn("file", "history", "docs/notes.md")).stdout).not.toContain("v2");
    },
  );

  unix("is not offered what it would spoil, nor a name that is none", async () => {
    await using at = await desk();
    const touched = join(at.path, "touched");
    const editor = await at.editor(`touch ${touched}`);
    const picture = join(at.path, "a.png");
    await Bun.write(picture, new Uint8Array([137, 80, 78, 71, 255, 0, 1]));
    await at.cairn("file", "put", "a.png", "--from", picture);
    const binary = await at.edit({ EDITOR: editor }, "a.png");
    expect(binary.text).toBe("Error: a.png: is not UTF-8 text; an editor would spoil it\n");
    const out = await at.edit({ EDITOR: editor }, "../../x.md");
    expect(out.text).toBe('Error: path: must not contain the segment ".."\n');
    expect(existsSync(touched)).toBe(false);
  });

  test("has to be named, and needs a terminal", async () => {
    const run = (environment: Record<string, string>) =>
      runBinary("cairn", ["file", "edit", "a.md", "--server-dir", "/nowhere"], { environment });
    const none = await run({ VISUAL: "", EDITOR: " " });
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringContaining("neither $VISUAL nor $EDITOR is set"),
    ]);
    const blind = await run({ VISUAL: "vi", EDITOR: "" });
    expect([blind.exitCode, blind.stderr]).toEqual([
      1,
      "Error: there is no terminal for an editor; write the file with cairn file put\n",
    ]);
  });
});
