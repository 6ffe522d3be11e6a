// Goal: `cairn file edit` hands a file to the editor that was chosen, writes it back only over the version that was read, and never loses
// what was typed. The compiled program runs on a terminal of its own; editors are scripts.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, stoppedContext } from "../kit/cli/cairn.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

const NOTES = "docs/notes.md";

/** A server that does not run, with `docs/notes.md` at v1, and a place for editors. */
async function desk() {
  const server = await stoppedContext("blank");
  const { folder, directory, printed } = server;
  await folder.write("tmp/.keep", "");
  await printed("file", "put", NOTES, "--from", await folder.write("first.md", "first\n"));
  const temporary = join(folder.path, "tmp");
  return {
    ...server,
    content: (path = NOTES, ...flags: string[]) => printed("file", "get", path, ...flags),
    history: () => printed("file", "history", NOTES),
    /** The files that editing left in the place for temporary files. */
    left: () => readdirSync(temporary).filter((name) => name !== ".keep"),
    /** An editor that runs this with the file as `$last`. */
    async editor(script: string, args = "") {
      const path = await folder.write("my editor/run.sh", `#!/bin/sh\nfor last; do :; done\n${script}\n`);
      chmodSync(path, 0o755);
      return { EDITOR: `'${path}' ${args}` };
    },
    /** Edits on a terminal; what it said, and its exit code. */
    async edit(variables: Record<string, string>, ...args: string[]) {
      const command = [binaryPath("cairn"), "file", "edit", ...args, "--server-dir", directory];
      const home = { HOME: folder.path, TMPDIR: temporary };
      const { text, exitCode } = await onTerminal(command, { ...home, ...variables });
      return { text, exitCode };
    },
  };
}

describe.skipIf(process.platform === "win32")("an edit", () => {
  test("of what someone edited or added in the folder begins with what lies there, and both are kept", async () => {
    await using at = await desk();
    writeFileSync(at.inside("spaces", "main", NOTES), "by hand\n");
    writeFileSync(at.inside("spaces", "main", "new.md"), "added\n");
    expect(await at.content()).toBe("by hand\n");
    const added = { path: "new.md", version: null, state: "untracked", content: "added\n" };
    expect(await at.data<object>("file", "get", "new.md")).toEqual(added);
    const done = await at.edit(await at.editor('echo more >>"$last"'), NOTES);
    expect(done).toEqual({ exitCode: 0, text: "docs/notes.md is at v3 (13 B)\n" });
    for (const [version, text] of Object.entries({ v1: "first", v2: "by hand", v3: "by hand\nmore" }))
      expect(await at.content(NOTES, "--version", version)).toBe(`${text}\n`);
  });

  test("of what lies in the folder loses to who changes that meanwhile", async () => {
    await using at = await desk();
    const onDisk = at.inside("spaces", "main", NOTES);
    writeFileSync(onDisk, "by hand\n");
    const { text, exitCode } = await at.edit(
      await at.editor(`echo mine >>"$last"; echo theirs >>'${onDisk}'`),
      NOTES,
    );
    expect(exitCode).toBe(3);
    expect(text).toContain("it has changed since it was opened; your text is kept in ");
    expect(await at.content()).toBe("by hand\ntheirs\n");
    expect(at.left().length).toBe(1);
  });

  test("gives the editor the content in a file of its own with its name, and writes what comes back", async () => {
    await using at = await desk();
    const seen = join(at.folder.path, "seen");
    const { EDITOR } = await at.editor(
      `printf '%s\\n' "$@" >${seen}; stat -c %a "$last" >>${seen}; cat "$last" >>${seen}; env | grep -c ^SERVICE_ >>${seen}; echo second >>"$last"`,
      `--wait "two words"`,
    );
    // VISUAL wins over EDITOR.
    const done = await at.edit({ VISUAL: EDITOR, EDITOR: "false", SERVICE_TOKEN: "secret" }, NOTES);
    expect(done).toEqual({ exitCode: 0, text: "docs/notes.md is at v2 (13 B)\n" });
    const [flag, words, copy, mode, content, secrets] = readFileSync(seen, "utf8").split("\n");
    expect([flag, words, mode, content, secrets]).toEqual(["--wait", "two words", "600", "first", "0"]);
    expect(copy).toEndWith("/notes.md");
    expect(await at.content()).toBe("first\nsecond\n");
    expect(at.left()).toEqual([]);
  });

  test("that changes nothing writes nothing", async () => {
    await using at = await desk();
    const done = await at.edit(await at.editor('touch "$last"'), NOTES, "--json");
    expect([done.exitCode, JSON.parse(done.text)]).toEqual([0, { path: NOTES, version: 1, changed: false }]);
    expect(await at.history()).not.toContain("v2");
    expect(at.left()).toEqual([]);
  });

  test("loses to who wrote meanwhile: exit code 3, and the text is kept where the message says", async () => {
    await using at = await desk();
    const theirs = await at.folder.write("theirs.md", "theirs\n");
    // The server is free while the editor is open: another command works on it.
    const put = `${binaryPath("cairn")} file put ${NOTES} --from ${theirs} --server-dir ${at.directory} >/dev/null`;
    const lost = await at.edit(await at.editor(`echo mine >"$last"; ${put}`), NOTES);
    const says =
      /^Error: docs\/notes.md: expected v1, but the current version is v2; your text is kept in (.+)\n$/;
    const kept = says.exec(lost.text)?.[1] ?? lost.text;
    expect([lost.exitCode, readFileSync(kept, "utf8")]).toEqual([3, "mine\n"]);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(await at.content()).toBe("theirs\n");
  });

  test("that is refused for another reason keeps the text as well", async () => {
    await using at = await desk();
    const refused = await at.edit(
      await at.editor(`echo "key: AKIA$(printf 'Q%.0s' $(seq 16))" >"$last"`),
      NOTES,
    );
    expect(refused.exitCode).toBe(1);
    expect(refused.text).toMatch(/looks like a secret .*; your text is kept in /);
    expect(at.left().length).toBe(1);
  });

  test("begins a new file with --create only, and only where there is none", async () => {
    await using at = await desk();
    const editor = await at.editor(`echo new >"$last"`);
    const none = await at.edit(editor, "new.md");
    expect(none).toEqual({
      exitCode: 1,
      text: "Error: file new.md: not found; pass --create for a new file\n",
    });
    const nowhere = await at.edit(editor, "new.md", "--space", "nope");
    expect(nowhere).toEqual({ exitCode: 1, text: "Error: space nope: not found\n" });
    const made = await at.edit(editor, "new.md", "--create");
    expect(made).toEqual({ exitCode: 0, text: "new.md is at v1 (4 B)\n" });
    const there = await at.edit(editor, "new.md", "--create");
    expect(there.text).toBe("Error: new.md: already exists; edit it without --create\n");
    expect(at.left()).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("an editor", () => {
  test("that fails, is not there, or removes the file changes nothing, and what it saved is kept", async () => {
    await using at = await desk();
    const failing = await at.edit(await at.editor(`echo half >"$last"; exit 4`), NOTES);
    expect(failing.exitCode).toBe(1);
    expect(failing.text).toMatch(
      /^Error: the editor failed \(exit code 4\); nothing was written; your text is kept in /,
    );
    expect(at.left().length).toBe(1);
    for (const [EDITOR, says] of [
      [
        "/nowhere/editor -w",
        "cannot start the editor /nowhere/editor; set $VISUAL or $EDITOR to a program on the PATH",
      ],
      [(await at.editor(`rm "$last"`)).EDITOR, "the editor deleted the file; nothing was written"],
      ["vi 'x", "$EDITOR: the quote ' is not closed"],
    ] as const)
      expect((await at.edit({ EDITOR }, NOTES)).text).toBe(`Error: ${says}\n`);
    expect(at.left().length).toBe(1);
    expect(await at.history()).not.toContain("v2");
  });

  test("is not offered what it would spoil, nor a name that is none", async () => {
    await using at = await desk();
    const touched = join(at.folder.path, "touched");
    const editor = await at.editor(`touch ${touched}`);
    const picture = join(at.folder.path, "a.png");
    await Bun.write(picture, new Uint8Array([137, 80, 78, 71, 255, 0, 1]));
    await at.printed("file", "put", "a.png", "--from", picture);
    const binary = await at.edit(editor, "a.png");
    expect(binary.text).toBe("Error: a.png: not UTF-8 text; an editor would damage it\n");
    const out = await at.edit(editor, "../../x.md");
    expect(out.text).toBe('Error: path: must not contain the segment ".."\n');
    expect(existsSync(touched)).toBe(false);
  });
});

describe("an editor", () => {
  test("has to be named, and needs a terminal", async () => {
    const said = (environment: Record<string, string>) =>
      cairnAt(["--server-dir", "/nowhere"], { environment }).said("file", "edit", "a.md");
    const none = expect.stringContaining("no editor: set $VISUAL or $EDITOR");
    expect(await said({ VISUAL: "", EDITOR: " " })).toEqual([1, none]);
    const blind =
      "Error: no terminal for an editor; write the file with cairn file put --from <file> a.md --server-dir /nowhere\n";
    expect(await said({ VISUAL: "vi", EDITOR: "" })).toEqual([1, blind]);
  });
});
